import { type Instant, systemClock } from '../lib/time.ts';

/** Runs a function after a delay. @returns the timer */
export const later = (milliseconds: number, run: () => void): number => setTimeout(run, milliseconds);

export const pause = (milliseconds: number) => new Promise<void>((resolve) => later(milliseconds, resolve));

// The system clock may be set back, and `performance.now` stops while the device sleeps.
const clockOrigin = systemClock() - performance.now();

/** A clock that never goes backward and continues while the device sleeps. */
export const monotonicClock = () => Math.max(systemClock(), clockOrigin + performance.now()) as Instant;
