// AssemblyScript. The search for a counter whose hash stays under a threshold: one BLAKE2b-256 compression
// of a 128-byte block, in which only word 15 (the solution) changes from attempt to attempt.

import { BLOCK, H0, IV0, IV1, IV2, IV3, IV4, IV5, IV6, IV7, MIDSTATE, SCHEDULE, schedule } from './blake2b';

export { BLOCK };

/** Rounds 1 to 10 run in a loop; round 0 is prepared in part, round 11 is cut to the bits that count. */
const FIRST: usize = SCHEDULE + 128;
const LAST: usize = SCHEDULE + 11 * 128;

/** Takes in a new block: to be called after BLOCK was written and before `search`. */
export function prepare(): void {
  schedule();
  let v0: u64 = H0;
  let v1: u64 = IV1;
  let v2: u64 = IV2;
  let v3: u64 = IV3;
  let v4: u64 = IV4;
  let v5: u64 = IV5;
  let v6: u64 = IV6;
  let v7: u64 = IV7;
  let v8: u64 = IV0;
  let v9: u64 = IV1;
  let v10: u64 = IV2;
  let v11: u64 = IV3;
  let v12: u64 = IV4 ^ 128;
  let v13: u64 = IV5;
  let v14: u64 = ~IV6;
  let v15: u64 = IV7;
  v0 += v4 + load<u64>(BLOCK, 0); v12 = rotr<u64>(v12 ^ v0, 32); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 24);
  v0 += v4 + load<u64>(BLOCK, 8); v12 = rotr<u64>(v12 ^ v0, 16); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 63);
  v1 += v5 + load<u64>(BLOCK, 16); v13 = rotr<u64>(v13 ^ v1, 32); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 24);
  v1 += v5 + load<u64>(BLOCK, 24); v13 = rotr<u64>(v13 ^ v1, 16); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 63);
  v2 += v6 + load<u64>(BLOCK, 32); v14 = rotr<u64>(v14 ^ v2, 32); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 24);
  v2 += v6 + load<u64>(BLOCK, 40); v14 = rotr<u64>(v14 ^ v2, 16); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 63);
  v3 += v7 + load<u64>(BLOCK, 48); v15 = rotr<u64>(v15 ^ v3, 32); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 24);
  v3 += v7 + load<u64>(BLOCK, 56); v15 = rotr<u64>(v15 ^ v3, 16); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 63);
  v0 += v5 + load<u64>(BLOCK, 64); v15 = rotr<u64>(v15 ^ v0, 32); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 24);
  v0 += v5 + load<u64>(BLOCK, 72); v15 = rotr<u64>(v15 ^ v0, 16); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 63);
  v1 += v6 + load<u64>(BLOCK, 80); v12 = rotr<u64>(v12 ^ v1, 32); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 24);
  v1 += v6 + load<u64>(BLOCK, 88); v12 = rotr<u64>(v12 ^ v1, 16); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 63);
  v2 += v7 + load<u64>(BLOCK, 96); v13 = rotr<u64>(v13 ^ v2, 32); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 24);
  v2 += v7 + load<u64>(BLOCK, 104); v13 = rotr<u64>(v13 ^ v2, 16); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 63);
  // The last mixing of round 0, up to word 15.
  v3 += v4 + load<u64>(BLOCK, 112); v14 = rotr<u64>(v14 ^ v3, 32); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 24);
  v3 += v4;
  store<u64>(MIDSTATE, v0, 0);
  store<u64>(MIDSTATE, v1, 8);
  store<u64>(MIDSTATE, v2, 16);
  store<u64>(MIDSTATE, v3, 24);
  store<u64>(MIDSTATE, v4, 32);
  store<u64>(MIDSTATE, v5, 40);
  store<u64>(MIDSTATE, v6, 48);
  store<u64>(MIDSTATE, v7, 56);
  store<u64>(MIDSTATE, v8, 64);
  store<u64>(MIDSTATE, v9, 72);
  store<u64>(MIDSTATE, v10, 80);
  store<u64>(MIDSTATE, v11, 88);
  store<u64>(MIDSTATE, v12, 96);
  store<u64>(MIDSTATE, v13, 104);
  store<u64>(MIDSTATE, v14, 112);
  store<u64>(MIDSTATE, v15, 120);
}

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
  for (let attempt: u32 = 0; attempt < count; attempt++) {
    const word15: u64 = (<u64>(start + attempt) << 32) | <u64>prefix;
    if (head(word15) <= threshold) return attempt + 1;
  }
  return 0;
}

/** The first four bytes of the hash. */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function head(word15: u64): u32 {
  store<u64>(SCHEDULE, word15, 168);
  store<u64>(SCHEDULE, word15, 304);
  store<u64>(SCHEDULE, word15, 496);
  store<u64>(SCHEDULE, word15, 568);
  store<u64>(SCHEDULE, word15, 736);
  store<u64>(SCHEDULE, word15, 792);
  store<u64>(SCHEDULE, word15, 976);
  store<u64>(SCHEDULE, word15, 1032);
  store<u64>(SCHEDULE, word15, 1216);
  store<u64>(SCHEDULE, word15, 1400);
  store<u64>(SCHEDULE, word15, 1448);
  let v0: u64 = load<u64>(MIDSTATE, 0);
  let v1: u64 = load<u64>(MIDSTATE, 8);
  let v2: u64 = load<u64>(MIDSTATE, 16);
  let v3: u64 = load<u64>(MIDSTATE, 24);
  let v4: u64 = load<u64>(MIDSTATE, 32);
  let v5: u64 = load<u64>(MIDSTATE, 40);
  let v6: u64 = load<u64>(MIDSTATE, 48);
  let v7: u64 = load<u64>(MIDSTATE, 56);
  let v8: u64 = load<u64>(MIDSTATE, 64);
  let v9: u64 = load<u64>(MIDSTATE, 72);
  let v10: u64 = load<u64>(MIDSTATE, 80);
  let v11: u64 = load<u64>(MIDSTATE, 88);
  let v12: u64 = load<u64>(MIDSTATE, 96);
  let v13: u64 = load<u64>(MIDSTATE, 104);
  let v14: u64 = load<u64>(MIDSTATE, 112);
  let v15: u64 = load<u64>(MIDSTATE, 120);
  v3 += word15; v14 = rotr<u64>(v14 ^ v3, 16); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 63);
  for (let round: usize = FIRST; round < LAST; round += 128) {
    v0 += v4 + load<u64>(round, 0); v12 = rotr<u64>(v12 ^ v0, 32); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 24);
    v0 += v4 + load<u64>(round, 8); v12 = rotr<u64>(v12 ^ v0, 16); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 63);
    v1 += v5 + load<u64>(round, 16); v13 = rotr<u64>(v13 ^ v1, 32); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 24);
    v1 += v5 + load<u64>(round, 24); v13 = rotr<u64>(v13 ^ v1, 16); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 63);
    v2 += v6 + load<u64>(round, 32); v14 = rotr<u64>(v14 ^ v2, 32); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 24);
    v2 += v6 + load<u64>(round, 40); v14 = rotr<u64>(v14 ^ v2, 16); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 63);
    v3 += v7 + load<u64>(round, 48); v15 = rotr<u64>(v15 ^ v3, 32); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 24);
    v3 += v7 + load<u64>(round, 56); v15 = rotr<u64>(v15 ^ v3, 16); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 63);
    v0 += v5 + load<u64>(round, 64); v15 = rotr<u64>(v15 ^ v0, 32); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 24);
    v0 += v5 + load<u64>(round, 72); v15 = rotr<u64>(v15 ^ v0, 16); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 63);
    v1 += v6 + load<u64>(round, 80); v12 = rotr<u64>(v12 ^ v1, 32); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 24);
    v1 += v6 + load<u64>(round, 88); v12 = rotr<u64>(v12 ^ v1, 16); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 63);
    v2 += v7 + load<u64>(round, 96); v13 = rotr<u64>(v13 ^ v2, 32); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 24);
    v2 += v7 + load<u64>(round, 104); v13 = rotr<u64>(v13 ^ v2, 16); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 63);
    v3 += v4 + load<u64>(round, 112); v14 = rotr<u64>(v14 ^ v3, 32); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 24);
    v3 += v4 + load<u64>(round, 120); v14 = rotr<u64>(v14 ^ v3, 16); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 63);
  }
  // Round 11: only v0 and v8 are wanted.
  v0 += v4 + load<u64>(LAST, 0); v12 = rotr<u64>(v12 ^ v0, 32); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 24);
  v0 += v4 + load<u64>(LAST, 8); v12 = rotr<u64>(v12 ^ v0, 16); v8 += v12;
  v1 += v5 + load<u64>(LAST, 16); v13 = rotr<u64>(v13 ^ v1, 32); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 24);
  v1 += v5 + load<u64>(LAST, 24); v13 = rotr<u64>(v13 ^ v1, 16); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 63);
  v2 += v6 + load<u64>(LAST, 32); v14 = rotr<u64>(v14 ^ v2, 32); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 24);
  v2 += v6 + load<u64>(LAST, 40); v14 = rotr<u64>(v14 ^ v2, 16); v10 += v14;
  v3 += v7 + load<u64>(LAST, 48); v15 = rotr<u64>(v15 ^ v3, 32); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 24);
  v3 += v7 + load<u64>(LAST, 56); v15 = rotr<u64>(v15 ^ v3, 16); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 63);
  v0 += v5 + load<u64>(LAST, 64); v15 = rotr<u64>(v15 ^ v0, 32); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 24); v0 += v5 + load<u64>(LAST, 72);
  v2 += v7 + load<u64>(LAST, 96); v13 = rotr<u64>(v13 ^ v2, 32); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 24);
  v2 += v7 + load<u64>(LAST, 104); v13 = rotr<u64>(v13 ^ v2, 16); v8 += v13;
  return <u32>(H0 ^ v0 ^ v8);
}
