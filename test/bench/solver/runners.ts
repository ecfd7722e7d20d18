import { blake2b } from '@noble/hashes/blake2.js';
import blakejs from 'blakejs';
import { createBLAKE2b } from 'hash-wasm';
import { createSimdSolver } from '../../../src/widget/simdSolver.ts';
import { createPlainSolver, createWasmSolver, type Solver } from '../../../src/widget/solver.ts';

/** The implementations that the solver benchmark compares, in Bun and in browsers. */

export type Runner = {
  readonly name: string;
  /** The result of the solver's `search` with prefix 1 and start 0. */
  attempts(count: number, threshold: number): number;
  /** Hashes for about this long. @returns millions of hashes per second */
  rate(milliseconds: number): number;
};

/** @param kernel the kernel without SIMD */
export async function openRunners(block: Uint8Array, kernel: Uint8Array<ArrayBuffer>) {
  const hasher = await createBLAKE2b(256);
  return [
    solverRunner('SIMD', await createSimdSolver(), block),
    solverRunner('scalar', await createWasmSolver(kernel), block),
    solverRunner('JavaScript', createPlainSolver(), block),
    hashRunner('hash-wasm', (data) => hasher.init().update(data).digest('binary'), block),
    hashRunner('@noble/hashes', (data) => blake2b(data, { dkLen: 32 }), block),
    hashRunner('blakejs', (data) => blakejs.blake2b(data, undefined, 32), block),
  ];
}

function solverRunner(name: string, solver: Solver, block: Uint8Array): Runner {
  solver.load(block);
  return createRunner(name, (start, count, threshold) => solver.searchRange(1, start, count, threshold));
}

function hashRunner(name: string, hash: (data: Uint8Array) => Uint8Array, original: Uint8Array): Runner {
  const block = original.slice();
  const view = new DataView(block.buffer);
  view.setUint32(120, 1, true);
  return createRunner(name, (start, count, threshold) => {
    for (let attempt = 1; attempt <= count; attempt++) {
      view.setUint32(124, start + attempt - 1, true);
      const result = hash(block);
      if (new DataView(result.buffer, result.byteOffset).getUint32(0, true) <= threshold) return attempt;
    }
    return 0;
  });
}

type Search = (start: number, count: number, threshold: number) => number;

function createRunner(name: string, search: Search): Runner {
  return {
    name,
    attempts: (count, threshold) => search(0, count, threshold),
    rate(milliseconds) {
      const from = performance.now();
      let elapsed = 0;
      let hashes = 0;
      while (elapsed < milliseconds) {
        search(hashes, 5000, 0);
        hashes += 5000;
        elapsed = performance.now() - from;
      }
      return hashes / elapsed / 1000;
    },
  };
}

Object.assign(globalThis, { posternRunners: openRunners });
