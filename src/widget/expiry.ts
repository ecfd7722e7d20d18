import { type Clock, type Instant, later } from '../lib/time.ts';

export type ExpiryDeps = {
  readonly now: Clock;
  readonly setTimer: (milliseconds: number, run: () => void) => number;
  readonly clearTimer: (timer: number) => void;
};

/** A timer for one deadline. */
export interface Expiry {
  /** Replaces the current deadline. @param milliseconds from now */
  arm(milliseconds: number, onExpired: () => void): void;
  /** Checks the deadline. Call it when the page becomes visible, because timers stop while a device sleeps. */
  check(): void;
  disarm(): void;
}

// The maximum delay of browser timers; longer timers fire immediately.
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createExpiry(deps: ExpiryDeps): Expiry {
  let timer: number | undefined;
  let deadline: Instant | undefined;
  let notify: () => void = () => undefined;

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
    timer = deps.setTimer(Math.min(left, MAX_TIMER_MS), check);
  }

  function check(): void {
    if (deadline === undefined || deadline > deps.now()) {
      schedule();
    } else {
      disarm();
      notify();
    }
  }

  return {
    arm(milliseconds, onExpired) {
      notify = onExpired;
      deadline = later(deps.now(), milliseconds);
      schedule();
    },
    check,
    disarm,
  };
}
