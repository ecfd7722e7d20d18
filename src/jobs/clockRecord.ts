import { DAY, HOUR, type Instant, later, MINUTE } from '../lib/time.ts';
import type { ClockRecord } from '../model/ports/installation.ts';

/** How far the clock may differ from the expected time. A server that was off for less time continues at once. */
const TOLERANCE = HOUR;
/** How long the server has to run before it accepts a time that differs from the expected time. */
export const WAIT = DAY;
/** A longer leap makes the server wait again. A server that is switched off every night is confirmed after 24 hours of running. */
const LEAP_MAX = DAY;
/** A clock that goes back by more since the last reading of any node makes the server wait again. Small corrections are normal. */
const BEHIND_MAX = MINUTE;

/** What the clock and the monotonic clock of a server show. */
export type ClockReading = {
  readonly time: Instant;
  /** Milliseconds since the previous reading of this process according to a monotonic clock; 0 for the first one. */
  readonly elapsedMs: number;
};

export type ClockJudgment = {
  /** Whether the time is confirmed. */
  readonly isConfirmed: boolean;
  /** The time according to the last confirmed time and the monotonic clock. */
  readonly expectedTime: Instant;
  /** Whether a wait begins with this reading, for the first time or again. */
  readonly hasLeapt: boolean;
  /** The record for the next reading. */
  readonly record: ClockRecord;
};

/**
 * Judges a clock by two sources: its time, and the time that has passed since the last confirmed time according to a monotonic clock. If they
 * differ by more than an hour, the time is confirmed only after the server has run for 24 hours, during which the clock was never set back
 * and never leapt by more than a day. While the server is off, or its machine sleeps, the monotonic clock stands still.
 *
 * @param record undefined for a new installation, whose time is confirmed
 */
export function judgeClock(
  record: ClockRecord | undefined,
  { time, elapsedMs }: ClockReading,
): ClockJudgment {
  const { confirmedTime, seenTime, ranMs } = record ?? { confirmedTime: time, seenTime: time, ranMs: 0 };
  // Several nodes update the record, so only the time since the last update of any of them has not been counted.
  const passedMs = Math.min(elapsedMs, Math.max(0, time - seenTime));
  const expectedTime = later(confirmedTime, passedMs);
  const leapMs = time - seenTime - passedMs;
  const isSteady = leapMs >= -BEHIND_MAX && leapMs <= LEAP_MAX;
  const nextRanMs = isSteady ? ranMs + passedMs : 0;
  const isExpected = Math.abs(time - expectedTime) <= TOLERANCE;
  if (isExpected || nextRanMs >= WAIT) {
    const next = { confirmedTime: time, seenTime: time, ranMs: 0 };
    return { isConfirmed: true, expectedTime, hasLeapt: false, record: next };
  }
  const wasConfirmed = confirmedTime === seenTime;
  return {
    isConfirmed: false,
    expectedTime,
    hasLeapt: wasConfirmed || !isSteady,
    record: { confirmedTime: expectedTime, seenTime: time, ranMs: wasConfirmed ? 0 : nextRanMs },
  };
}
