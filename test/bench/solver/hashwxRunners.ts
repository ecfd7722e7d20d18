import { toBlock, toThreshold } from '../../../src/puzzle/check.ts';
import { KINDS } from '../../../src/puzzle/kinds.ts';
import { createModuleSearch } from '../../../src/widget/hashwx/module.ts';
import { openPlainSearch } from '../../../src/widget/hashwx/plain.ts';
import type { OpenSearch } from '../../../src/widget/hashwx/search.ts';
import type { SolverProgram } from '../../../src/widget/openThreads.ts';
import { timeWork } from './puzzle.ts';

/** The implementations of HashWX that the benchmark compares, in Bun and in browsers. */

export type HashwxRunner = {
  readonly name: string;
  /** @returns the number of attempts until a hash is at most the threshold */
  attempts(threshold: number): number;
  /** Creates programs and hashes with them, like a worker of the widget. @returns thousands of hashes per second */
  rate(): number;
};

/** About the number of nonces that a worker tries in a slice. */
const SLICE = 2048;

export function openHashwxRunners(): readonly HashwxRunner[] {
  return [
    // All nonces of a block.
    createRunner('WebAssembly', createModuleSearch(), 65_536),
    createRunner('JavaScript', openPlainSearch, 8192),
  ];
}

function createRunner(name: string, open: OpenSearch, nonces: number): HashwxRunner {
  let programs = 0;
  const openNext = () => open(Int32Array.of(++programs, 1, 2, 3));
  return {
    name,
    attempts: (threshold) => open(new Int32Array(4))(0, nonces, threshold),
    rate() {
      const from = performance.now();
      const search = openNext();
      for (let start = 0; start < nonces; start += SLICE) search(start, SLICE, 0);
      return nonces / (performance.now() - from);
    },
  };
}

/** @returns the milliseconds in which ready workers solve a puzzle */
export function timeHashwxPuzzle(
  program: SolverProgram,
  task: { readonly seed: number; readonly level: number; readonly threadCount: number },
): Promise<number> {
  const { levelOffset, solutionCount } = KINDS.hashwx;
  const puzzle = Uint8Array.from({ length: 48 }, (_, i) => (i + 1) * (2 * task.seed + 3) + task.seed);
  const work = { block: toBlock(puzzle), threshold: toThreshold(task.level - levelOffset), solutionCount };
  return timeWork(program, work, task.threadCount);
}

Object.assign(globalThis, { posternHashwx: openHashwxRunners, posternHashwxPuzzle: timeHashwxPuzzle });
