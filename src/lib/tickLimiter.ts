/** Waits until the caller may continue; returns undefined if it may continue immediately. */
export type WaitForTick = () => Promise<void> | undefined;

/**
 * Lets at most `perTick` callers continue in one iteration of the event loop; the others wait in the order of their calls.
 * Less urgent work calls this before each step, so that it delays urgent work by at most `perTick` steps at a time.
 *
 * @param perTick at least 1
 * @param schedule runs a function in the next iteration, after the I/O of the current one
 */
export function createTickLimiter(
  perTick: number,
  schedule: (run: () => void) => void = setImmediate,
): WaitForTick {
  const waiting: (() => void)[] = [];
  let left = perTick;
  let isScheduled = false;

  function runTick(): void {
    isScheduled = false;
    left = perTick;
    while (left > 0 && waiting.length > 0) {
      left--;
      waiting.shift()?.();
    }
    if (left < perTick) scheduleTick();
  }

  function scheduleTick(): void {
    if (isScheduled) return;
    isScheduled = true;
    schedule(runTick);
  }

  return () => {
    scheduleTick();
    if (left > 0 && waiting.length === 0) {
      left--;
      return undefined;
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
}
