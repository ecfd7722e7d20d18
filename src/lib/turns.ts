/** Waits until the caller may go on. */
export type TakeTurn = () => Promise<void> | undefined;

/**
 * Lets at most `perTurn` callers go on in one turn of the event loop; the others wait in the order in which they came.
 * Work that is less urgent than the rest of the loop asks for its turn first, so that a crowd of it cannot delay the
 * urgent work by more than `perTurn` of its steps.
 *
 * @param schedule runs a function in the next turn, after the I/O of this one
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
