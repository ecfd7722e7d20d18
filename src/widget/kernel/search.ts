// AssemblyScript. Searches for a counter whose hash is at most a threshold. Each attempt is one BLAKE2b-256 compression of a
// 128-byte block in which only word 15 (the solution) changes. For browsers without SIMD; `../simdKernel.ts` is for all others.

import { prepareSearch } from './prepare';
import { searchScalar } from './scalar';

/** Prepares searches of the puzzle whose block is at address 16384: 128 bytes, of which 48 to 119 are zero. */
export function prepare(): void {
  prepareSearch();
}

/**
 * Tries `count` counters, starting with `start`.
 *
 * @param prefix bytes 0 to 3 of the solution, little-endian
 * @param start first counter: bytes 4 to 7
 * @param count number of counters to try; `start + count` is at most 2^32
 * @param threshold maximum of the first four bytes of the hash
 * @returns the number of attempts including the successful one; 0 if none was successful
 */
export function search(prefix: u32, start: u32, count: u32, threshold: u32): u32 {
  return searchScalar(prefix, start, count, threshold);
}
