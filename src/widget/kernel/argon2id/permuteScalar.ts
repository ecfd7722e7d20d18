// AssemblyScript. The permutation P of argon2 (RFC 9106, section 3.6) without SIMD.

import { BLOCK_SIZE, ROWS, SUM } from './layout';

/** The multiplication of argon2 (RFC 9106, section 3.6). @returns a + b + 2 times the product of their low halves */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function mix(a: u64, b: u64): u64 {
  return a + b + (((a & 0xffffffff) * (b & 0xffffffff)) << 1);
}

/** Computes the rows of the sum of two blocks. */
export function permuteRowsScalar(x: usize, y: usize): void {
  for (let at: usize = 0; at != BLOCK_SIZE; at += 128) {
    let s0 = load<u64>(x + at) ^ load<u64>(y + at); store<u64>(SUM + at, s0);
    let s1 = load<u64>(x + at, 8) ^ load<u64>(y + at, 8); store<u64>(SUM + at, s1, 8);
    let s2 = load<u64>(x + at, 16) ^ load<u64>(y + at, 16); store<u64>(SUM + at, s2, 16);
    let s3 = load<u64>(x + at, 24) ^ load<u64>(y + at, 24); store<u64>(SUM + at, s3, 24);
    let s4 = load<u64>(x + at, 32) ^ load<u64>(y + at, 32); store<u64>(SUM + at, s4, 32);
    let s5 = load<u64>(x + at, 40) ^ load<u64>(y + at, 40); store<u64>(SUM + at, s5, 40);
    let s6 = load<u64>(x + at, 48) ^ load<u64>(y + at, 48); store<u64>(SUM + at, s6, 48);
    let s7 = load<u64>(x + at, 56) ^ load<u64>(y + at, 56); store<u64>(SUM + at, s7, 56);
    let s8 = load<u64>(x + at, 64) ^ load<u64>(y + at, 64); store<u64>(SUM + at, s8, 64);
    let s9 = load<u64>(x + at, 72) ^ load<u64>(y + at, 72); store<u64>(SUM + at, s9, 72);
    let s10 = load<u64>(x + at, 80) ^ load<u64>(y + at, 80); store<u64>(SUM + at, s10, 80);
    let s11 = load<u64>(x + at, 88) ^ load<u64>(y + at, 88); store<u64>(SUM + at, s11, 88);
    let s12 = load<u64>(x + at, 96) ^ load<u64>(y + at, 96); store<u64>(SUM + at, s12, 96);
    let s13 = load<u64>(x + at, 104) ^ load<u64>(y + at, 104); store<u64>(SUM + at, s13, 104);
    let s14 = load<u64>(x + at, 112) ^ load<u64>(y + at, 112); store<u64>(SUM + at, s14, 112);
    let s15 = load<u64>(x + at, 120) ^ load<u64>(y + at, 120); store<u64>(SUM + at, s15, 120);
    s0 = mix(s0, s4); s12 = rotr<u64>(s12 ^ s0, 32); s8 = mix(s8, s12); s4 = rotr<u64>(s4 ^ s8, 24);
    s0 = mix(s0, s4); s12 = rotr<u64>(s12 ^ s0, 16); s8 = mix(s8, s12); s4 = rotr<u64>(s4 ^ s8, 63);
    s1 = mix(s1, s5); s13 = rotr<u64>(s13 ^ s1, 32); s9 = mix(s9, s13); s5 = rotr<u64>(s5 ^ s9, 24);
    s1 = mix(s1, s5); s13 = rotr<u64>(s13 ^ s1, 16); s9 = mix(s9, s13); s5 = rotr<u64>(s5 ^ s9, 63);
    s2 = mix(s2, s6); s14 = rotr<u64>(s14 ^ s2, 32); s10 = mix(s10, s14); s6 = rotr<u64>(s6 ^ s10, 24);
    s2 = mix(s2, s6); s14 = rotr<u64>(s14 ^ s2, 16); s10 = mix(s10, s14); s6 = rotr<u64>(s6 ^ s10, 63);
    s3 = mix(s3, s7); s15 = rotr<u64>(s15 ^ s3, 32); s11 = mix(s11, s15); s7 = rotr<u64>(s7 ^ s11, 24);
    s3 = mix(s3, s7); s15 = rotr<u64>(s15 ^ s3, 16); s11 = mix(s11, s15); s7 = rotr<u64>(s7 ^ s11, 63);
    s0 = mix(s0, s5); s15 = rotr<u64>(s15 ^ s0, 32); s10 = mix(s10, s15); s5 = rotr<u64>(s5 ^ s10, 24);
    s0 = mix(s0, s5); s15 = rotr<u64>(s15 ^ s0, 16); s10 = mix(s10, s15); s5 = rotr<u64>(s5 ^ s10, 63);
    s1 = mix(s1, s6); s12 = rotr<u64>(s12 ^ s1, 32); s11 = mix(s11, s12); s6 = rotr<u64>(s6 ^ s11, 24);
    s1 = mix(s1, s6); s12 = rotr<u64>(s12 ^ s1, 16); s11 = mix(s11, s12); s6 = rotr<u64>(s6 ^ s11, 63);
    s2 = mix(s2, s7); s13 = rotr<u64>(s13 ^ s2, 32); s8 = mix(s8, s13); s7 = rotr<u64>(s7 ^ s8, 24);
    s2 = mix(s2, s7); s13 = rotr<u64>(s13 ^ s2, 16); s8 = mix(s8, s13); s7 = rotr<u64>(s7 ^ s8, 63);
    s3 = mix(s3, s4); s14 = rotr<u64>(s14 ^ s3, 32); s9 = mix(s9, s14); s4 = rotr<u64>(s4 ^ s9, 24);
    s3 = mix(s3, s4); s14 = rotr<u64>(s14 ^ s3, 16); s9 = mix(s9, s14); s4 = rotr<u64>(s4 ^ s9, 63);
    store<u64>(ROWS + at, s0);
    store<u64>(ROWS + at, s1, 8);
    store<u64>(ROWS + at, s2, 16);
    store<u64>(ROWS + at, s3, 24);
    store<u64>(ROWS + at, s4, 32);
    store<u64>(ROWS + at, s5, 40);
    store<u64>(ROWS + at, s6, 48);
    store<u64>(ROWS + at, s7, 56);
    store<u64>(ROWS + at, s8, 64);
    store<u64>(ROWS + at, s9, 72);
    store<u64>(ROWS + at, s10, 80);
    store<u64>(ROWS + at, s11, 88);
    store<u64>(ROWS + at, s12, 96);
    store<u64>(ROWS + at, s13, 104);
    store<u64>(ROWS + at, s14, 112);
    store<u64>(ROWS + at, s15, 120);
  }
}

/** Computes the columns from `at` to `end`, multiples of 16 up to 64, and those 64 bytes further, and adds the sum. */
export function permuteColumnsScalar(target: usize, at: usize, end: usize): void {
  for (; at != end; at += 16) {
    permuteColumn(target, at);
    permuteColumn(target, at + 64);
  }
}

function permuteColumn(target: usize, at: usize): void {
  let s0 = load<u64>(ROWS + at);
  let s1 = load<u64>(ROWS + at, 8);
  let s2 = load<u64>(ROWS + at, 128);
  let s3 = load<u64>(ROWS + at, 136);
  let s4 = load<u64>(ROWS + at, 256);
  let s5 = load<u64>(ROWS + at, 264);
  let s6 = load<u64>(ROWS + at, 384);
  let s7 = load<u64>(ROWS + at, 392);
  let s8 = load<u64>(ROWS + at, 512);
  let s9 = load<u64>(ROWS + at, 520);
  let s10 = load<u64>(ROWS + at, 640);
  let s11 = load<u64>(ROWS + at, 648);
  let s12 = load<u64>(ROWS + at, 768);
  let s13 = load<u64>(ROWS + at, 776);
  let s14 = load<u64>(ROWS + at, 896);
  let s15 = load<u64>(ROWS + at, 904);
  s0 = mix(s0, s4); s12 = rotr<u64>(s12 ^ s0, 32); s8 = mix(s8, s12); s4 = rotr<u64>(s4 ^ s8, 24);
  s0 = mix(s0, s4); s12 = rotr<u64>(s12 ^ s0, 16); s8 = mix(s8, s12); s4 = rotr<u64>(s4 ^ s8, 63);
  s1 = mix(s1, s5); s13 = rotr<u64>(s13 ^ s1, 32); s9 = mix(s9, s13); s5 = rotr<u64>(s5 ^ s9, 24);
  s1 = mix(s1, s5); s13 = rotr<u64>(s13 ^ s1, 16); s9 = mix(s9, s13); s5 = rotr<u64>(s5 ^ s9, 63);
  s2 = mix(s2, s6); s14 = rotr<u64>(s14 ^ s2, 32); s10 = mix(s10, s14); s6 = rotr<u64>(s6 ^ s10, 24);
  s2 = mix(s2, s6); s14 = rotr<u64>(s14 ^ s2, 16); s10 = mix(s10, s14); s6 = rotr<u64>(s6 ^ s10, 63);
  s3 = mix(s3, s7); s15 = rotr<u64>(s15 ^ s3, 32); s11 = mix(s11, s15); s7 = rotr<u64>(s7 ^ s11, 24);
  s3 = mix(s3, s7); s15 = rotr<u64>(s15 ^ s3, 16); s11 = mix(s11, s15); s7 = rotr<u64>(s7 ^ s11, 63);
  s0 = mix(s0, s5); s15 = rotr<u64>(s15 ^ s0, 32); s10 = mix(s10, s15); s5 = rotr<u64>(s5 ^ s10, 24);
  s0 = mix(s0, s5); s15 = rotr<u64>(s15 ^ s0, 16); s10 = mix(s10, s15); s5 = rotr<u64>(s5 ^ s10, 63);
  s1 = mix(s1, s6); s12 = rotr<u64>(s12 ^ s1, 32); s11 = mix(s11, s12); s6 = rotr<u64>(s6 ^ s11, 24);
  s1 = mix(s1, s6); s12 = rotr<u64>(s12 ^ s1, 16); s11 = mix(s11, s12); s6 = rotr<u64>(s6 ^ s11, 63);
  s2 = mix(s2, s7); s13 = rotr<u64>(s13 ^ s2, 32); s8 = mix(s8, s13); s7 = rotr<u64>(s7 ^ s8, 24);
  s2 = mix(s2, s7); s13 = rotr<u64>(s13 ^ s2, 16); s8 = mix(s8, s13); s7 = rotr<u64>(s7 ^ s8, 63);
  s3 = mix(s3, s4); s14 = rotr<u64>(s14 ^ s3, 32); s9 = mix(s9, s14); s4 = rotr<u64>(s4 ^ s9, 24);
  s3 = mix(s3, s4); s14 = rotr<u64>(s14 ^ s3, 16); s9 = mix(s9, s14); s4 = rotr<u64>(s4 ^ s9, 63);
  store<u64>(target + at, s0 ^ load<u64>(SUM + at));
  store<u64>(target + at, s1 ^ load<u64>(SUM + at, 8), 8);
  store<u64>(target + at, s2 ^ load<u64>(SUM + at, 128), 128);
  store<u64>(target + at, s3 ^ load<u64>(SUM + at, 136), 136);
  store<u64>(target + at, s4 ^ load<u64>(SUM + at, 256), 256);
  store<u64>(target + at, s5 ^ load<u64>(SUM + at, 264), 264);
  store<u64>(target + at, s6 ^ load<u64>(SUM + at, 384), 384);
  store<u64>(target + at, s7 ^ load<u64>(SUM + at, 392), 392);
  store<u64>(target + at, s8 ^ load<u64>(SUM + at, 512), 512);
  store<u64>(target + at, s9 ^ load<u64>(SUM + at, 520), 520);
  store<u64>(target + at, s10 ^ load<u64>(SUM + at, 640), 640);
  store<u64>(target + at, s11 ^ load<u64>(SUM + at, 648), 648);
  store<u64>(target + at, s12 ^ load<u64>(SUM + at, 768), 768);
  store<u64>(target + at, s13 ^ load<u64>(SUM + at, 776), 776);
  store<u64>(target + at, s14 ^ load<u64>(SUM + at, 896), 896);
  store<u64>(target + at, s15 ^ load<u64>(SUM + at, 904), 904);
}
