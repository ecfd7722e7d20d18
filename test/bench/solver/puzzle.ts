import { toBlock, toThreshold } from '../../../src/puzzle/check.ts';
import { createOpenWorker, type SolverProgram } from '../../../src/widget/openThreads.ts';
import { createPool, type Work } from '../../../src/widget/pool.ts';
import { createSimdSolver } from '../../../src/widget/simdSolver.ts';
import type { OpenThread } from '../../../src/widget/solverThread.ts';

/** Solves puzzles in the widget's pool of workers; part of the benchmark's browser script. */

export type PuzzleTime = {
  /** Time from the start with ready workers to the last solution. */
  readonly elapsedMs: number;
  /** Number of hashes that one thread needs for the same puzzle. */
  readonly hashes: number;
};

const SOLUTIONS = 16;

export async function timePuzzle(
  program: SolverProgram,
  task: { readonly seed: number; readonly level: number; readonly threadCount: number },
): Promise<PuzzleTime> {
  const work = workOf(task.seed, task.level);
  const elapsedMs = await timeWork(program, work, task.threadCount);
  return { elapsedMs, hashes: await hashesOf(work) };
}

/** @returns the milliseconds in which ready workers find all solutions */
export async function timeWork(program: SolverProgram, work: Work, threadCount: number): Promise<number> {
  const { openThread, areReady } = watchReady(createOpenWorker(program), threadCount);
  const pool = createPool([openThread, threadCount], () => undefined);
  await areReady;
  const startedAt = performance.now();
  await pool.solve(work, () => undefined);
  const elapsedMs = performance.now() - startedAt;
  pool.dispose();
  return elapsedMs;
}

function workOf(seed: number, level: number): Work {
  const puzzle = Uint8Array.from({ length: 47 }, (_, i) => (i + 1) * (2 * seed + 3) + seed);
  return { block: toBlock(puzzle), threshold: toThreshold(level), solutionCount: SOLUTIONS };
}

/** @returns an opener, and a promise that resolves when all its threads are ready */
function watchReady(open: OpenThread, threadCount: number) {
  let ready = 0;
  let resolveReady: () => void = () => undefined;
  let fail: (cause: Error) => void = () => undefined;
  const areReady = new Promise<void>((resolve, reject) => {
    resolveReady = resolve;
    fail = reject;
  });
  const openThread: OpenThread = (onMessage) =>
    open((message) => {
      onMessage(message);
      if (message.kind === 'open' && ++ready === threadCount) resolveReady();
      if (message.kind === 'broken') fail(new Error(message.reason));
    });
  return { openThread, areReady };
}

async function hashesOf({ block, threshold }: Work): Promise<number> {
  const solver = await createSimdSolver();
  solver.load(block);
  let hashes = 0;
  for (let index = 0; index < SOLUTIONS; index++)
    hashes += solver.searchRange(index, 0, 2 ** 32 - 1, threshold);
  return hashes;
}

Object.assign(globalThis, { posternPuzzle: timePuzzle });
