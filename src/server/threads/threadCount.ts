import { availableParallelism } from 'node:os';

/** Maximum of the default number of request threads. The setting has the same maximum. */
const MAX_THREADS = 4;

/** @param setting undefined for the default: the number of cores, at most 4 @returns the number of request threads */
export function threadCountOf(setting: number | undefined, cores = availableParallelism()): number {
  return setting ?? Math.min(Math.max(cores, 1), MAX_THREADS);
}
