import type { Clock } from '../lib/time.ts';

export type ExpiryDeps = {
  readonly now: Clock;
  /** Treats a negative delay as 0. */
  readonly setTimer: (milliseconds: number, run: () => void) => number | undefined;
  readonly clearTimer: (timer: number | undefined) => void;
};

/** A timer for one deadline. */
export interface Expiry {
  /** Replaces the current deadline. @param milliseconds from now; may be negative */
  arm(milliseconds: number, onExpired: () => void): void;
  /** Checks the deadline. Call it when the page becomes visible, because timers stop while a device sleeps. */
  check(): void;
  disarm(): void;
}

// The maximum delay of browser timers; longer timers fire immediately.
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createExpiry(deps: ExpiryDeps): Expiry {
  let timer: number | undefined;
  let deadline = 0;
  let notify: (() => void) | undefined;

  function disarm(): void {
    deps.clearTimer(timer);
    notify = undefined;
  }

  function schedule(): void {
    deps.clearTimer(timer);
    timer = deps.setTimer(Math.min(deadline - deps.now(), MAX_TIMER_MS), check);
  }

  function check(): void {
    const run = notify;
    if (!run) return;
    if (deadline > deps.now()) {
      schedule();
    } else {
      disarm();
      run();
    }
  }

  return {
    arm(milliseconds, onExpired) {
      notify = onExpired;
      deadline = deps.now() + milliseconds;
      schedule();
    },
    check,
    disarm,
  };
}
