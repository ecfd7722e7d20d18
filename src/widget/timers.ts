import { type Instant, systemClock } from '../lib/time.ts';
import { attempt } from './console.ts';

/** Runs a function after a delay. @returns the timer; undefined if the page's `setTimeout` fails; the function then never runs */
export const later = (milliseconds: number, run: () => void): number | undefined =>
  attempt(() => setTimeout(run, milliseconds));

export const clearTimer = (timer: number | undefined) => attempt(() => clearTimeout(timer));

export const pause = (milliseconds: number) => new Promise<void>((resolve) => later(milliseconds, resolve));

// The system clock may be set back, and `performance.now` stops while the device sleeps.
const clockOrigin = systemClock() - performance.now();

/** A clock that never goes backward and continues while the device sleeps. */
export const monotonicClock = () => Math.max(systemClock(), clockOrigin + performance.now()) as Instant;
