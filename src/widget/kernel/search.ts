// AssemblyScript. Searches for a counter whose hash is at most a threshold. Each attempt is one BLAKE2b-256 compression of a
// 128-byte block in which only word 15 (the solution) changes. For browsers without SIMD; `../simdKernel.ts` is for all others.

import { BLOCK, SCHEDULE, STATE } from './blake2b';
import { searchScalar } from './scalar';
import { IV, SIGMA } from './tables';

/** No key, a hash of 32 bytes (RFC 7693, section 2.5). */
const PARAMETERS: u64 = 0x01010020;

/**
 * Prepares searches of the puzzle whose block is at `BLOCK`: 128 bytes, of which 48 to 119 are zero. Writes the state and the schedule:
 * the part of a compression (RFC 7693, section 3.2) that all attempts share, which is round 0 up to word 15, and the order of the words.
 * `../blake2b.ts` is the same in JavaScript.
 */
export function prepare(): void {
  for (let i: usize = 0; i < 128; i += 8) store<u64>(STATE + i, load<u64>(IV + (i & 63)));
  store<u64>(STATE, load<u64>(STATE) ^ PARAMETERS);
  // Word 15 is added by each attempt.
  store<u64>(BLOCK, 0, 120);
  // The length, and the flag of the last block.
  store<u64>(STATE, load<u64>(STATE, 96) ^ 128, 96);
  store<u64>(STATE, ~load<u64>(STATE, 112), 112);
  for (let i: usize = 0; i < 16; i++) {
    const a = at(i, 0);
    const b = at(i, 1);
    // Word 15, which is added later, is zero.
    store<u64>(a, load<u64>(a) + load<u64>(b) + (load<u64>(BLOCK + 8 * i)));
    if (i == 15) break;
    const c = at(i, 2);
    const d = at(i, 3);
    store<u64>(d, rotr<u64>(load<u64>(d) ^ load<u64>(a), i & 1 ? 16 : 32));
    store<u64>(c, load<u64>(c) + load<u64>(d));
    store<u64>(b, rotr<u64>(load<u64>(b) ^ load<u64>(c), i & 1 ? 63 : 24));
  }
  let to = SCHEDULE;
  for (let i: usize = 16; i < 192; i++) {
    const position = i % 160;
    const index = (load<u8>(SIGMA + (position >> 1)) >> (<u8>(position & 1) << 2)) & 15;
    store<u64>(to, load<u64>(BLOCK + 8 * <usize>index));
    to += 8;
  }
}

/** Four columns, then four diagonals; two words each. @returns the address of a word of the state */
function at(i: usize, row: usize): usize {
  return STATE + 32 * row + 8 * (((i >> 1) + (i >> 3) * row) & 3);
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
