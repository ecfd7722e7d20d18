// AssemblyScript. The scalar twin: one counter at a time.

import { H0, LAST_ROUND, SCHEDULE, SECOND_ROUND, STATE } from './blake2b';

/** Bytes of a round in the schedule: 16 words, each once. */
const ROUND: usize = 128;

/** As `search` in `search.ts`. */
export function searchScalar(prefix: u32, start: u32, count: u32, threshold: u32): u32 {
  for (let attempt: u32 = 0; attempt < count; attempt++) {
    if (head((<u64>(start + attempt) << 32) | <u64>prefix) <= threshold) return attempt + 1;
  }
  return 0;
}

/** The first four bytes of the hash. Sums begin with what does not wait for the step before. */
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
  let v0: u64 = load<u64>(STATE, 0);
  let v1: u64 = load<u64>(STATE, 8);
  let v2: u64 = load<u64>(STATE, 16);
  let v3: u64 = load<u64>(STATE, 24);
  let v4: u64 = load<u64>(STATE, 32);
  let v5: u64 = load<u64>(STATE, 40);
  let v6: u64 = load<u64>(STATE, 48);
  let v7: u64 = load<u64>(STATE, 56);
  let v8: u64 = load<u64>(STATE, 64);
  let v9: u64 = load<u64>(STATE, 72);
  let v10: u64 = load<u64>(STATE, 80);
  let v11: u64 = load<u64>(STATE, 88);
  let v12: u64 = load<u64>(STATE, 96);
  let v13: u64 = load<u64>(STATE, 104);
  let v14: u64 = load<u64>(STATE, 112);
  let v15: u64 = load<u64>(STATE, 120);
  v3 += word15; v14 = rotr<u64>(v14 ^ v3, 16); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 63);
  let round: usize = SCHEDULE + SECOND_ROUND * ROUND;
  for (; round < SCHEDULE + LAST_ROUND * ROUND; round += ROUND) {
    v0 = v0 + load<u64>(round, 0) + v4; v12 = rotr<u64>(v12 ^ v0, 32); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 24);
    v0 = v0 + load<u64>(round, 8) + v4; v12 = rotr<u64>(v12 ^ v0, 16); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 63);
    v1 = v1 + load<u64>(round, 16) + v5; v13 = rotr<u64>(v13 ^ v1, 32); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 24);
    v1 = v1 + load<u64>(round, 24) + v5; v13 = rotr<u64>(v13 ^ v1, 16); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 63);
    v2 = v2 + load<u64>(round, 32) + v6; v14 = rotr<u64>(v14 ^ v2, 32); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 24);
    v2 = v2 + load<u64>(round, 40) + v6; v14 = rotr<u64>(v14 ^ v2, 16); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 63);
    v3 = v3 + load<u64>(round, 48) + v7; v15 = rotr<u64>(v15 ^ v3, 32); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 24);
    v3 = v3 + load<u64>(round, 56) + v7; v15 = rotr<u64>(v15 ^ v3, 16); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 63);
    v0 = v0 + load<u64>(round, 64) + v5; v15 = rotr<u64>(v15 ^ v0, 32); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 24);
    v0 = v0 + load<u64>(round, 72) + v5; v15 = rotr<u64>(v15 ^ v0, 16); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 63);
    v1 = v1 + load<u64>(round, 80) + v6; v12 = rotr<u64>(v12 ^ v1, 32); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 24);
    v1 = v1 + load<u64>(round, 88) + v6; v12 = rotr<u64>(v12 ^ v1, 16); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 63);
    v2 = v2 + load<u64>(round, 96) + v7; v13 = rotr<u64>(v13 ^ v2, 32); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 24);
    v2 = v2 + load<u64>(round, 104) + v7; v13 = rotr<u64>(v13 ^ v2, 16); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 63);
    v3 = v3 + load<u64>(round, 112) + v4; v14 = rotr<u64>(v14 ^ v3, 32); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 24);
    v3 = v3 + load<u64>(round, 120) + v4; v14 = rotr<u64>(v14 ^ v3, 16); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 63);
  }
  // The last round: only v0 and v8 are wanted. The same variable, so that it zips well.
  v0 = v0 + load<u64>(round, 0) + v4; v12 = rotr<u64>(v12 ^ v0, 32); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 24);
  v0 = v0 + load<u64>(round, 8) + v4; v12 = rotr<u64>(v12 ^ v0, 16); v8 += v12;
  v1 = v1 + load<u64>(round, 16) + v5; v13 = rotr<u64>(v13 ^ v1, 32); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 24);
  v1 = v1 + load<u64>(round, 24) + v5; v13 = rotr<u64>(v13 ^ v1, 16); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 63);
  v2 = v2 + load<u64>(round, 32) + v6; v14 = rotr<u64>(v14 ^ v2, 32); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 24);
  v2 = v2 + load<u64>(round, 40) + v6; v14 = rotr<u64>(v14 ^ v2, 16); v10 += v14;
  v3 = v3 + load<u64>(round, 48) + v7; v15 = rotr<u64>(v15 ^ v3, 32); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 24);
  v3 = v3 + load<u64>(round, 56) + v7; v15 = rotr<u64>(v15 ^ v3, 16); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 63);
  v0 = v0 + load<u64>(round, 64) + v5; v15 = rotr<u64>(v15 ^ v0, 32); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 24);
  v0 = v0 + load<u64>(round, 72) + v5;
  v2 = v2 + load<u64>(round, 96) + v7; v13 = rotr<u64>(v13 ^ v2, 32); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 24);
  v2 = v2 + load<u64>(round, 104) + v7; v13 = rotr<u64>(v13 ^ v2, 16); v8 += v13;
  return <u32>(H0 ^ v0 ^ v8);
}
