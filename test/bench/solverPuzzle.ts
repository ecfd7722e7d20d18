import { toBlock } from '../../src/puzzle/check.ts';
import { thresholdOf } from '../../src/puzzle/threshold.ts';
import { createOpenHere, createOpenWorker, type LaneProgram } from '../../src/widget/lanes.ts';
import type { Kernel } from '../../src/widget/messages.ts';
import { createPool, type OpenLane, type Work } from '../../src/widget/pool.ts';
import { createWasmSolver } from '../../src/widget/solver.ts';

/** Whole puzzles in the widget's own pool of workers; part of the benchmark's script in a browser. */

export type PuzzleTime = {
  /** From the puzzle's arrival at workers that are ready to the last solution. */
  readonly elapsedMs: number;
  /** Hashes that one searcher needs for it, solution after solution. */
  readonly hashes: number;
};

const SOLUTIONS = 16;

export async function timePuzzle(
  program: LaneProgram,
  kernel: Kernel,
  task: { readonly seed: number; readonly level: number; readonly laneCount: number },
): Promise<PuzzleTime> {
  const work = workOf(task.seed, task.level);
  const { openLane, areReady } = watched(createOpenWorker(program), task.laneCount);
  const pool = createPool({
    // The last way has one lane only.
    ways: [openLane, createOpenHere(program)],
    laneCount: task.laneCount,
    kernel: Promise.resolve(kernel),
    later: () => undefined,
  });
  await areReady;
  const startedAt = performance.now();
  await pool.solve(work, () => undefined);
  const elapsedMs = performance.now() - startedAt;
  pool.close();
  return { elapsedMs, hashes: await hashesOf(work, kernel) };
}

function workOf(seed: number, level: number): Work {
  const puzzle = Uint8Array.from({ length: 47 }, (_, i) => (i + 1) * (2 * seed + 3) + seed);
  return { block: toBlock(puzzle), threshold: thresholdOf(level), solutionCount: SOLUTIONS };
}

/** The lanes, and when all of them have said that they are ready. */
function watched(open: OpenLane, laneCount: number) {
  let ready = 0;
  let tell: () => void = () => undefined;
  let fail: (cause: Error) => void = () => undefined;
  const areReady = new Promise<void>((resolve, reject) => {
    tell = resolve;
    fail = reject;
  });
  const openLane: OpenLane = (hear) =>
    open((said) => {
      hear(said);
      if (said.kind === 'ready' && ++ready === laneCount) tell();
      if (said.kind === 'broken') fail(new Error(said.reason));
    });
  return { openLane, areReady };
}

async function hashesOf({ block, threshold }: Work, kernel: Kernel): Promise<number> {
  const solver = await createWasmSolver(kernel);
  solver.load(block);
  let hashes = 0;
  for (let index = 0; index < SOLUTIONS; index++) hashes += solver.search(index, 0, 2 ** 32 - 1, threshold);
  return hashes;
}

Object.assign(globalThis, { posternPuzzle: timePuzzle });
