import { createFairSemaphore } from '../lib/fairSemaphore.ts';
import { timer as systemTimer, type Timer, within } from '../lib/timer.ts';
import { StoreFailure } from '../model/storeFailure.ts';

/** Runs a management write when it is its turn. @throws (rejects) StoreFailure if too many writes wait, or if the wait takes too long */
export type WriteQueue = <T>(write: () => Promise<T>) => Promise<T>;

/** Maximum number of management writes that wait for their turn. */
const MAX_WAITING = 1000;
/** Maximum time that a management write waits for its turn, in milliseconds. Equals the time limit for locks. */
const MAX_WAIT_MS = 5000;

/**
 * Limits how many management writes of this process run at a time. A write that has waited too long never starts, because its client may
 * have received an error already.
 *
 * @param atOnce maximum number of writes that run, at least 1
 */
export function createWriteQueue(atOnce: number, timer: Timer = systemTimer): WriteQueue {
  const { acquire, release } = createFairSemaphore(atOnce, MAX_WAITING)();
  return async (write) => {
    const granted = acquire();
    const isGranted = await within(
      MAX_WAIT_MS,
      granted,
      () => {
        // The turn that comes too late is passed on.
        void granted.then((isGranted) => isGranted && release());
        return new StoreFailure(`management writes have waited for ${MAX_WAIT_MS / 1000} s`);
      },
      timer,
    );
    if (!isGranted) throw new StoreFailure('too many management writes are waiting');
    try {
      return await write();
    } finally {
      release();
    }
  };
}
