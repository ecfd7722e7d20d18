/** Calls `run` once after the given time. @returns a function that cancels the call */
export type Timer = (milliseconds: number, run: () => void) => () => void;

/** Permission for a number of events, given by a pace. */
export type Permit = {
  /** Marks the events as happening now. Until then, the permit counts in full, however long its holder waits. */
  readonly begin: () => void;
  /** Reports the actual number of events: returns unused ones to the limit, and counts additional ones. */
  readonly settle: (actual: number) => void;
};

export type Pace = {
  /** Resolves when `count` more events are within the limit, in the order of the calls. @param count at most the limit */
  readonly take: (count: number) => Promise<Permit>;
  /** @returns true if no caller waits or holds a permit, and no event happened within the last period */
  readonly isIdle: () => boolean;
};

export type PaceOptions = {
  /** Maximum number of events in any period; at least 1. */
  readonly limit: number;
  readonly periodMs: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly timer: Timer;
};

/** Limits the events in every period, wherever the period begins; callers above the limit wait. */
export function createPace({ limit, periodMs, now, timer }: PaceOptions): Pace {
  type Waiter = { readonly count: number; readonly start: (permit: Permit) => void };
  const waiters: Waiter[] = [];
  /** Times of the events in the last period, oldest first. */
  let times: number[] = [];
  /** Events that are permitted but have not begun. */
  let held = 0;
  let cancel: (() => void) | undefined;

  function forget(): void {
    const begin = now() - periodMs;
    times = times.filter((time) => time > begin);
  }

  function createPermit(count: number): Permit {
    let begunAt: number | undefined;
    const begin = () => {
      if (begunAt !== undefined) return;
      begunAt = now();
      held -= count;
      times.push(...Array<number>(count).fill(begunAt));
      // From now on it is known when these events leave the period.
      serve();
    };
    const settle = (actual: number) => {
      begin();
      for (let i = actual; i < count; i++) {
        const at = begunAt === undefined ? -1 : times.lastIndexOf(begunAt);
        if (at >= 0) times.splice(at, 1);
      }
      for (let i = count; i < actual; i++) times.push(now());
      serve();
    };
    return { begin, settle };
  }

  /** Starts the waiters that may start now, and schedules itself for the next one. */
  function serve(): void {
    cancel?.();
    cancel = undefined;
    forget();
    for (let next = waiters[0]; next !== undefined; next = waiters[0]) {
      const surplus = times.length + held + next.count - limit;
      if (surplus > 0) {
        // Undefined if a held permit must begin first; its `begin` calls `serve` again.
        const freeAt = times[surplus - 1];
        if (freeAt !== undefined) cancel = timer(Math.max(1, Math.ceil(freeAt + periodMs - now())), serve);
        return;
      }
      waiters.shift();
      held += next.count;
      next.start(createPermit(next.count));
    }
  }

  return {
    take(count) {
      const { promise, resolve } = Promise.withResolvers<Permit>();
      waiters.push({ count, start: resolve });
      serve();
      return promise;
    },
    isIdle() {
      forget();
      return waiters.length === 0 && held === 0 && times.length === 0;
    },
  };
}
