import { loadSolver } from './buildFiles.ts';
import { fetchKernel } from './kernelClient.ts';
import { createOpenOnPage, createOpenWorker, type SolverProgram } from './openThread.ts';
import { createPool, type OpenThread, type Pool, threadCountFor } from './pool.ts';
import { isOurs, scriptUrl } from './scriptUrl.ts';
import { later } from './timers.ts';

/** The bundle of `worker.ts` as a function, added by `bundle.ts`. */
declare const POSTERN_SOLVER: SolverProgram;

/** Set by `bundle.ts`: name and integrity of the script for browsers that do not support the kernel with SIMD. */
declare const POSTERN_FALLBACK_NAME: string;
declare const POSTERN_FALLBACK_INTEGRITY: string;

/** Opens solver threads. @param endpoint the URL of puzzles, if it is valid */
export function openPool(endpoint: string | undefined): Pool {
  const { hardwareConcurrency, deviceMemory } = navigator as { deviceMemory?: number } & Navigator;
  const openers = openersOf(POSTERN_SOLVER);
  // A worker from a URL has the policy of that URL, not of the page. A bundle of the page cannot run in a worker.
  const isSameOrigin = scriptUrl.startsWith(`${location.origin}/`) && isOurs(scriptUrl);
  if (isSameOrigin) openers.unshift(createOpenWorker(scriptUrl));
  return createPool({
    openers,
    loadFallbacks: async () =>
      openersOf(await loadSolver(POSTERN_FALLBACK_NAME, POSTERN_FALLBACK_INTEGRITY, endpoint)),
    threadCount: threadCountFor(hardwareConcurrency, deviceMemory),
    kernel: fetchKernel(endpoint),
    later,
  });
}

const openersOf = (program: SolverProgram): OpenThread[] => [
  createOpenWorker(program),
  createOpenOnPage(program),
];
