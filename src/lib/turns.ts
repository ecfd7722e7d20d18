/** Waits until the caller may continue. */
export type TakeTurn = () => Promise<void> | undefined;

/**
 * Lets at most `perTurn` callers continue in one iteration of the event loop; the others wait in the order of their calls.
 * Less urgent work calls this first, so that many such callers delay urgent work by at most `perTurn` of their steps.
 *
 * @param schedule runs a function in the next iteration, after the I/O of this one
 * @returns a function whose result is undefined if the caller need not wait
 */
export function createTurns(perTurn: number, schedule: (run: () => void) => void = setImmediate): TakeTurn {
  const waiting: (() => void)[] = [];
  let left = perTurn;
  let isScheduled = false;

  function next(): void {
    isScheduled = false;
    left = perTurn;
    while (left > 0 && waiting.length > 0) {
      left--;
      waiting.shift()?.();
    }
    if (left < perTurn) scheduleNext();
  }

  function scheduleNext(): void {
    if (isScheduled) return;
    isScheduled = true;
    schedule(next);
  }

  return () => {
    scheduleNext();
    if (left > 0 && waiting.length === 0) {
      left--;
      return undefined;
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
}
