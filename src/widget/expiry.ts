import { type Clock, type Instant, later } from '../lib/time.ts';

export type ExpiryDeps = {
  readonly now: Clock;
  readonly setTimer: (milliseconds: number, run: () => void) => number;
  readonly clearTimer: (timer: number) => void;
};

/** One deadline at a time. */
export interface Expiry {
  /** @param milliseconds how long from now; a deadline set before is forgotten */
  arm(milliseconds: number, onExpired: () => void): void;
  /** Is it over already? To be called when the page comes back: timers stop while a device sleeps. */
  check(): void;
  disarm(): void;
}

// What a browser's timer can hold; longer ones fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Keeps the deadline of the puzzle at hand. */
export function createExpiry(deps: ExpiryDeps): Expiry {
  let timer: number | undefined;
  let deadline: Instant | undefined;
  let tell: () => void = () => undefined;

  function disarm(): void {
    if (timer !== undefined) deps.clearTimer(timer);
    timer = undefined;
    deadline = undefined;
  }

  function schedule(): void {
    if (timer !== undefined) deps.clearTimer(timer);
    timer = undefined;
    if (deadline === undefined) return;
    const left = Math.max(0, deadline - deps.now());
    timer = deps.setTimer(Math.min(left, LONGEST_TIMER_MS), check);
  }

  function check(): void {
    if (deadline === undefined || deadline > deps.now()) {
      schedule();
    } else {
      disarm();
      tell();
    }
  }

  return {
    arm(milliseconds, onExpired) {
      tell = onExpired;
      deadline = later(deps.now(), milliseconds);
      schedule();
    },
    check,
    disarm,
  };
}
