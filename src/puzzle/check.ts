import { readU32 } from './puzzle.ts';
import { SOLUTION_SIZE } from './solution.ts';

/** BLAKE2b-256 without key (RFC 7693) of a 128-byte block. Only the first four bytes of the result are used. */
export type Hash = (block: Uint8Array) => Uint8Array;

/** Size of a BLAKE2b block in bytes. It contains the puzzle, zeros, and the solution in the last eight bytes. */
export const BLOCK_SIZE = 128;
export const SOLUTION_OFFSET = BLOCK_SIZE - SOLUTION_SIZE;

/** @returns the block to hash for each solution of a puzzle, with zeros in place of the solution */
export function toBlock(puzzleBytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_SIZE);
  block.set(puzzleBytes);
  return block;
}

/** @param solutions n times 8 bytes, n at most 255 @returns whether no two solutions are equal */
export function areDistinct(solutions: Uint8Array): boolean {
  for (let a = 0; a < solutions.length; a += SOLUTION_SIZE) {
    for (let b = a + SOLUTION_SIZE; b < solutions.length; b += SOLUTION_SIZE) {
      if (areEqualAt(solutions, a, b)) return false;
    }
  }
  return true;
}

/**
 * Checks the solutions of a BLAKE2b puzzle, like `allMeetThreshold`.
 *
 * @param solutions n times 8 bytes, n at most 255
 * @param block 128 bytes from `toBlock`; its last eight bytes may be overwritten
 * @param threshold u32 from `toThreshold`
 * @returns whether the hash of every solution is at most the threshold
 */
export type CheckSolutions = (solutions: Uint8Array, block: Uint8Array, threshold: number) => boolean;

/**
 * @param solutions n times 8 bytes
 * @param block 128 bytes from `toBlock`; its last eight bytes are overwritten
 * @param threshold u32 from `toThreshold`
 * @returns whether the hash of every solution is at most the threshold
 */
export function allMeetThreshold(
  solutions: Uint8Array,
  block: Uint8Array,
  threshold: number,
  hash: Hash,
): boolean {
  for (let at = 0; at < solutions.length; at += SOLUTION_SIZE) {
    for (let i = 0; i < SOLUTION_SIZE; i++) block[SOLUTION_OFFSET + i] = solutions[at + i] as number;
    if (readU32(hash(block), 0) > threshold) return false;
  }
  return true;
}

function areEqualAt(solutions: Uint8Array, a: number, b: number): boolean {
  for (let i = 0; i < SOLUTION_SIZE; i++) {
    if (solutions[a + i] !== solutions[b + i]) return false;
  }
  return true;
}

/**
 * The maximum hash of a solution: floor(2 ^ ((255.999999999 - difficulty) / 8)).
 *
 * The constant keeps the result for difficulty 0 within a u32. Deployed widgets compute the same value, so it must not be rounded.
 *
 * @param difficulty integer, 0..255
 * @returns u32; a solution is valid if the first four bytes of its hash, as a little-endian u32, are at most this
 * @see docs/reference/protocol.md#work
 */
export function computeThreshold(difficulty: number): number {
  return Math.floor(2 ** ((255.999999999 - difficulty) / 8));
}

/** @returns the same as `computeThreshold`, from a table */
export function toThreshold(difficulty: number): number {
  return THRESHOLDS[difficulty] as number;
}

const THRESHOLDS = /* @__PURE__ */ Float64Array.from({ length: 256 }, (_, difficulty) =>
  computeThreshold(difficulty),
);

/**
 * @param difficulty integer, 0..255
 * @returns the average number of hashes for one solution: 2^32 / (threshold + 1), about 2 ^ (difficulty / 8)
 */
export function expectedAttempts(difficulty: number): number {
  return 2 ** 32 / (toThreshold(difficulty) + 1);
}
