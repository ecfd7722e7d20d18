// AssemblyScript. The search for a counter whose hash stays under a threshold: one BLAKE2b-256 compression
// of a 128-byte block, in which only word 15 (the solution) changes from attempt to attempt. Compiled twice, with
// SIMD and without.

import { searchScalar } from './scalar';
import { searchSimd } from './simd';

/** How many copies of each word the schedule holds. */
export const COPIES: u32 = ASC_FEATURE_SIMD ? 6 : 1;

/**
 * Tries `count` counters, beginning with `start`.
 *
 * @param prefix bytes 0 to 3 of the solution, little-endian
 * @param start first counter: bytes 4 to 7
 * @param count how many counters to try; `start + count` is at most 2^32
 * @param threshold the first four bytes of the hash must be at most this
 * @returns how many attempts it took, the good one included, or 0 if none was good
 */
export function search(prefix: u32, start: u32, count: u32, threshold: u32): u32 {
  if (ASC_FEATURE_SIMD) return searchSimd(prefix, start, count, threshold);
  return searchScalar(prefix, start, count, threshold);
}
