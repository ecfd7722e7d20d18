// AssemblyScript. argon2id (RFC 9106) of a puzzle and a solution, in steps, so that the caller can handle messages between them: 16 MiB,
// one pass, one lane, a tag of 32 bytes. Compiled twice: with and without SIMD.

import { hash, hashToBlock } from './blake2b';
import { fillBlocks, prepareReferences } from './fill';
import { BLOCK_COUNT, BLOCK_SIZE, BLOCKS, clear, copy, INPUT, PASSWORD, SEED, STATE } from './layout';

const PASSWORD_SIZE: u32 = 128;
const SALT_SIZE: u32 = 16;
const TAG_SIZE: u32 = 32;

/** To be called once, before all others. */
export function prepare(): void {
  prepareReferences();
}

/**
 * Computes the first two blocks (RFC 9106, section 3.2). The caller has written the puzzle, 128 bytes, to address 16384.
 *
 * @param prefix bytes 0 to 3 of the solution, little-endian
 * @param counter bytes 4 to 7
 */
export function start(prefix: u32, counter: u32): void {
  store<u32>(PASSWORD, prefix, 120);
  store<u32>(PASSWORD, counter, 124);
  clear(INPUT, 256);
  // One lane, version 1.3, argon2id.
  store<u32>(INPUT, 1);
  store<u32>(INPUT, TAG_SIZE, 4);
  store<u32>(INPUT, BLOCK_COUNT, 8);
  store<u32>(INPUT, 1, 12);
  store<u32>(INPUT, 0x13, 16);
  store<u32>(INPUT, 2, 20);
  store<u32>(INPUT, PASSWORD_SIZE, 24);
  copy(INPUT + 28, PASSWORD, PASSWORD_SIZE);
  store<u32>(INPUT, SALT_SIZE, 156);
  copy(INPUT + 160, PASSWORD, SALT_SIZE);
  // The key and the associated data are empty; their lengths are zero.
  hash(184, 64);
  copy(SEED, STATE, 64);
  for (let index: u32 = 0; index < 2; index++) {
    clear(INPUT, 128);
    store<u32>(INPUT, <u32>BLOCK_SIZE);
    copy(INPUT + 4, SEED, 64);
    store<u32>(INPUT, index, 68);
    hashToBlock(76, BLOCKS + <usize>index * BLOCK_SIZE);
  }
}

/** Computes the blocks from `index` to `end`. All calls together cover 2 to 16384, in this order. */
export function fill(index: u32, end: u32): void {
  fillBlocks(index, end);
}

/** @returns the first four bytes of the tag, little-endian */
export function finish(): u32 {
  clear(INPUT, 1152);
  store<u32>(INPUT, TAG_SIZE);
  copy(INPUT + 4, BLOCKS + <usize>(BLOCK_COUNT - 1) * BLOCK_SIZE, BLOCK_SIZE);
  hash(4 + BLOCK_SIZE, TAG_SIZE);
  return load<u32>(STATE);
}
