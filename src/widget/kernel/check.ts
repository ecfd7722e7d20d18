// AssemblyScript. The server's check of the solutions of a puzzle: one BLAKE2b-256 compression of a 128-byte block for each solution. The
// solution is word 15 of the block. Four solutions are hashed at a time, in two vectors (p and q).
// docs/project/experiments.md has the measurements of other variants.

import { H0, rotr16, rotr24, rotr32, rotr63 } from './blake2b';

/** The block and the solutions, which the caller writes: up to 255 solutions of 8 bytes. */
const BLOCK: usize = 0;
const SOLUTIONS: usize = 128;

/** The words of the block for p and for q: 16 vectors each, with the same word or, in word 15, a different solution in each half. */
const P_WORDS: usize = 4096;
const Q_WORDS: usize = 4352;
const WORD_15: usize = 240;

/** RFC 7693, section 2.6. */
const IV0: u64 = 0x6a09e667f3bcc908;
const IV1: u64 = 0xbb67ae8584caa73b;
const IV2: u64 = 0x3c6ef372fe94f82b;
const IV3: u64 = 0xa54ff53a5f1d36f1;
const IV4: u64 = 0x510e527fade682d1;
const IV5: u64 = 0x9b05688c2b3e6c1f;
const IV6: u64 = 0x1f83d9abfb41bd6b;
const IV7: u64 = 0x5be0cd19137e2179;

/** No key, a hash of 32 bytes (RFC 7693, section 2.5). */
const PARAMETERS: u64 = 0x01010020;

/** The offsets of the words' vectors in the order of the twelve rounds (RFC 7693, section 2.7). */
// biome-ignore format: a table
const ORDER: usize = memory.data<u8>([
  0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xa0, 0xb0, 0xc0, 0xd0, 0xe0, 0xf0,
  0xe0, 0xa0, 0x40, 0x80, 0x90, 0xf0, 0xd0, 0x60, 0x10, 0xc0, 0x00, 0x20, 0xb0, 0x70, 0x50, 0x30,
  0xb0, 0x80, 0xc0, 0x00, 0x50, 0x20, 0xf0, 0xd0, 0xa0, 0xe0, 0x30, 0x60, 0x70, 0x10, 0x90, 0x40,
  0x70, 0x90, 0x30, 0x10, 0xd0, 0xc0, 0xb0, 0xe0, 0x20, 0x60, 0x50, 0xa0, 0x40, 0x00, 0xf0, 0x80,
  0x90, 0x00, 0x50, 0x70, 0x20, 0x40, 0xa0, 0xf0, 0xe0, 0x10, 0xb0, 0xc0, 0x60, 0x80, 0x30, 0xd0,
  0x20, 0xc0, 0x60, 0xa0, 0x00, 0xb0, 0x80, 0x30, 0x40, 0xd0, 0x70, 0x50, 0xf0, 0xe0, 0x10, 0x90,
  0xc0, 0x50, 0x10, 0xf0, 0xe0, 0xd0, 0x40, 0xa0, 0x00, 0x70, 0x60, 0x30, 0x90, 0x20, 0x80, 0xb0,
  0xd0, 0xb0, 0x70, 0xe0, 0xc0, 0x10, 0x30, 0x90, 0x50, 0x00, 0xf0, 0x40, 0x80, 0x60, 0x20, 0xa0,
  0x60, 0xf0, 0xe0, 0x90, 0xb0, 0x30, 0x00, 0x80, 0xc0, 0x20, 0xd0, 0x70, 0x10, 0x40, 0xa0, 0x50,
  0xa0, 0x20, 0x80, 0x40, 0x70, 0x60, 0x10, 0x50, 0xf0, 0xb0, 0x90, 0xe0, 0x30, 0xc0, 0xd0, 0x00,
  0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xa0, 0xb0, 0xc0, 0xd0, 0xe0, 0xf0,
  0xe0, 0xa0, 0x40, 0x80, 0x90, 0xf0, 0xd0, 0x60, 0x10, 0xc0, 0x00, 0x20, 0xb0, 0x70, 0x50, 0x30,
]);
const ROUND_SIZE: usize = 16;
const ORDER_END: usize = ORDER + 12 * ROUND_SIZE;

/**
 * Checks `count` solutions, 0 to 255.
 *
 * @param threshold maximum of the first four bytes of the hash
 * @returns whether the hash of every solution is at most the threshold; stops after the first four solutions that include a larger hash
 */
export function check(count: u32, threshold: u32): bool {
  const end = SOLUTIONS + 8 * <usize>count;
  fillLastFour(end);
  writeWords();
  for (let at = SOLUTIONS; at < end; at += 32) {
    v128.store(P_WORDS, v128.load(at), WORD_15);
    v128.store(Q_WORDS, v128.load(at, 16), WORD_15);
    let p0 = i64x2.splat(IV0 ^ PARAMETERS);
    let p1 = i64x2.splat(IV1);
    let p2 = i64x2.splat(IV2);
    let p3 = i64x2.splat(IV3);
    let p4 = i64x2.splat(IV4);
    let p5 = i64x2.splat(IV5);
    let p6 = i64x2.splat(IV6);
    let p7 = i64x2.splat(IV7);
    let p8 = i64x2.splat(IV0);
    let p9 = i64x2.splat(IV1);
    let p10 = i64x2.splat(IV2);
    let p11 = i64x2.splat(IV3);
    let p12 = i64x2.splat(IV4 ^ 128);
    let p13 = i64x2.splat(IV5);
    let p14 = i64x2.splat(~IV6);
    let p15 = i64x2.splat(IV7);
    let q0 = i64x2.splat(IV0 ^ PARAMETERS);
    let q1 = i64x2.splat(IV1);
    let q2 = i64x2.splat(IV2);
    let q3 = i64x2.splat(IV3);
    let q4 = i64x2.splat(IV4);
    let q5 = i64x2.splat(IV5);
    let q6 = i64x2.splat(IV6);
    let q7 = i64x2.splat(IV7);
    let q8 = i64x2.splat(IV0);
    let q9 = i64x2.splat(IV1);
    let q10 = i64x2.splat(IV2);
    let q11 = i64x2.splat(IV3);
    let q12 = i64x2.splat(IV4 ^ 128);
    let q13 = i64x2.splat(IV5);
    let q14 = i64x2.splat(~IV6);
    let q15 = i64x2.splat(IV7);
    for (let round = ORDER; round != ORDER_END; round += ROUND_SIZE) {
      const word0: usize = load<u8>(round, 0);
      const word1: usize = load<u8>(round, 1);
      const word2: usize = load<u8>(round, 2);
      const word3: usize = load<u8>(round, 3);
      const word4: usize = load<u8>(round, 4);
      const word5: usize = load<u8>(round, 5);
      const word6: usize = load<u8>(round, 6);
      const word7: usize = load<u8>(round, 7);
      p0 = add(p0, v128.load(word0, P_WORDS), p4); p12 = rotr32(v128.xor(p12, p0)); p8 = i64x2.add(p8, p12); p4 = rotr24(v128.xor(p4, p8));
      p0 = add(p0, v128.load(word1, P_WORDS), p4); p12 = rotr16(v128.xor(p12, p0)); p8 = i64x2.add(p8, p12); p4 = rotr63(v128.xor(p4, p8));
      p1 = add(p1, v128.load(word2, P_WORDS), p5); p13 = rotr32(v128.xor(p13, p1)); p9 = i64x2.add(p9, p13); p5 = rotr24(v128.xor(p5, p9));
      p1 = add(p1, v128.load(word3, P_WORDS), p5); p13 = rotr16(v128.xor(p13, p1)); p9 = i64x2.add(p9, p13); p5 = rotr63(v128.xor(p5, p9));
      p2 = add(p2, v128.load(word4, P_WORDS), p6); p14 = rotr32(v128.xor(p14, p2)); p10 = i64x2.add(p10, p14); p6 = rotr24(v128.xor(p6, p10));
      p2 = add(p2, v128.load(word5, P_WORDS), p6); p14 = rotr16(v128.xor(p14, p2)); p10 = i64x2.add(p10, p14); p6 = rotr63(v128.xor(p6, p10));
      p3 = add(p3, v128.load(word6, P_WORDS), p7); p15 = rotr32(v128.xor(p15, p3)); p11 = i64x2.add(p11, p15); p7 = rotr24(v128.xor(p7, p11));
      p3 = add(p3, v128.load(word7, P_WORDS), p7); p15 = rotr16(v128.xor(p15, p3)); p11 = i64x2.add(p11, p15); p7 = rotr63(v128.xor(p7, p11));
      q0 = add(q0, v128.load(word0, Q_WORDS), q4); q12 = rotr32(v128.xor(q12, q0)); q8 = i64x2.add(q8, q12); q4 = rotr24(v128.xor(q4, q8));
      q0 = add(q0, v128.load(word1, Q_WORDS), q4); q12 = rotr16(v128.xor(q12, q0)); q8 = i64x2.add(q8, q12); q4 = rotr63(v128.xor(q4, q8));
      q1 = add(q1, v128.load(word2, Q_WORDS), q5); q13 = rotr32(v128.xor(q13, q1)); q9 = i64x2.add(q9, q13); q5 = rotr24(v128.xor(q5, q9));
      q1 = add(q1, v128.load(word3, Q_WORDS), q5); q13 = rotr16(v128.xor(q13, q1)); q9 = i64x2.add(q9, q13); q5 = rotr63(v128.xor(q5, q9));
      q2 = add(q2, v128.load(word4, Q_WORDS), q6); q14 = rotr32(v128.xor(q14, q2)); q10 = i64x2.add(q10, q14); q6 = rotr24(v128.xor(q6, q10));
      q2 = add(q2, v128.load(word5, Q_WORDS), q6); q14 = rotr16(v128.xor(q14, q2)); q10 = i64x2.add(q10, q14); q6 = rotr63(v128.xor(q6, q10));
      q3 = add(q3, v128.load(word6, Q_WORDS), q7); q15 = rotr32(v128.xor(q15, q3)); q11 = i64x2.add(q11, q15); q7 = rotr24(v128.xor(q7, q11));
      q3 = add(q3, v128.load(word7, Q_WORDS), q7); q15 = rotr16(v128.xor(q15, q3)); q11 = i64x2.add(q11, q15); q7 = rotr63(v128.xor(q7, q11));
      const word8: usize = load<u8>(round, 8);
      const word9: usize = load<u8>(round, 9);
      const word10: usize = load<u8>(round, 10);
      const word11: usize = load<u8>(round, 11);
      const word12: usize = load<u8>(round, 12);
      const word13: usize = load<u8>(round, 13);
      const word14: usize = load<u8>(round, 14);
      const word15: usize = load<u8>(round, 15);
      p0 = add(p0, v128.load(word8, P_WORDS), p5); p15 = rotr32(v128.xor(p15, p0)); p10 = i64x2.add(p10, p15); p5 = rotr24(v128.xor(p5, p10));
      p0 = add(p0, v128.load(word9, P_WORDS), p5); p15 = rotr16(v128.xor(p15, p0)); p10 = i64x2.add(p10, p15); p5 = rotr63(v128.xor(p5, p10));
      p1 = add(p1, v128.load(word10, P_WORDS), p6); p12 = rotr32(v128.xor(p12, p1)); p11 = i64x2.add(p11, p12); p6 = rotr24(v128.xor(p6, p11));
      p1 = add(p1, v128.load(word11, P_WORDS), p6); p12 = rotr16(v128.xor(p12, p1)); p11 = i64x2.add(p11, p12); p6 = rotr63(v128.xor(p6, p11));
      p2 = add(p2, v128.load(word12, P_WORDS), p7); p13 = rotr32(v128.xor(p13, p2)); p8 = i64x2.add(p8, p13); p7 = rotr24(v128.xor(p7, p8));
      p2 = add(p2, v128.load(word13, P_WORDS), p7); p13 = rotr16(v128.xor(p13, p2)); p8 = i64x2.add(p8, p13); p7 = rotr63(v128.xor(p7, p8));
      p3 = add(p3, v128.load(word14, P_WORDS), p4); p14 = rotr32(v128.xor(p14, p3)); p9 = i64x2.add(p9, p14); p4 = rotr24(v128.xor(p4, p9));
      p3 = add(p3, v128.load(word15, P_WORDS), p4); p14 = rotr16(v128.xor(p14, p3)); p9 = i64x2.add(p9, p14); p4 = rotr63(v128.xor(p4, p9));
      q0 = add(q0, v128.load(word8, Q_WORDS), q5); q15 = rotr32(v128.xor(q15, q0)); q10 = i64x2.add(q10, q15); q5 = rotr24(v128.xor(q5, q10));
      q0 = add(q0, v128.load(word9, Q_WORDS), q5); q15 = rotr16(v128.xor(q15, q0)); q10 = i64x2.add(q10, q15); q5 = rotr63(v128.xor(q5, q10));
      q1 = add(q1, v128.load(word10, Q_WORDS), q6); q12 = rotr32(v128.xor(q12, q1)); q11 = i64x2.add(q11, q12); q6 = rotr24(v128.xor(q6, q11));
      q1 = add(q1, v128.load(word11, Q_WORDS), q6); q12 = rotr16(v128.xor(q12, q1)); q11 = i64x2.add(q11, q12); q6 = rotr63(v128.xor(q6, q11));
      q2 = add(q2, v128.load(word12, Q_WORDS), q7); q13 = rotr32(v128.xor(q13, q2)); q8 = i64x2.add(q8, q13); q7 = rotr24(v128.xor(q7, q8));
      q2 = add(q2, v128.load(word13, Q_WORDS), q7); q13 = rotr16(v128.xor(q13, q2)); q8 = i64x2.add(q8, q13); q7 = rotr63(v128.xor(q7, q8));
      q3 = add(q3, v128.load(word14, Q_WORDS), q4); q14 = rotr32(v128.xor(q14, q3)); q9 = i64x2.add(q9, q14); q4 = rotr24(v128.xor(q4, q9));
      q3 = add(q3, v128.load(word15, Q_WORDS), q4); q14 = rotr16(v128.xor(q14, q3)); q9 = i64x2.add(q9, q14); q4 = rotr63(v128.xor(q4, q9));
    }
    if (isAbove(v128.xor(p0, p8), threshold) || isAbove(v128.xor(q0, q8), threshold)) return false;
  }
  return true;
}

/** Writes the first solution three times after the last one, so that the last group of four is complete. */
function fillLastFour(end: usize): void {
  const first = load<u64>(SOLUTIONS);
  store<u64>(end, first, 0);
  store<u64>(end, first, 8);
  store<u64>(end, first, 16);
}

/** Writes words 0 to 14. */
function writeWords(): void {
  for (let i: usize = 0; i < 120; i += 8) {
    const word = v128.load64_splat(BLOCK + i);
    v128.store(P_WORDS + 2 * i, word);
    v128.store(Q_WORDS + 2 * i, word);
  }
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function add(x: v128, y: v128, z: v128): v128 {
  return i64x2.add(i64x2.add(x, y), z);
}

/** @param sums v0 ^ v8 of two hashes @returns whether one of the hashes is above the threshold */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function isAbove(sums: v128, threshold: u32): bool {
  return (H0 ^ <u32>i32x4.extract_lane(sums, 0)) > threshold || (H0 ^ <u32>i32x4.extract_lane(sums, 2)) > threshold;
}
