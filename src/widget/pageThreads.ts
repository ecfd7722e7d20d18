import { createOpenWorker, type SolverProgram } from './openThreads.ts';
import { createPool, type Opener, type OpenPool } from './pool.ts';
import { later } from './timers.ts';

/** Opens threads on this page. */
export const openThreads: OpenPool = (opener) => createPool(opener, later);

/**
 * Call this while the script of the program runs.
 *
 * @returns openers of `count` workers each, in order of preference: first from the URL of the script, if it is on the page's own origin,
 *   because such a worker has the policy of that URL, not of the page
 */
export function createWorkerOpeners(program: SolverProgram, count: number): readonly Opener[] {
  const { src } = document.currentScript as HTMLScriptElement;
  const sources = src.startsWith(`${location.origin}/`) ? [src, program] : [program];
  return sources.map((source) => [createOpenWorker(source), count]);
}
