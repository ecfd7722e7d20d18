/** Runs something once, after that many milliseconds. @returns what cancels it */
export type Timer = (milliseconds: number, run: () => void) => () => void;

/** The right to do some things, given by a pace. */
export type Permit = {
  /** They happen now. Until then the permit counts in full, however long its holder waits. */
  readonly begin: () => void;
  /** How many there were in the end; gives back what was not needed, and counts what came on top. */
  readonly settle: (actual: number) => void;
};

export type Pace = {
  /** Resolves, first come, first served, once this many more are within the limit. @param count at most the limit */
  readonly take: (count: number) => Promise<Permit>;
  /** Nobody waits or holds a permit, and nothing happened within the last period. */
  readonly isIdle: () => boolean;
};

export type PaceOptions = {
  /** Things in any one period, at most; at least 1. */
  readonly limit: number;
  readonly periodMs: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly timer: Timer;
};

/** A limit for every period of time, wherever it begins: what comes too early waits. */
export function createPace({ limit, periodMs, now, timer }: PaceOptions): Pace {
  type Waiter = { readonly count: number; readonly start: (permit: Permit) => void };
  const waiters: Waiter[] = [];
  /** When things happened, oldest first: those of the last period. */
  let times: number[] = [];
  /** Permitted, and not yet begun. */
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
      // From now on it is known when its place is free again.
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

  /** Starts whoever may start now, and comes back when the next one may. */
  function serve(): void {
    cancel?.();
    cancel = undefined;
    forget();
    for (let next = waiters[0]; next !== undefined; next = waiters[0]) {
      const surplus = times.length + held + next.count - limit;
      if (surplus > 0) {
        // Undefined where it takes a permit that is still held to begin, which serves again.
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
