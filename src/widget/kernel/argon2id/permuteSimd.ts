// AssemblyScript. The permutation P of argon2 (RFC 9106, section 3.6) with SIMD: four rows or columns in vectors of two words (a to d),
// and four in integers (s0 to s15), because processors execute both kinds of instructions in parallel. docs/project/experiments.md has
// the measurements of other variants.

import { rotr16, rotr24, rotr32, rotr63 } from '../blake2b';
import { ROWS, SUM } from './layout';
import { mix } from './permuteScalar';

/** Computes the rows of the sum of two blocks. */
export function permuteRowsSimd(x: usize, y: usize): void {
  let a0: v128, a1: v128, b0: v128, b1: v128, c0: v128, c1: v128, d0: v128, d1: v128, t: v128;
  let s0: u64, s1: u64, s2: u64, s3: u64, s4: u64, s5: u64, s6: u64, s7: u64;
  let s8: u64, s9: u64, s10: u64, s11: u64, s12: u64, s13: u64, s14: u64, s15: u64;
  for (let at: usize = 0; at != 512; at += 128) {
    a0 = v128.xor(v128.load(x + at, 0), v128.load(y + at, 0)); v128.store(SUM + at, a0, 0);
    s0 = load<u64>(x + at, 512) ^ load<u64>(y + at, 512); store<u64>(SUM + at, s0, 512);
    a1 = v128.xor(v128.load(x + at, 16), v128.load(y + at, 16)); v128.store(SUM + at, a1, 16);
    s1 = load<u64>(x + at, 520) ^ load<u64>(y + at, 520); store<u64>(SUM + at, s1, 520);
    b0 = v128.xor(v128.load(x + at, 32), v128.load(y + at, 32)); v128.store(SUM + at, b0, 32);
    s2 = load<u64>(x + at, 528) ^ load<u64>(y + at, 528); store<u64>(SUM + at, s2, 528);
    s3 = load<u64>(x + at, 536) ^ load<u64>(y + at, 536); store<u64>(SUM + at, s3, 536);
    b1 = v128.xor(v128.load(x + at, 48), v128.load(y + at, 48)); v128.store(SUM + at, b1, 48);
    s4 = load<u64>(x + at, 544) ^ load<u64>(y + at, 544); store<u64>(SUM + at, s4, 544);
    c0 = v128.xor(v128.load(x + at, 64), v128.load(y + at, 64)); v128.store(SUM + at, c0, 64);
    s5 = load<u64>(x + at, 552) ^ load<u64>(y + at, 552); store<u64>(SUM + at, s5, 552);
    c1 = v128.xor(v128.load(x + at, 80), v128.load(y + at, 80)); v128.store(SUM + at, c1, 80);
    s6 = load<u64>(x + at, 560) ^ load<u64>(y + at, 560); store<u64>(SUM + at, s6, 560);
    s7 = load<u64>(x + at, 568) ^ load<u64>(y + at, 568); store<u64>(SUM + at, s7, 568);
    d0 = v128.xor(v128.load(x + at, 96), v128.load(y + at, 96)); v128.store(SUM + at, d0, 96);
    s8 = load<u64>(x + at, 576) ^ load<u64>(y + at, 576); store<u64>(SUM + at, s8, 576);
    d1 = v128.xor(v128.load(x + at, 112), v128.load(y + at, 112)); v128.store(SUM + at, d1, 112);
    s9 = load<u64>(x + at, 584) ^ load<u64>(y + at, 584); store<u64>(SUM + at, s9, 584);
    a0 = mixPairs(a0, b0); a1 = mixPairs(a1, b1);
    s10 = load<u64>(x + at, 592) ^ load<u64>(y + at, 592); store<u64>(SUM + at, s10, 592);
    s11 = load<u64>(x + at, 600) ^ load<u64>(y + at, 600); store<u64>(SUM + at, s11, 600);
    d0 = rotr32(v128.xor(d0, a0)); d1 = rotr32(v128.xor(d1, a1));
    s12 = load<u64>(x + at, 608) ^ load<u64>(y + at, 608); store<u64>(SUM + at, s12, 608);
    c0 = mixPairs(c0, d0); c1 = mixPairs(c1, d1);
    s13 = load<u64>(x + at, 616) ^ load<u64>(y + at, 616); store<u64>(SUM + at, s13, 616);
    b0 = rotr24(v128.xor(b0, c0)); b1 = rotr24(v128.xor(b1, c1));
    s14 = load<u64>(x + at, 624) ^ load<u64>(y + at, 624); store<u64>(SUM + at, s14, 624);
    s15 = load<u64>(x + at, 632) ^ load<u64>(y + at, 632); store<u64>(SUM + at, s15, 632);
    a0 = mixPairs(a0, b0); a1 = mixPairs(a1, b1);
    s0 = mix(s0, s4); s12 = rotr<u64>(s12 ^ s0, 32); s8 = mix(s8, s12); s4 = rotr<u64>(s4 ^ s8, 24);
    d0 = rotr16(v128.xor(d0, a0)); d1 = rotr16(v128.xor(d1, a1));
    s0 = mix(s0, s4); s12 = rotr<u64>(s12 ^ s0, 16); s8 = mix(s8, s12); s4 = rotr<u64>(s4 ^ s8, 63);
    c0 = mixPairs(c0, d0); c1 = mixPairs(c1, d1);
    s1 = mix(s1, s5); s13 = rotr<u64>(s13 ^ s1, 32); s9 = mix(s9, s13); s5 = rotr<u64>(s5 ^ s9, 24);
    s1 = mix(s1, s5); s13 = rotr<u64>(s13 ^ s1, 16); s9 = mix(s9, s13); s5 = rotr<u64>(s5 ^ s9, 63);
    b0 = rotr63(v128.xor(b0, c0)); b1 = rotr63(v128.xor(b1, c1));
    s2 = mix(s2, s6); s14 = rotr<u64>(s14 ^ s2, 32); s10 = mix(s10, s14); s6 = rotr<u64>(s6 ^ s10, 24);
    t = v128.shuffle<u64>(b0, b1, 1, 2); b1 = v128.shuffle<u64>(b1, b0, 1, 2); b0 = t;
    s2 = mix(s2, s6); s14 = rotr<u64>(s14 ^ s2, 16); s10 = mix(s10, s14); s6 = rotr<u64>(s6 ^ s10, 63);
    t = v128.shuffle<u64>(d1, d0, 1, 2); d1 = v128.shuffle<u64>(d0, d1, 1, 2); d0 = t;
    s3 = mix(s3, s7); s15 = rotr<u64>(s15 ^ s3, 32); s11 = mix(s11, s15); s7 = rotr<u64>(s7 ^ s11, 24);
    s3 = mix(s3, s7); s15 = rotr<u64>(s15 ^ s3, 16); s11 = mix(s11, s15); s7 = rotr<u64>(s7 ^ s11, 63);
    a0 = mixPairs(a0, b0); a1 = mixPairs(a1, b1);
    s0 = mix(s0, s5); s15 = rotr<u64>(s15 ^ s0, 32); s10 = mix(s10, s15); s5 = rotr<u64>(s5 ^ s10, 24);
    d0 = rotr32(v128.xor(d0, a0)); d1 = rotr32(v128.xor(d1, a1));
    s0 = mix(s0, s5); s15 = rotr<u64>(s15 ^ s0, 16); s10 = mix(s10, s15); s5 = rotr<u64>(s5 ^ s10, 63);
    c1 = mixPairs(c1, d0); c0 = mixPairs(c0, d1);
    s1 = mix(s1, s6); s12 = rotr<u64>(s12 ^ s1, 32); s11 = mix(s11, s12); s6 = rotr<u64>(s6 ^ s11, 24);
    s1 = mix(s1, s6); s12 = rotr<u64>(s12 ^ s1, 16); s11 = mix(s11, s12); s6 = rotr<u64>(s6 ^ s11, 63);
    b0 = rotr24(v128.xor(b0, c1)); b1 = rotr24(v128.xor(b1, c0));
    s2 = mix(s2, s7); s13 = rotr<u64>(s13 ^ s2, 32); s8 = mix(s8, s13); s7 = rotr<u64>(s7 ^ s8, 24);
    a0 = mixPairs(a0, b0); a1 = mixPairs(a1, b1);
    s2 = mix(s2, s7); s13 = rotr<u64>(s13 ^ s2, 16); s8 = mix(s8, s13); s7 = rotr<u64>(s7 ^ s8, 63);
    d0 = rotr16(v128.xor(d0, a0)); d1 = rotr16(v128.xor(d1, a1));
    s3 = mix(s3, s4); s14 = rotr<u64>(s14 ^ s3, 32); s9 = mix(s9, s14); s4 = rotr<u64>(s4 ^ s9, 24);
    s3 = mix(s3, s4); s14 = rotr<u64>(s14 ^ s3, 16); s9 = mix(s9, s14); s4 = rotr<u64>(s4 ^ s9, 63);
    c1 = mixPairs(c1, d0); c0 = mixPairs(c0, d1);
    store<u64>(ROWS + at, s0, 512);
    b0 = rotr63(v128.xor(b0, c1)); b1 = rotr63(v128.xor(b1, c0));
    store<u64>(ROWS + at, s1, 520);
    t = v128.shuffle<u64>(b1, b0, 1, 2); b1 = v128.shuffle<u64>(b0, b1, 1, 2); b0 = t;
    store<u64>(ROWS + at, s2, 528);
    store<u64>(ROWS + at, s3, 536);
    t = v128.shuffle<u64>(d0, d1, 1, 2); d1 = v128.shuffle<u64>(d1, d0, 1, 2); d0 = t;
    store<u64>(ROWS + at, s4, 544);
    v128.store(ROWS + at, a0, 0);
    store<u64>(ROWS + at, s5, 552);
    v128.store(ROWS + at, a1, 16);
    store<u64>(ROWS + at, s6, 560);
    store<u64>(ROWS + at, s7, 568);
    v128.store(ROWS + at, b0, 32);
    store<u64>(ROWS + at, s8, 576);
    v128.store(ROWS + at, b1, 48);
    store<u64>(ROWS + at, s9, 584);
    v128.store(ROWS + at, c0, 64);
    store<u64>(ROWS + at, s10, 592);
    store<u64>(ROWS + at, s11, 600);
    v128.store(ROWS + at, c1, 80);
    store<u64>(ROWS + at, s12, 608);
    v128.store(ROWS + at, d0, 96);
    store<u64>(ROWS + at, s13, 616);
    v128.store(ROWS + at, d1, 112);
    store<u64>(ROWS + at, s14, 624);
    store<u64>(ROWS + at, s15, 632);
  }
}

/** Computes the columns from `at` to `end`, multiples of 16 up to 64, and those 64 bytes further, and adds the sum. */
export function permuteColumnsSimd(target: usize, at: usize, end: usize): void {
  let a0: v128, a1: v128, b0: v128, b1: v128, c0: v128, c1: v128, d0: v128, d1: v128, t: v128;
  let s0: u64, s1: u64, s2: u64, s3: u64, s4: u64, s5: u64, s6: u64, s7: u64;
  let s8: u64, s9: u64, s10: u64, s11: u64, s12: u64, s13: u64, s14: u64, s15: u64;
  for (; at != end; at += 16) {
    a0 = v128.load(ROWS + at, 0);
    s0 = load<u64>(ROWS + at, 64);
    a1 = v128.load(ROWS + at, 128);
    s1 = load<u64>(ROWS + at, 72);
    b0 = v128.load(ROWS + at, 256);
    s2 = load<u64>(ROWS + at, 192);
    s3 = load<u64>(ROWS + at, 200);
    b1 = v128.load(ROWS + at, 384);
    s4 = load<u64>(ROWS + at, 320);
    c0 = v128.load(ROWS + at, 512);
    s5 = load<u64>(ROWS + at, 328);
    c1 = v128.load(ROWS + at, 640);
    s6 = load<u64>(ROWS + at, 448);
    s7 = load<u64>(ROWS + at, 456);
    d0 = v128.load(ROWS + at, 768);
    s8 = load<u64>(ROWS + at, 576);
    d1 = v128.load(ROWS + at, 896);
    s9 = load<u64>(ROWS + at, 584);
    a0 = mixPairs(a0, b0); a1 = mixPairs(a1, b1);
    s10 = load<u64>(ROWS + at, 704);
    s11 = load<u64>(ROWS + at, 712);
    d0 = rotr32(v128.xor(d0, a0)); d1 = rotr32(v128.xor(d1, a1));
    s12 = load<u64>(ROWS + at, 832);
    c0 = mixPairs(c0, d0); c1 = mixPairs(c1, d1);
    s13 = load<u64>(ROWS + at, 840);
    b0 = rotr24(v128.xor(b0, c0)); b1 = rotr24(v128.xor(b1, c1));
    s14 = load<u64>(ROWS + at, 960);
    s15 = load<u64>(ROWS + at, 968);
    a0 = mixPairs(a0, b0); a1 = mixPairs(a1, b1);
    s0 = mix(s0, s4); s12 = rotr<u64>(s12 ^ s0, 32); s8 = mix(s8, s12); s4 = rotr<u64>(s4 ^ s8, 24);
    d0 = rotr16(v128.xor(d0, a0)); d1 = rotr16(v128.xor(d1, a1));
    s0 = mix(s0, s4); s12 = rotr<u64>(s12 ^ s0, 16); s8 = mix(s8, s12); s4 = rotr<u64>(s4 ^ s8, 63);
    c0 = mixPairs(c0, d0); c1 = mixPairs(c1, d1);
    s1 = mix(s1, s5); s13 = rotr<u64>(s13 ^ s1, 32); s9 = mix(s9, s13); s5 = rotr<u64>(s5 ^ s9, 24);
    s1 = mix(s1, s5); s13 = rotr<u64>(s13 ^ s1, 16); s9 = mix(s9, s13); s5 = rotr<u64>(s5 ^ s9, 63);
    b0 = rotr63(v128.xor(b0, c0)); b1 = rotr63(v128.xor(b1, c1));
    s2 = mix(s2, s6); s14 = rotr<u64>(s14 ^ s2, 32); s10 = mix(s10, s14); s6 = rotr<u64>(s6 ^ s10, 24);
    t = v128.shuffle<u64>(b0, b1, 1, 2); b1 = v128.shuffle<u64>(b1, b0, 1, 2); b0 = t;
    s2 = mix(s2, s6); s14 = rotr<u64>(s14 ^ s2, 16); s10 = mix(s10, s14); s6 = rotr<u64>(s6 ^ s10, 63);
    t = v128.shuffle<u64>(d1, d0, 1, 2); d1 = v128.shuffle<u64>(d0, d1, 1, 2); d0 = t;
    s3 = mix(s3, s7); s15 = rotr<u64>(s15 ^ s3, 32); s11 = mix(s11, s15); s7 = rotr<u64>(s7 ^ s11, 24);
    s3 = mix(s3, s7); s15 = rotr<u64>(s15 ^ s3, 16); s11 = mix(s11, s15); s7 = rotr<u64>(s7 ^ s11, 63);
    a0 = mixPairs(a0, b0); a1 = mixPairs(a1, b1);
    s0 = mix(s0, s5); s15 = rotr<u64>(s15 ^ s0, 32); s10 = mix(s10, s15); s5 = rotr<u64>(s5 ^ s10, 24);
    d0 = rotr32(v128.xor(d0, a0)); d1 = rotr32(v128.xor(d1, a1));
    s0 = mix(s0, s5); s15 = rotr<u64>(s15 ^ s0, 16); s10 = mix(s10, s15); s5 = rotr<u64>(s5 ^ s10, 63);
    c1 = mixPairs(c1, d0); c0 = mixPairs(c0, d1);
    s1 = mix(s1, s6); s12 = rotr<u64>(s12 ^ s1, 32); s11 = mix(s11, s12); s6 = rotr<u64>(s6 ^ s11, 24);
    s1 = mix(s1, s6); s12 = rotr<u64>(s12 ^ s1, 16); s11 = mix(s11, s12); s6 = rotr<u64>(s6 ^ s11, 63);
    b0 = rotr24(v128.xor(b0, c1)); b1 = rotr24(v128.xor(b1, c0));
    s2 = mix(s2, s7); s13 = rotr<u64>(s13 ^ s2, 32); s8 = mix(s8, s13); s7 = rotr<u64>(s7 ^ s8, 24);
    a0 = mixPairs(a0, b0); a1 = mixPairs(a1, b1);
    s2 = mix(s2, s7); s13 = rotr<u64>(s13 ^ s2, 16); s8 = mix(s8, s13); s7 = rotr<u64>(s7 ^ s8, 63);
    d0 = rotr16(v128.xor(d0, a0)); d1 = rotr16(v128.xor(d1, a1));
    s3 = mix(s3, s4); s14 = rotr<u64>(s14 ^ s3, 32); s9 = mix(s9, s14); s4 = rotr<u64>(s4 ^ s9, 24);
    s3 = mix(s3, s4); s14 = rotr<u64>(s14 ^ s3, 16); s9 = mix(s9, s14); s4 = rotr<u64>(s4 ^ s9, 63);
    c1 = mixPairs(c1, d0); c0 = mixPairs(c0, d1);
    store<u64>(target + at, s0 ^ load<u64>(SUM + at, 64), 64);
    b0 = rotr63(v128.xor(b0, c1)); b1 = rotr63(v128.xor(b1, c0));
    store<u64>(target + at, s1 ^ load<u64>(SUM + at, 72), 72);
    t = v128.shuffle<u64>(b1, b0, 1, 2); b1 = v128.shuffle<u64>(b0, b1, 1, 2); b0 = t;
    store<u64>(target + at, s2 ^ load<u64>(SUM + at, 192), 192);
    store<u64>(target + at, s3 ^ load<u64>(SUM + at, 200), 200);
    t = v128.shuffle<u64>(d0, d1, 1, 2); d1 = v128.shuffle<u64>(d1, d0, 1, 2); d0 = t;
    store<u64>(target + at, s4 ^ load<u64>(SUM + at, 320), 320);
    v128.store(target + at, v128.xor(a0, v128.load(SUM + at, 0)), 0);
    store<u64>(target + at, s5 ^ load<u64>(SUM + at, 328), 328);
    v128.store(target + at, v128.xor(a1, v128.load(SUM + at, 128)), 128);
    store<u64>(target + at, s6 ^ load<u64>(SUM + at, 448), 448);
    store<u64>(target + at, s7 ^ load<u64>(SUM + at, 456), 456);
    v128.store(target + at, v128.xor(b0, v128.load(SUM + at, 256)), 256);
    store<u64>(target + at, s8 ^ load<u64>(SUM + at, 576), 576);
    v128.store(target + at, v128.xor(b1, v128.load(SUM + at, 384)), 384);
    store<u64>(target + at, s9 ^ load<u64>(SUM + at, 584), 584);
    v128.store(target + at, v128.xor(c0, v128.load(SUM + at, 512)), 512);
    store<u64>(target + at, s10 ^ load<u64>(SUM + at, 704), 704);
    store<u64>(target + at, s11 ^ load<u64>(SUM + at, 712), 712);
    v128.store(target + at, v128.xor(c1, v128.load(SUM + at, 640)), 640);
    store<u64>(target + at, s12 ^ load<u64>(SUM + at, 832), 832);
    v128.store(target + at, v128.xor(d0, v128.load(SUM + at, 768)), 768);
    store<u64>(target + at, s13 ^ load<u64>(SUM + at, 840), 840);
    v128.store(target + at, v128.xor(d1, v128.load(SUM + at, 896)), 896);
    store<u64>(target + at, s14 ^ load<u64>(SUM + at, 960), 960);
    store<u64>(target + at, s15 ^ load<u64>(SUM + at, 968), 968);
  }
}

/** @returns for each pair of words, a + b + 2 times the product of their low halves */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
function mixPairs(a: v128, b: v128): v128 {
  const product = i64x2.extmul_low_i32x4_u(v128.shuffle<u32>(a, a, 0, 2, 0, 2), v128.shuffle<u32>(b, b, 0, 2, 0, 2));
  return i64x2.add(i64x2.add(a, b), i64x2.add(product, product));
}
