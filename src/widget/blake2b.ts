import { BLOCK_SIZE } from '../puzzle/check.ts';

/** What a search begins with, in 32-bit halves: v0 to v15, then 16 words for each of the rounds 1 to 11. */
export const STATE_SIZE = 32;
export const ROUND_SIZE = 32;
export const LAST_ROUND = STATE_SIZE + 10 * ROUND_SIZE;

/** Low half of h0: no key, 32 bytes of hash (RFC 7693 section 3.2). */
export const H0 = 0xf2bdc928;

/**
 * Does what all attempts have in common: round 0 up to word 15, which comes last in it, and the order of the words.
 *
 * @param block 128 bytes of `toBlock`
 * @param into halves of 64-bit words, low before high: `STATE_SIZE`, then 11 times `ROUND_SIZE` times `copies`
 * @param copies how often each word is written
 */
export function prepare(block: Uint8Array, into: Int32Array, copies: number): void {
  const view = new DataView(block.buffer, block.byteOffset, BLOCK_SIZE);
  const half = (index: number) => view.getInt32(4 * index, true);
  into.set(START);
  for (let i = 0; i < 16; i++) {
    // Four columns, then four diagonals; two words each.
    const place = (row: number) => 8 * row + 2 * (((i >> 1) + (i >> 3) * row) & 3);
    const isSecond = i % 2 > 0;
    add(into, place(0), into[place(1)] as number, into[place(1) + 1] as number);
    if (i === 15) break;
    add(into, place(0), half(2 * i), half(2 * i + 1));
    turn(into, place(3), place(0), isSecond ? 16 : 32);
    add(into, place(2), into[place(3)] as number, into[place(3) + 1] as number);
    turn(into, place(1), place(2), isSecond ? 63 : 24);
  }
  let to = STATE_SIZE;
  for (let i = 16; i < 12 * 16; i++) {
    for (let copy = 0; copy < copies; copy++) {
      into[to++] = half(2 * wordAt(i));
      into[to++] = half(2 * wordAt(i) + 1);
    }
  }
}

/** Which word comes where in the twelve rounds: 192 of them. */
export function wordAt(index: number): number {
  return SIGMA.charCodeAt(index % 160) - A;
}

function add(state: Int32Array, to: number, low: number, high: number): void {
  const sum = ((state[to] as number) >>> 0) + (low >>> 0);
  state[to] = sum;
  state[to + 1] = (state[to + 1] as number) + high + +(sum >= 2 ** 32);
}

/** XOR, then a rotation to the right. */
function turn(state: Int32Array, to: number, by: number, bits: number): void {
  const low = (state[to] as number) ^ (state[by] as number);
  const high = (state[to + 1] as number) ^ (state[by + 1] as number);
  const [from, over] = bits < 32 ? [low, high] : [high, low];
  // Shifts look at five bits of their number; so 32 goes in two.
  state[to] = (from >>> bits) | ((over << (31 - (bits % 32))) << 1);
  state[to + 1] = (over >>> bits) | ((from << (31 - (bits % 32))) << 1);
}

const A = 'a'.charCodeAt(0);

/** The order of the words in ten rounds, a letter each (RFC 7693 section 2.7); then it begins again. */
const SIGMA =
  'abcdefghijklmnop' +
  'okeijpngbmaclhfd' +
  'limafcpnkodghbje' +
  'hjdbnmlocgfkeapi' +
  'jafhcekpoblmgidn' +
  'cmgkalidenhfpobj' +
  'mfbponekahgdjcil' +
  'nlhombdjfapeigck' +
  'gpojldaimcnhbekf' +
  'kciehgbfpljodmna';

/**
 * v0 to v15 at the start, low half before high half (RFC 7693 sections 2.6 and 3.2): no key, 32 bytes of hash,
 * 128 bytes of input, last block.
 */
const START = [
  // h0 to h7
  ...[H0, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
  // IV0 to IV7, with the length and the last-block flag mixed in
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1 ^ BLOCK_SIZE, 0x510e527f, 0x2b3e6c1f, 0x9b05688c],
  ...[~0xfb41bd6b, ~0x1f83d9ab, 0x137e2179, 0x5be0cd19],
];
