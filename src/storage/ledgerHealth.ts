import type { Timer } from '../lib/timer.ts';

/** Delay after a failure before claims are tried again, in milliseconds. */
export const RETRY_MS = 500;

export type LedgerHealth = ReturnType<typeof createLedgerHealth>;

/**
 * Tracks whether claims can be stored. After a failure, probes the storage until it works again, because an unhealthy server may receive no
 * requests.
 */
export function createLedgerHealth(probe: () => Promise<unknown>, timer: Timer) {
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
    isHealthy: () => isHealthy && !isClosed,
    fail,
    /** Records whether claims could be stored. */
    set(isStored: boolean): void {
      if (isStored) isHealthy = true;
      else fail();
    },
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
