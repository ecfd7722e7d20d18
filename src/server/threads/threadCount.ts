import { availableParallelism } from 'node:os';

/** Maximum of the default number of request threads. The setting has the same maximum. */
const MAX_THREADS = 4;

/**
 * @param setting undefined for the default: the number of cores, at most 4; 1 on two cores, which the ledger thread and the kernel need,
 *   too (docs/decisions/0013-request-threads.md)
 * @returns the number of request threads
 */
export function threadCountOf(setting: number | undefined, cores = availableParallelism()): number {
  return setting ?? (cores <= 2 ? 1 : Math.min(cores, MAX_THREADS));
}
