/** The delay until a request thread that has ended is replaced. */
export type ReplaceDelay = {
  /** Call this when a thread listens. */
  readonly started: () => void;
  /** Call this when a thread has ended. @returns the delay in milliseconds */
  readonly next: () => number;
};

const [FIRST_MS, LONGEST_MS] = [200, 30_000];
/** If a thread ends after this time, its start is not the reason. */
const STABLE_MS = 60_000;

/**
 * Creates the delay for one thread. The delay doubles each time a replacement cannot start or ends within a minute, because the next one
 * will probably end for the same reason.
 *
 * @param now in milliseconds
 */
export function createReplaceDelay(now: () => number): ReplaceDelay {
  let delay = FIRST_MS;
  let startedAt: number | undefined;
  return {
    started() {
      startedAt = now();
    },
    next() {
      if (startedAt !== undefined && now() - startedAt >= STABLE_MS) delay = FIRST_MS;
      startedAt = undefined;
      const current = delay;
      delay = Math.min(delay * 2, LONGEST_MS);
      return current;
    },
  };
}
