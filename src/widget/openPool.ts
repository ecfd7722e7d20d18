import { isOurs, loadSolver, scriptUrl } from './buildFiles.ts';
import {
  createOpenWorker,
  deviceMemory,
  hardwareConcurrency,
  type SolverProgram,
  threadCountFor,
} from './openThreads.ts';
import { openThreads } from './pageThreads.ts';
import { NO_RESPONSE } from './pool.ts';
import type { SolverPool } from './solvePuzzle.ts';

/** The bundle of `worker.ts` as a function, added by `bundle.ts`. */
declare const POSTERN_SOLVER: SolverProgram;

// A worker from a URL has the policy of that URL, not of the page. A bundle of the page cannot run in a worker.
const openWorker = createOpenWorker(
  scriptUrl.startsWith(`${location.origin}/`) && isOurs(scriptUrl) ? scriptUrl : POSTERN_SOLVER,
);

/** Opens workers. If they do not work, another script solves the puzzle. */
export function openPool(element: HTMLElement): SolverPool {
  const count = threadCountFor(hardwareConcurrency, deviceMemory);
  const pool = openThreads([openWorker, count]);
  const loadFallback = () => loadSolver(0, element);
  // The script may load before the puzzle arrives.
  pool.failure.catch(loadFallback).catch(() => undefined);
  return {
    solve: (work, onProgress, signal) =>
      pool.solve(work, onProgress).catch(async (cause) => {
        const solve = await loadFallback();
        return solve(work, onProgress, signal, cause !== NO_RESPONSE);
      }),
    hasThreads: pool.hasThreads,
    dispose: pool.dispose,
  };
}
