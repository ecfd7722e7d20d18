import { readFileSync } from 'node:fs';
import kernelFile from '../../static/check.wasm' with { type: 'file' };
import { allMeetThreshold, BLOCK_SIZE, type CheckSolutions, type Hash } from '../puzzle/check.ts';
import { SOLUTION_SIZE } from '../puzzle/solution.ts';

/** Bun requires an output buffer for the longest hash, even if the hash is shorter. */
const DIGEST_BUFFER_BYTES = 64;

/** BLAKE2b-256 (RFC 7693). The next call overwrites the result. */
export function createBlake2b(): Hash {
  const out = new Uint8Array(DIGEST_BUFFER_BYTES);
  return (block) => {
    Bun.CryptoHasher.hash('blake2b256', block, out);
    return out;
  };
}

/** The exports of `src/widget/kernel/check.ts`. */
type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** @param count 0 to 255 @returns 1 if all solutions meet the threshold, otherwise 0 */
  check(count: number, threshold: number): number;
};

/** Addresses in the kernel's memory. */
const BLOCK = 0;
const SOLUTIONS = BLOCK + BLOCK_SIZE;

/**
 * Creates the check of the solutions of BLAKE2b puzzles. It computes all hashes of a puzzle in one call of a WebAssembly kernel with
 * SIMD: 1.4 µs for 16 solutions, compared with 3.1 µs for native hashes (docs/project/experiments.md). The first call opens the
 * kernel, which takes 1 ms. The kernel has 64 KiB of memory.
 *
 * On x64 processors without AVX, WebAssembly does not support SIMD, so the check uses native hashes.
 */
export function createBlake2bCheck(): CheckSolutions {
  // Opened at the first call: opening kernels at startup takes 3.7 ms of processor time (best of 30 starts).
  let check: CheckSolutions | undefined;
  return (solutions, block, threshold) => {
    check ??= openCheck();
    return check(solutions, block, threshold);
  };
}

function openCheck(): CheckSolutions {
  const kernel = readFileSync(kernelFile);
  if (!WebAssembly.validate(kernel)) return createNativeCheck();
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(kernel));
  const { memory, check } = exports as unknown as Exports;
  const bytes = new Uint8Array(memory.buffer);
  return (solutions, block, threshold) => {
    bytes.set(block, BLOCK);
    bytes.set(solutions, SOLUTIONS);
    return check(solutions.length / SOLUTION_SIZE, threshold) === 1;
  };
}

function createNativeCheck(): CheckSolutions {
  const hash = createBlake2b();
  return (solutions, block, threshold) => allMeetThreshold(solutions, block, threshold, hash);
}
