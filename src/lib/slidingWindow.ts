import type { Timer } from './timer.ts';

/** Permission for a number of events. */
export type Reservation = {
  /** Marks the events as happening now. Until then, the reservation counts in full, however long its holder waits. */
  readonly start: () => void;
  /** Reports the actual number of events: returns unused ones to the limit, and counts additional ones. */
  readonly settle: (actual: number) => void;
};

export type SlidingWindow = {
  /** Resolves when `count` more events are within the limit, in the order of the calls. @param count at most the limit */
  readonly reserve: (count: number) => Promise<Reservation>;
  /** @returns true if no caller waits or holds a reservation, and no event happened within the last period */
  readonly isIdle: () => boolean;
};

export type SlidingWindowOptions = {
  /** Maximum number of events in any period; at least 1. */
  readonly limit: number;
  readonly periodMs: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly timer: Timer;
};

/** Limits the number of events in any period of the given length. Callers above the limit wait. */
export function createSlidingWindow({ limit, periodMs, now, timer }: SlidingWindowOptions): SlidingWindow {
  type Waiter = { readonly count: number; readonly resolve: (reservation: Reservation) => void };
  const waiters: Waiter[] = [];
  /** Times of the events in the last period, oldest first. */
  let times: number[] = [];
  /** Events that are reserved but not started. */
  let reserved = 0;
  let cancel: (() => void) | undefined;

  function dropOldTimes(): void {
    const begin = now() - periodMs;
    times = times.filter((time) => time > begin);
  }

  function createReservation(count: number): Reservation {
    let startedAt: number | undefined;
    const start = () => {
      if (startedAt !== undefined) return;
      startedAt = now();
      reserved -= count;
      times.push(...Array<number>(count).fill(startedAt));
      // It is now known when these events leave the period.
      serveWaiters();
    };
    const settle = (actual: number) => {
      start();
      for (let i = actual; i < count; i++) {
        const at = startedAt === undefined ? -1 : times.lastIndexOf(startedAt);
        if (at >= 0) times.splice(at, 1);
      }
      for (let i = count; i < actual; i++) times.push(now());
      serveWaiters();
    };
    return { start, settle };
  }

  /** Serves the waiters that are within the limit, and sets a timer for the next one. */
  function serveWaiters(): void {
    cancel?.();
    cancel = undefined;
    dropOldTimes();
    for (let next = waiters[0]; next !== undefined; next = waiters[0]) {
      const excess = times.length + reserved + next.count - limit;
      if (excess > 0) {
        // Undefined if a reservation must start first; its `start` calls `serveWaiters` again.
        const freeAt = times[excess - 1];
        if (freeAt !== undefined)
          cancel = timer(Math.max(1, Math.ceil(freeAt + periodMs - now())), serveWaiters);
        return;
      }
      waiters.shift();
      reserved += next.count;
      next.resolve(createReservation(next.count));
    }
  }

  return {
    reserve(count) {
      const { promise, resolve } = Promise.withResolvers<Reservation>();
      waiters.push({ count, resolve });
      serveWaiters();
      return promise;
    },
    isIdle() {
      dropOldTimes();
      return waiters.length === 0 && reserved === 0 && times.length === 0;
    },
  };
}
