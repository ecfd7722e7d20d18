import type { Clock } from '../lib/time.ts';

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

/** @param setTimer treats a negative delay as 0 */
export function createExpiry(
  now: Clock,
  setTimer: (milliseconds: number, run: () => void) => number | undefined,
  clearTimer: (timer: number | undefined) => void,
): Expiry {
  let timer: number | undefined;
  let deadline = 0;
  let notify: (() => void) | undefined;

  function disarm(): void {
    clearTimer(timer);
    notify = undefined;
  }

  function schedule(): void {
    clearTimer(timer);
    timer = setTimer(Math.min(deadline - now(), MAX_TIMER_MS), check);
  }

  function check(): void {
    const run = notify;
    if (!run) return;
    if (deadline > now()) {
      schedule();
    } else {
      disarm();
      run();
    }
  }

  return {
    arm(milliseconds, onExpired) {
      notify = onExpired;
      deadline = now() + milliseconds;
      schedule();
    },
    check,
    disarm,
  };
}
