import { blake2b } from '@noble/hashes/blake2.js';
import blakejs from 'blakejs';
import { createBLAKE2b } from 'hash-wasm';
import { createJsSolver, createWasmSolver, type Solver } from '../../src/widget/solver.ts';

/** What the benchmark of the solver measures; in Bun as it is, in a browser as one script. */

export type Runner = {
  readonly name: string;
  /** As the solver's, with 1 as the prefix and 0 as the start. */
  attempts(count: number, threshold: number): number;
  /** Millions of hashes a second, about that long. */
  rate(milliseconds: number): number;
};

export async function openRunners(block: Uint8Array, kernels: readonly [Uint8Array, Uint8Array]) {
  const [simd, scalar] = kernels.map((kernel) => new Uint8Array(kernel));
  if (!simd || !scalar) throw new Error('two kernels are wanted');
  const hasher = await createBLAKE2b(256);
  return [
    ofSolver('SIMD', await createWasmSolver(simd), block),
    ofSolver('scalar', await createWasmSolver(scalar), block),
    ofSolver('JavaScript', createJsSolver(), block),
    ofHash('hash-wasm', (data) => hasher.init().update(data).digest('binary'), block),
    ofHash('@noble/hashes', (data) => blake2b(data, { dkLen: 32 }), block),
    ofHash('blakejs', (data) => blakejs.blake2b(data, undefined, 32), block),
  ];
}

function ofSolver(name: string, solver: Solver, block: Uint8Array): Runner {
  solver.load(block);
  return runnerOf(name, (start, count, threshold) => solver.search(1, start, count, threshold));
}

function ofHash(name: string, hash: (data: Uint8Array) => Uint8Array, original: Uint8Array): Runner {
  const block = original.slice();
  const view = new DataView(block.buffer);
  view.setUint32(120, 1, true);
  return runnerOf(name, (start, count, threshold) => {
    for (let attempt = 1; attempt <= count; attempt++) {
      view.setUint32(124, start + attempt - 1, true);
      const head = hash(block);
      if (new DataView(head.buffer, head.byteOffset).getUint32(0, true) <= threshold) return attempt;
    }
    return 0;
  });
}

type Search = (start: number, count: number, threshold: number) => number;

function runnerOf(name: string, search: Search): Runner {
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
