import type { Timer } from '../../../lib/timer.ts';

/** Delay after a failure before the database is tried again, in milliseconds. */
const RETRY_MS = 500;

export type Health = ReturnType<typeof createHealth>;

/** Tracks whether claims can be stored. After a failure, probes the database until it works again, because no requests may arrive. */
export function createHealth(probe: () => Promise<unknown>, timer: Timer) {
  let isHealthy = true;
  let isClosed = false;
  let isRecovering = false;
  let cancelRetry = () => {};

  function fail(): void {
    isHealthy = false;
    if (isClosed || isRecovering) return;
    isRecovering = true;
    cancelRetry = timer(RETRY_MS, () => void recover());
  }

  async function recover(): Promise<void> {
    const hasRecovered =
      isHealthy ||
      (await probe().then(
        () => true,
        () => false,
      ));
    isRecovering = false;
    if (hasRecovered) isHealthy = true;
    else fail();
  }

  return {
    isHealthy: () => isHealthy,
    fail,
    async observe<T>(work: () => Promise<T>): Promise<T> {
      try {
        const result = await work();
        isHealthy = true;
        return result;
      } catch (error) {
        fail();
        throw error;
      }
    },
    close(): void {
      isClosed = true;
      cancelRetry();
    },
  };
}
