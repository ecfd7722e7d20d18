import { readU32 } from './puzzle.ts';
import { SOLUTION_SIZE } from './solution.ts';

/** BLAKE2b-256 without key (RFC 7693) of a 128-byte block; the result's first four bytes are enough. */
export type Hash = (block: Uint8Array) => Uint8Array;

/** One BLAKE2b block: the puzzle, zeros, and the solution in the last eight bytes. */
export const BLOCK_SIZE = 128;
export const SOLUTION_OFFSET = BLOCK_SIZE - SOLUTION_SIZE;

/** The block a puzzle's solutions are hashed in, with the solution's place still zero. */
export function blockOf(puzzleBytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_SIZE);
  block.set(puzzleBytes);
  return block;
}

/**
 * Are the solutions pairwise different?
 *
 * @param solutions n times 8 bytes, n at most 255
 */
export function areDistinct(solutions: Uint8Array): boolean {
  for (let a = 0; a < solutions.length; a += SOLUTION_SIZE) {
    for (let b = a + SOLUTION_SIZE; b < solutions.length; b += SOLUTION_SIZE) {
      if (areSame(solutions, a, b)) return false;
    }
  }
  return true;
}

/**
 * Does every solution bring its hash to the threshold or below? Stops at the first that does not.
 *
 * @param block 128 bytes from `blockOf`; its last eight bytes are overwritten
 * @param threshold u32 from `thresholdOf`
 */
export function doAllMeet(solutions: Uint8Array, block: Uint8Array, threshold: number, hash: Hash): boolean {
  for (let at = 0; at < solutions.length; at += SOLUTION_SIZE) {
    for (let i = 0; i < SOLUTION_SIZE; i++) block[SOLUTION_OFFSET + i] = solutions[at + i] as number;
    if (readU32(hash(block), 0) > threshold) return false;
  }
  return true;
}

function areSame(solutions: Uint8Array, a: number, b: number): boolean {
  for (let i = 0; i < SOLUTION_SIZE; i++) {
    if (solutions[a + i] !== solutions[b + i]) return false;
  }
  return true;
}
