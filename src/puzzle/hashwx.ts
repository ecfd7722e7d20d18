import { type Hash, SOLUTION_OFFSET } from './check.ts';
import { SOLUTION_SIZE } from './solution.ts';

/**
 * HashWX as proof of work: the hash of a nonce, computed by a random program that is created from a seed. Each solution of a puzzle has
 * programs of its own.
 *
 * A solution is 8 bytes, little-endian:
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 1 | index, less than the number of solutions; different for each solution |
 * | 1 | 1 | 0 |
 * | 2 | 2 | nonce |
 * | 4 | 4 | block: together with the index, it determines the programs |
 *
 * @see docs/reference/protocol.md#hashwx
 */
export type Hashwx = {
  /** Creates the programs of a seed, which replace those of the previous call. @param seed at least 32 bytes; the first 32 are used */
  readonly generate: (seed: Uint8Array) => void;
  /** @param nonce 0..65535 @returns the upper 32 bits of the hash of the nonce, u32. `generate` must have been called before */
  readonly hash: (nonce: number) => number;
};

/** Number of nonces of a block. */
export const HASHWX_NONCES = 65_536;

/** Offsets in a solution. */
const INDEX = 0;
const RESERVED = 1;
const NONCE = 2;
const BLOCK = 4;

/**
 * Checks what costs nothing: the form of the solutions, and that no two have the same index.
 *
 * @param solutions n times 8 bytes, n at most 255
 */
export function checkHashwxIndexes(solutions: Uint8Array): 'valid' | 'malformed' | 'duplicates' {
  const count = solutions.length / SOLUTION_SIZE;
  const found = new Uint8Array(count);
  let isUnique = true;
  for (let at = 0; at < solutions.length; at += SOLUTION_SIZE) {
    const index = solutions[at + INDEX] as number;
    if (index >= count || solutions[at + RESERVED] !== 0) return 'malformed';
    if (found[index] === 1) isUnique = false;
    found[index] = 1;
  }
  return isUnique ? 'valid' : 'duplicates';
}

/**
 * Writes a solution with nonce 0 into the block.
 *
 * @param block 128 bytes from `toBlock`
 * @param solution 8 bytes at `at`
 * @returns the seed of the solution's programs: the BLAKE2b-256 of the block, in the first 32 bytes
 */
export function hashwxSeed(block: Uint8Array, solution: Uint8Array, at: number, hash: Hash): Uint8Array {
  for (let i = 0; i < SOLUTION_SIZE; i++) block[SOLUTION_OFFSET + i] = solution[at + i] as number;
  block[SOLUTION_OFFSET + NONCE] = 0;
  block[SOLUTION_OFFSET + NONCE + 1] = 0;
  return hash(block);
}

/**
 * Checks the work. Stops at the first wrong solution, because each costs about 18 µs.
 *
 * @param solutions n times 8 bytes, for which `checkHashwxIndexes` returns `valid`
 * @param block 128 bytes from `toBlock`; its last eight bytes are overwritten
 * @param threshold u32 from `toThreshold`
 * @returns whether the upper half of the hash of every solution is at most the threshold
 */
export function checkHashwxSolutions(
  solutions: Uint8Array,
  block: Uint8Array,
  threshold: number,
  hash: Hash,
  hashwx: Hashwx,
): boolean {
  for (let at = 0; at < solutions.length; at += SOLUTION_SIZE) {
    hashwx.generate(hashwxSeed(block, solutions, at, hash));
    if (hashwx.hash(nonceAt(solutions, at)) > threshold) return false;
  }
  return true;
}

/**
 * Searches one solution by trying one nonce after another.
 *
 * @param block as for `checkHashwxSolutions`
 * @param index 0..254
 * @returns the solution, 8 bytes, and the number of hashes computed
 */
export function searchHashwxSolution(
  block: Uint8Array,
  index: number,
  threshold: number,
  hash: Hash,
  hashwx: Hashwx,
): { readonly solution: Uint8Array; readonly attempts: number } {
  const solution = new Uint8Array(SOLUTION_SIZE);
  solution[INDEX] = index;
  const view = new DataView(solution.buffer);
  for (let number = 0; ; number++) {
    view.setUint32(BLOCK, number, true);
    hashwx.generate(hashwxSeed(block, solution, 0, hash));
    for (let nonce = 0; nonce < HASHWX_NONCES; nonce++) {
      if (hashwx.hash(nonce) > threshold) continue;
      view.setUint16(NONCE, nonce, true);
      return { solution, attempts: number * HASHWX_NONCES + nonce + 1 };
    }
  }
}

function nonceAt(solutions: Uint8Array, at: number): number {
  return (solutions[at + NONCE] as number) | ((solutions[at + NONCE + 1] as number) << 8);
}
