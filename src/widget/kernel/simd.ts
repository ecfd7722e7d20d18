// AssemblyScript. The SIMD kernel: five counters at a time, two pairs (p and q) in vectors and one (v) in integers.
// More or fewer counters were slower in at least one engine; docs/explanation/performance.md has the measurements, including those of the
// order below: v, p, and q each compute half a round in turn, and the loop ends in the middle of the last round.

import { H0, POSITIONS, SCHEDULE, STATE } from './blake2b';

/** Bytes of a round in the schedule: 16 words with six copies each, for pair p, pair q, and v. The sixth copy is not used. */
const ROUND: usize = 768;

/** @see search. The last step may try counters beyond the range; it ignores their results. */
export function searchSimd(prefix: u32, start: u32, count: u32, threshold: u32): u32 {
  let attempt: u32 = 0;
  while (true) {
    const found = firstSolution(prefix, start + attempt, threshold);
    const left = count - attempt;
    if (found != 0 && found <= left) return attempt + found;
    if (left <= 5) break;
    attempt += 5;
  }
  return 0;
}

/** @returns the position of the first solution among five counters, 1 to 5; 0 if there is none */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function firstSolution(prefix: u32, counter: u32, threshold: u32): u32 {
  const wordP: v128 = pairOf(prefix, counter);
  const wordQ: v128 = pairOf(prefix, counter + 2);
  const wordV: u64 = wordOf(prefix, counter + 4);
  for (let i: usize = POSITIONS; i < POSITIONS + 44; i += 4) {
    const at: usize = load<u32>(i);
    v128.store(at, wordP); v128.store(at, wordQ, 16); store<u64>(at, wordV, 32);
  }
  let p0: v128 = v128.load64_splat(STATE, 0); let q0: v128 = p0; let v0: u64 = load<u64>(STATE, 0);
  let p1: v128 = v128.load64_splat(STATE, 8); let q1: v128 = p1; let v1: u64 = load<u64>(STATE, 8);
  let p2: v128 = v128.load64_splat(STATE, 16); let q2: v128 = p2; let v2: u64 = load<u64>(STATE, 16);
  let p3: v128 = v128.load64_splat(STATE, 24); let q3: v128 = p3; let v3: u64 = load<u64>(STATE, 24);
  let p4: v128 = v128.load64_splat(STATE, 32); let q4: v128 = p4; let v4: u64 = load<u64>(STATE, 32);
  let p5: v128 = v128.load64_splat(STATE, 40); let q5: v128 = p5; let v5: u64 = load<u64>(STATE, 40);
  let p6: v128 = v128.load64_splat(STATE, 48); let q6: v128 = p6; let v6: u64 = load<u64>(STATE, 48);
  let p7: v128 = v128.load64_splat(STATE, 56); let q7: v128 = p7; let v7: u64 = load<u64>(STATE, 56);
  let p8: v128 = v128.load64_splat(STATE, 64); let q8: v128 = p8; let v8: u64 = load<u64>(STATE, 64);
  let p9: v128 = v128.load64_splat(STATE, 72); let q9: v128 = p9; let v9: u64 = load<u64>(STATE, 72);
  let p10: v128 = v128.load64_splat(STATE, 80); let q10: v128 = p10; let v10: u64 = load<u64>(STATE, 80);
  let p11: v128 = v128.load64_splat(STATE, 88); let q11: v128 = p11; let v11: u64 = load<u64>(STATE, 88);
  let p12: v128 = v128.load64_splat(STATE, 96); let q12: v128 = p12; let v12: u64 = load<u64>(STATE, 96);
  let p13: v128 = v128.load64_splat(STATE, 104); let q13: v128 = p13; let v13: u64 = load<u64>(STATE, 104);
  let p14: v128 = v128.load64_splat(STATE, 112); let q14: v128 = p14; let v14: u64 = load<u64>(STATE, 112);
  let p15: v128 = v128.load64_splat(STATE, 120); let q15: v128 = p15; let v15: u64 = load<u64>(STATE, 120);
  p3 = i64x2.add(p3, wordP); p14 = rotr16(v128.xor(p14, p3)); p9 = i64x2.add(p9, p14); p4 = rotr63(v128.xor(p4, p9));
  q3 = i64x2.add(q3, wordQ); q14 = rotr16(v128.xor(q14, q3)); q9 = i64x2.add(q9, q14); q4 = rotr63(v128.xor(q4, q9));
  v3 += wordV; v14 = rotr<u64>(v14 ^ v3, 16); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 63);
  let round: usize = SCHEDULE;
  while (true) {
    v0 = v0 + load<u64>(round, 32) + v4; v12 = rotr<u64>(v12 ^ v0, 32); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 24);
    v0 = v0 + load<u64>(round, 80) + v4; v12 = rotr<u64>(v12 ^ v0, 16); v8 += v12; v4 = rotr<u64>(v4 ^ v8, 63);
    v1 = v1 + load<u64>(round, 128) + v5; v13 = rotr<u64>(v13 ^ v1, 32); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 24);
    v1 = v1 + load<u64>(round, 176) + v5; v13 = rotr<u64>(v13 ^ v1, 16); v9 += v13; v5 = rotr<u64>(v5 ^ v9, 63);
    v2 = v2 + load<u64>(round, 224) + v6; v14 = rotr<u64>(v14 ^ v2, 32); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 24);
    v2 = v2 + load<u64>(round, 272) + v6; v14 = rotr<u64>(v14 ^ v2, 16); v10 += v14; v6 = rotr<u64>(v6 ^ v10, 63);
    v3 = v3 + load<u64>(round, 320) + v7; v15 = rotr<u64>(v15 ^ v3, 32); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 24);
    v3 = v3 + load<u64>(round, 368) + v7; v15 = rotr<u64>(v15 ^ v3, 16); v11 += v15; v7 = rotr<u64>(v7 ^ v11, 63);
    p0 = i64x2.add(i64x2.add(p0, v128.load(round, 0)), p4); p12 = rotr32(v128.xor(p12, p0)); p8 = i64x2.add(p8, p12); p4 = rotr24(v128.xor(p4, p8));
    p0 = i64x2.add(i64x2.add(p0, v128.load(round, 48)), p4); p12 = rotr16(v128.xor(p12, p0)); p8 = i64x2.add(p8, p12); p4 = rotr63(v128.xor(p4, p8));
    p1 = i64x2.add(i64x2.add(p1, v128.load(round, 96)), p5); p13 = rotr32(v128.xor(p13, p1)); p9 = i64x2.add(p9, p13); p5 = rotr24(v128.xor(p5, p9));
    p1 = i64x2.add(i64x2.add(p1, v128.load(round, 144)), p5); p13 = rotr16(v128.xor(p13, p1)); p9 = i64x2.add(p9, p13); p5 = rotr63(v128.xor(p5, p9));
    p2 = i64x2.add(i64x2.add(p2, v128.load(round, 192)), p6); p14 = rotr32(v128.xor(p14, p2)); p10 = i64x2.add(p10, p14); p6 = rotr24(v128.xor(p6, p10));
    p2 = i64x2.add(i64x2.add(p2, v128.load(round, 240)), p6); p14 = rotr16(v128.xor(p14, p2)); p10 = i64x2.add(p10, p14); p6 = rotr63(v128.xor(p6, p10));
    p3 = i64x2.add(i64x2.add(p3, v128.load(round, 288)), p7); p15 = rotr32(v128.xor(p15, p3)); p11 = i64x2.add(p11, p15); p7 = rotr24(v128.xor(p7, p11));
    p3 = i64x2.add(i64x2.add(p3, v128.load(round, 336)), p7); p15 = rotr16(v128.xor(p15, p3)); p11 = i64x2.add(p11, p15); p7 = rotr63(v128.xor(p7, p11));
    q0 = i64x2.add(i64x2.add(q0, v128.load(round, 16)), q4); q12 = rotr32(v128.xor(q12, q0)); q8 = i64x2.add(q8, q12); q4 = rotr24(v128.xor(q4, q8));
    q0 = i64x2.add(i64x2.add(q0, v128.load(round, 64)), q4); q12 = rotr16(v128.xor(q12, q0)); q8 = i64x2.add(q8, q12); q4 = rotr63(v128.xor(q4, q8));
    q1 = i64x2.add(i64x2.add(q1, v128.load(round, 112)), q5); q13 = rotr32(v128.xor(q13, q1)); q9 = i64x2.add(q9, q13); q5 = rotr24(v128.xor(q5, q9));
    q1 = i64x2.add(i64x2.add(q1, v128.load(round, 160)), q5); q13 = rotr16(v128.xor(q13, q1)); q9 = i64x2.add(q9, q13); q5 = rotr63(v128.xor(q5, q9));
    q2 = i64x2.add(i64x2.add(q2, v128.load(round, 208)), q6); q14 = rotr32(v128.xor(q14, q2)); q10 = i64x2.add(q10, q14); q6 = rotr24(v128.xor(q6, q10));
    q2 = i64x2.add(i64x2.add(q2, v128.load(round, 256)), q6); q14 = rotr16(v128.xor(q14, q2)); q10 = i64x2.add(q10, q14); q6 = rotr63(v128.xor(q6, q10));
    q3 = i64x2.add(i64x2.add(q3, v128.load(round, 304)), q7); q15 = rotr32(v128.xor(q15, q3)); q11 = i64x2.add(q11, q15); q7 = rotr24(v128.xor(q7, q11));
    q3 = i64x2.add(i64x2.add(q3, v128.load(round, 352)), q7); q15 = rotr16(v128.xor(q15, q3)); q11 = i64x2.add(q11, q15); q7 = rotr63(v128.xor(q7, q11));
    if (round == SCHEDULE + 10 * ROUND) break;
    v0 = v0 + load<u64>(round, 416) + v5; v15 = rotr<u64>(v15 ^ v0, 32); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 24);
    v0 = v0 + load<u64>(round, 464) + v5; v15 = rotr<u64>(v15 ^ v0, 16); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 63);
    v1 = v1 + load<u64>(round, 512) + v6; v12 = rotr<u64>(v12 ^ v1, 32); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 24);
    v1 = v1 + load<u64>(round, 560) + v6; v12 = rotr<u64>(v12 ^ v1, 16); v11 += v12; v6 = rotr<u64>(v6 ^ v11, 63);
    v2 = v2 + load<u64>(round, 608) + v7; v13 = rotr<u64>(v13 ^ v2, 32); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 24);
    v2 = v2 + load<u64>(round, 656) + v7; v13 = rotr<u64>(v13 ^ v2, 16); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 63);
    v3 = v3 + load<u64>(round, 704) + v4; v14 = rotr<u64>(v14 ^ v3, 32); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 24);
    v3 = v3 + load<u64>(round, 752) + v4; v14 = rotr<u64>(v14 ^ v3, 16); v9 += v14; v4 = rotr<u64>(v4 ^ v9, 63);
    p0 = i64x2.add(i64x2.add(p0, v128.load(round, 384)), p5); p15 = rotr32(v128.xor(p15, p0)); p10 = i64x2.add(p10, p15); p5 = rotr24(v128.xor(p5, p10));
    p0 = i64x2.add(i64x2.add(p0, v128.load(round, 432)), p5); p15 = rotr16(v128.xor(p15, p0)); p10 = i64x2.add(p10, p15); p5 = rotr63(v128.xor(p5, p10));
    p1 = i64x2.add(i64x2.add(p1, v128.load(round, 480)), p6); p12 = rotr32(v128.xor(p12, p1)); p11 = i64x2.add(p11, p12); p6 = rotr24(v128.xor(p6, p11));
    p1 = i64x2.add(i64x2.add(p1, v128.load(round, 528)), p6); p12 = rotr16(v128.xor(p12, p1)); p11 = i64x2.add(p11, p12); p6 = rotr63(v128.xor(p6, p11));
    p2 = i64x2.add(i64x2.add(p2, v128.load(round, 576)), p7); p13 = rotr32(v128.xor(p13, p2)); p8 = i64x2.add(p8, p13); p7 = rotr24(v128.xor(p7, p8));
    p2 = i64x2.add(i64x2.add(p2, v128.load(round, 624)), p7); p13 = rotr16(v128.xor(p13, p2)); p8 = i64x2.add(p8, p13); p7 = rotr63(v128.xor(p7, p8));
    p3 = i64x2.add(i64x2.add(p3, v128.load(round, 672)), p4); p14 = rotr32(v128.xor(p14, p3)); p9 = i64x2.add(p9, p14); p4 = rotr24(v128.xor(p4, p9));
    p3 = i64x2.add(i64x2.add(p3, v128.load(round, 720)), p4); p14 = rotr16(v128.xor(p14, p3)); p9 = i64x2.add(p9, p14); p4 = rotr63(v128.xor(p4, p9));
    q0 = i64x2.add(i64x2.add(q0, v128.load(round, 400)), q5); q15 = rotr32(v128.xor(q15, q0)); q10 = i64x2.add(q10, q15); q5 = rotr24(v128.xor(q5, q10));
    q0 = i64x2.add(i64x2.add(q0, v128.load(round, 448)), q5); q15 = rotr16(v128.xor(q15, q0)); q10 = i64x2.add(q10, q15); q5 = rotr63(v128.xor(q5, q10));
    q1 = i64x2.add(i64x2.add(q1, v128.load(round, 496)), q6); q12 = rotr32(v128.xor(q12, q1)); q11 = i64x2.add(q11, q12); q6 = rotr24(v128.xor(q6, q11));
    q1 = i64x2.add(i64x2.add(q1, v128.load(round, 544)), q6); q12 = rotr16(v128.xor(q12, q1)); q11 = i64x2.add(q11, q12); q6 = rotr63(v128.xor(q6, q11));
    q2 = i64x2.add(i64x2.add(q2, v128.load(round, 592)), q7); q13 = rotr32(v128.xor(q13, q2)); q8 = i64x2.add(q8, q13); q7 = rotr24(v128.xor(q7, q8));
    q2 = i64x2.add(i64x2.add(q2, v128.load(round, 640)), q7); q13 = rotr16(v128.xor(q13, q2)); q8 = i64x2.add(q8, q13); q7 = rotr63(v128.xor(q7, q8));
    q3 = i64x2.add(i64x2.add(q3, v128.load(round, 688)), q4); q14 = rotr32(v128.xor(q14, q3)); q9 = i64x2.add(q9, q14); q4 = rotr24(v128.xor(q4, q9));
    q3 = i64x2.add(i64x2.add(q3, v128.load(round, 736)), q4); q14 = rotr16(v128.xor(q14, q3)); q9 = i64x2.add(q9, q14); q4 = rotr63(v128.xor(q4, q9));
    round += ROUND;
  }
  // Only the part of the last diagonals that v0 and v8 need. Reusing variables improves compression.
  v0 = v0 + load<u64>(round, 416) + v5; v15 = rotr<u64>(v15 ^ v0, 32); v10 += v15; v5 = rotr<u64>(v5 ^ v10, 24);
  p0 = i64x2.add(i64x2.add(p0, v128.load(round, 384)), p5); p15 = rotr32(v128.xor(p15, p0)); p10 = i64x2.add(p10, p15); p5 = rotr24(v128.xor(p5, p10));
  q0 = i64x2.add(i64x2.add(q0, v128.load(round, 400)), q5); q15 = rotr32(v128.xor(q15, q0)); q10 = i64x2.add(q10, q15); q5 = rotr24(v128.xor(q5, q10));
  v0 = v0 + load<u64>(round, 464) + v5;
  p0 = i64x2.add(i64x2.add(p0, v128.load(round, 432)), p5);
  q0 = i64x2.add(i64x2.add(q0, v128.load(round, 448)), q5);
  v2 = v2 + load<u64>(round, 608) + v7; v13 = rotr<u64>(v13 ^ v2, 32); v8 += v13; v7 = rotr<u64>(v7 ^ v8, 24);
  p2 = i64x2.add(i64x2.add(p2, v128.load(round, 576)), p7); p13 = rotr32(v128.xor(p13, p2)); p8 = i64x2.add(p8, p13); p7 = rotr24(v128.xor(p7, p8));
  q2 = i64x2.add(i64x2.add(q2, v128.load(round, 592)), q7); q13 = rotr32(v128.xor(q13, q2)); q8 = i64x2.add(q8, q13); q7 = rotr24(v128.xor(q7, q8));
  v2 = v2 + load<u64>(round, 656) + v7; v13 = rotr<u64>(v13 ^ v2, 16); v8 += v13;
  p2 = i64x2.add(i64x2.add(p2, v128.load(round, 624)), p7); p13 = rotr16(v128.xor(p13, p2)); p8 = i64x2.add(p8, p13);
  q2 = i64x2.add(i64x2.add(q2, v128.load(round, 640)), q7); q13 = rotr16(v128.xor(q13, q2)); q8 = i64x2.add(q8, q13);
  const hashesP: v128 = v128.xor(p0, p8);
  const hashesQ: v128 = v128.xor(q0, q8);
  if (isSolution(i32x4.extract_lane(hashesP, 0), threshold)) return 1;
  if (isSolution(i32x4.extract_lane(hashesP, 2), threshold)) return 2;
  if (isSolution(i32x4.extract_lane(hashesQ, 0), threshold)) return 3;
  if (isSolution(i32x4.extract_lane(hashesQ, 2), threshold)) return 4;
  return isSolution(<i32>(v0 ^ v8), threshold) ? 5 : 0;
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function isSolution(hash: i32, threshold: u32): bool {
  return (H0 ^ <u32>hash) <= threshold;
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function wordOf(prefix: u32, counter: u32): u64 {
  return (<u64>counter << 32) | <u64>prefix;
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function pairOf(prefix: u32, counter: u32): v128 {
  return i64x2.replace_lane(i64x2.splat(wordOf(prefix, counter)), 1, wordOf(prefix, counter + 1));
}

// Swizzles for rotations by 24 and 16: 12.9 MH/s in JavaScriptCore and 15.8 in V8, compared with 8.4 and 13.7 for shifts.

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function rotr32(x: v128): v128 {
  return v128.shuffle<u32>(x, x, 1, 0, 3, 2);
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function rotr24(x: v128): v128 {
  return v128.swizzle(x, i8x16(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10));
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function rotr16(x: v128): v128 {
  return v128.swizzle(x, i8x16(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9));
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function rotr63(x: v128): v128 {
  return v128.or(i64x2.add(x, x), i64x2.shr_u(x, 63));
}
