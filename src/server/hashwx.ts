import { readFileSync } from 'node:fs';
import kernelFile from '../../static/hashwx.wasm' with { type: 'file' };
import type { Awaitable } from '../lib/awaitable.ts';
import { lazyAsync } from '../lib/lazy.ts';
import { pacer } from '../lib/pacer.ts';
import { BLOCK_SIZE, type CheckSolutions } from '../puzzle/check.ts';
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
  return toHashwx(new WebAssembly.Instance(new WebAssembly.Module(readFileSync(kernelFile))));
}

function toHashwx({ exports }: WebAssembly.Instance): CompleteHashwx {
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

/** The number of solutions after which the engine has replaced the interpreted kernel with optimized code. */
const WARM_UP_SOLUTIONS = 16;
/** The greatest possible hash. */
const ANY_HASH = 0xffffffff;

/**
 * @returns a function that returns the check of the solutions of HashWX puzzles for which `checkHashwxIndexes` returns `valid`. The first
 *   call opens the kernel: another thread compiles it, and then it runs in steps of less than 1 ms, between which this thread handles
 *   requests. Opening it at once and checking a payload would block the thread for 2 to 5 ms; opening it at the start of each thread would
 *   cost a server without HashWX 8.5 MB.
 */
export function createHashwxCheck(): () => Awaitable<CheckSolutions> {
  const hash = createBlake2b();
  let opened: CheckSolutions | undefined;
  const open = lazyAsync(async () => {
    const { instance } = await WebAssembly.instantiate(readFileSync(kernelFile));
    const hashwx = toHashwx(instance);
    hashwx.generate(new Uint8Array(SEED_SIZE));
    const check: CheckSolutions = (...work) => checkHashwxSolutions(...work, hash, hashwx);
    const block = new Uint8Array(BLOCK_SIZE);
    for (let nonce = 0; nonce < WARM_UP_SOLUTIONS; nonce++) {
      await pacer.turn('urgent');
      check(Uint8Array.of(0, 0, nonce, 0, 0, 0, 0, 0), block, ANY_HASH);
    }
    await pacer.turn('urgent');
    opened = check;
    return check;
  });
  return () => opened ?? open();
}
