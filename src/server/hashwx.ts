import { readFileSync } from 'node:fs';
import kernelFile from '../../static/hashwx.wasm' with { type: 'file' };
import type { CheckSolutions } from '../puzzle/check.ts';
import { checkHashwxSolutions, type Hashwx } from '../puzzle/hashwx.ts';
import { createBlake2b } from './blake2b.ts';

/** The exports of `src/widget/kernel/hashwx/hash.ts`. */
type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer };
  generate(): void;
  /** @returns the upper half of the hash, as an i32 */
  hash(nonceLow: number, nonceHigh: number): number;
};

/** Addresses in the kernel's memory. */
const SEED = 0;
const RESULT = 32;

const SEED_SIZE = 32;

/** HashWX with nonces of 64 bits and the complete hash. */
export type CompleteHashwx = Hashwx & {
  /** @param nonce 0..2^64 - 1 @returns the complete hash, u64 */
  readonly completeHash: (nonce: bigint) => bigint;
};

/**
 * Opens the WebAssembly kernel, which takes 1 ms and has 64 KiB of memory. It interprets the programs: compiling them takes longer than a
 * thousand hashes.
 */
export function createHashwx(): CompleteHashwx {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(kernelFile)));
  const { memory, generate, hash } = exports as unknown as Exports;
  const seedBytes = new Uint8Array(memory.buffer, SEED, SEED_SIZE);
  const view = new DataView(memory.buffer);
  return {
    generate(seed) {
      for (let i = 0; i < SEED_SIZE; i++) seedBytes[i] = seed[i] as number;
      generate();
    },
    hash: (nonce) => hash(nonce, 0) >>> 0,
    completeHash(nonce) {
      hash(Number(nonce & 0xffff_ffffn), Number(nonce >> 32n));
      return view.getBigUint64(RESULT, true);
    },
  };
}

/**
 * Creates the check of the solutions of HashWX puzzles, for which `checkHashwxIndexes` returns `valid`. The first call opens the kernel.
 */
export function createHashwxCheck(): CheckSolutions {
  const hash = createBlake2b();
  let hashwx: Hashwx | undefined;
  return (solutions, block, threshold) => {
    hashwx ??= createHashwx();
    return checkHashwxSolutions(solutions, block, threshold, hash, hashwx);
  };
}
