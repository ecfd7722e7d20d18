import { BLOCK_SIZE } from '../puzzle/check.ts';

/** The input of a search, in 32-bit halves: v0 to v15, then 16 words for each of the rounds 1 to 11. */
export const STATE_SIZE = 32;
export const ROUND_SIZE = 32;
export const LAST_ROUND = STATE_SIZE + 10 * ROUND_SIZE;

/** Low half of h0 without a key and with a hash of 32 bytes (RFC 7693, section 3.2). */
export const H0 = 0xf2bdc928;

/**
 * Computes the part of a BLAKE2b compression that all attempts share: round 0 up to word 15, and the order of the words.
 *
 * @param block 128 bytes from `toBlock`
 * @param into receives halves of 64-bit words, low before high: `STATE_SIZE`, then 11 times `ROUND_SIZE` times `copies`
 * @param copies number of times that each word is written
 */
export function prepare(block: Uint8Array, into: Int32Array, copies: number): void {
  const view = new DataView(block.buffer, block.byteOffset, BLOCK_SIZE);
  const half = (index: number) => view.getInt32(4 * index, true);
  into.set(START);
  for (let i = 0; i < 15; i++) mix(into, i, half(2 * i), half(2 * i + 1));
  // v3 and v4, before word 15.
  add(into, 6, into[8] as number, into[9] as number);
  let to = STATE_SIZE;
  for (let i = 16; i < 12 * 16; i++) {
    for (let copy = 0; copy < copies; copy++) {
      into[to++] = half(2 * wordAt(i));
      into[to++] = half(2 * wordAt(i) + 1);
    }
  }
}

/**
 * Hashes a block (RFC 7693, section 3.3).
 *
 * @param block 128 bytes
 * @returns the 32 bytes of the hash as eight i32, little-endian
 */
export function hash256(block: Uint8Array): Int32Array {
  const view = new DataView(block.buffer, block.byteOffset, BLOCK_SIZE);
  const state = Int32Array.from(START);
  for (let i = 0; i < 12 * 16; i++) {
    const word = 8 * wordAt(i);
    mix(state, i % 16, view.getInt32(word, true), view.getInt32(word + 4, true));
  }
  return state.slice(0, 8).map((half, i) => half ^ (state[i + 16] as number) ^ (START[i] as number));
}

/** Adds a word in a round. @param i 0..15, position of the word: four columns, then four diagonals; two words each */
function mix(state: Int32Array, i: number, low: number, high: number): void {
  const at = (row: number) => 8 * row + 2 * (((i >> 1) + (i >> 3) * row) & 3);
  const isSecond = i % 2 > 0;
  add(state, at(0), state[at(1)] as number, state[at(1) + 1] as number);
  add(state, at(0), low, high);
  xorRotate(state, at(3), at(0), isSecond ? 16 : 32);
  add(state, at(2), state[at(3)] as number, state[at(3) + 1] as number);
  xorRotate(state, at(1), at(2), isSecond ? 63 : 24);
}

/** Adds to a 64-bit word. @param to index of its low half */
export function add(state: Int32Array, to: number, low: number, high: number): void {
  const sum = ((state[to] as number) >>> 0) + (low >>> 0);
  state[to] = sum;
  state[to + 1] = (state[to + 1] as number) + high + +(sum >= 2 ** 32);
}

/** XOR, then a rotation to the right. */
function xorRotate(state: Int32Array, to: number, by: number, bits: number): void {
  state[to] = (state[to] as number) ^ (state[by] as number);
  state[to + 1] = (state[to + 1] as number) ^ (state[by + 1] as number);
  rotate(state, to, bits);
}

/** Rotates a 64-bit word to the right. @param to index of its low half @param bits 1..63 */
export function rotate(state: Int32Array, to: number, bits: number): void {
  const [low, high] = [state[to] as number, state[to + 1] as number];
  const [from, over] = bits < 32 ? [low, high] : [high, low];
  // Shifts use five bits of their operand, so 32 takes two shifts.
  state[to] = (from >>> bits) | ((over << (31 - (bits % 32))) << 1);
  state[to + 1] = (over >>> bits) | ((from << (31 - (bits % 32))) << 1);
}

/**
 * Initial v0 to v15, low half before high half (RFC 7693, sections 2.6 and 3.2): no key, a hash of 32 bytes, 128 bytes of input,
 * last block.
 */
const START = [
  // h0 to h7
  ...[H0, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
  // IV0 to IV7, combined with the length and the last-block flag
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1 ^ BLOCK_SIZE, 0x510e527f, 0x2b3e6c1f, 0x9b05688c],
  ...[~0xfb41bd6b, ~0x1f83d9ab, 0x137e2179, 0x5be0cd19],
];

/** @param index 0..191, position in the twelve rounds @returns the number of the word, 0..15 */
export function wordAt(index: number): number {
  return SIGMA.indexOf(SIGMA[index % 160] as string);
}

/**
 * The order of the words in ten rounds, one letter per word (RFC 7693, section 2.7). Rounds 10 and 11 repeat the first two. Round 0 has the
 * words in order, so the first position of a letter is its word. These letters are the most frequent ones in the script, so that it
 * compresses well.
 */
const SIGMA =
  'etnroaislcudpmhf' +
  'huolcfmitpendsar' +
  'dlpeanfmuhristco' +
  'scrtmpdhniauoefl' +
  'ceasnoufhtdpilrm' +
  'npiuedlromsafhtc' +
  'patfhmouesircnld' +
  'mdshptrcaefolinu' +
  'ifhcdrelpnmstoua' +
  'unlositafdchrpme';
