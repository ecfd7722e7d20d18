import { availableParallelism } from 'node:os';

/** Maximum of the default number of request threads. The setting has the same maximum. */
export const MAX_THREADS = 4;

/**
 * @param setting undefined for the default: the number of cores, at most 4, but 1 on two cores, because the ledger thread and the kernel need
 *   part of the second core (docs/project/decisions/0013-request-threads.md)
 * @returns the number of request threads
 */
export function threadCountOf(setting: number | undefined, cores = availableParallelism()): number {
  return setting ?? (cores <= 2 ? 1 : Math.min(cores, MAX_THREADS));
}
