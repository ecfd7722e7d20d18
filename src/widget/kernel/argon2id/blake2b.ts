// AssemblyScript. BLAKE2b without a key (RFC 7693), and the variable-length hash of argon2 (RFC 9106, section 3.3).

import { IV, SIGMA } from '../tables';
import { clear, copy, INPUT, STATE } from './layout';

const V: usize = STATE + 64;
const INPUT_BLOCK: usize = 128;

/**
 * Hashes the bytes at `INPUT`.
 *
 * @param size number of bytes, at least 1; the bytes up to the end of the last block of 128 must be zero
 * @param outputSize 1 to 64 bytes; the hash is at `STATE`
 */
export function hash(size: usize, outputSize: u32): void {
  copy(STATE, IV, 64);
  store<u64>(STATE, load<u64>(STATE) ^ (0x01010000 | <u64>outputSize));
  let at: usize = 0;
  for (; at + INPUT_BLOCK < size; at += INPUT_BLOCK) compress(INPUT + at, at + INPUT_BLOCK, 0);
  compress(INPUT + at, size, -1);
}

/** Hashes the bytes at `INPUT`, which begin with the output's size (u32), into 1024 bytes at `target`. Overwrites `INPUT`. */
export function hashToBlock(size: usize, target: usize): void {
  hash(size, 64);
  for (let i: usize = 0; i < 30; i++) {
    copy(target + 32 * i, STATE, 32);
    copy(INPUT, STATE, 64);
    clear(INPUT + 64, 64);
    hash(64, 64);
  }
  copy(target + 960, STATE, 64);
}

/** @param length number of bytes hashed so far @param last all bits set for the last block */
function compress(block: usize, length: u64, last: u64): void {
  copy(V, STATE, 64);
  copy(V + 64, IV, 64);
  store<u64>(V, load<u64>(V, 96) ^ length, 96);
  store<u64>(V, load<u64>(V, 112) ^ last, 112);
  for (let i: usize = 0; i < 192; i++) {
    const a = at(i, 0);
    const b = at(i, 1);
    const c = at(i, 2);
    const d = at(i, 3);
    const sum = load<u64>(a) + load<u64>(b) + load<u64>(block + 8 * wordAt(i % 160));
    store<u64>(a, sum);
    store<u64>(d, rotr<u64>(load<u64>(d) ^ sum, i & 1 ? 16 : 32));
    store<u64>(c, load<u64>(c) + load<u64>(d));
    store<u64>(b, rotr<u64>(load<u64>(b) ^ load<u64>(c), i & 1 ? 63 : 24));
  }
  for (let i: usize = 0; i < 64; i += 8) {
    store<u64>(STATE + i, load<u64>(STATE + i) ^ load<u64>(V + i) ^ load<u64>(V + 64 + i));
  }
}

/** Each round has four columns, then four diagonals; two words each. @returns the address of a word of the state */
function at(i: usize, row: usize): usize {
  return V + 32 * row + 8 * (((i >> 1) + ((i >> 3) & 1) * row) & 3);
}

function wordAt(position: usize): usize {
  return (load<u8>(SIGMA + (position >> 1)) >> (<u8>(position & 1) << 2)) & 15;
}
