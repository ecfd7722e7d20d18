import type { Brand } from './outcome.ts';

/** Milliseconds since 1970-01-01T00:00:00Z, possibly fractional. */
export type Instant = Brand<number, 'Instant'>;

/** Returns the current time. */
export type Clock = () => Instant;

/** The system clock. */
export const systemClock: Clock = () => Date.now() as Instant;

/** @returns the instant plus a duration in milliseconds */
export function later(instant: Instant, milliseconds: number): Instant {
  return (instant + milliseconds) as Instant;
}

/** @returns Unix seconds, rounded down, as in the wire format */
export function toSeconds(instant: Instant): number {
  return Math.floor(instant / 1000);
}

/** @param seconds Unix seconds */
export function instantFromSeconds(seconds: number): Instant {
  return (seconds * 1000) as Instant;
}

/** @returns ISO 8601 in UTC with milliseconds, such as `2026-01-31T12:00:00.000Z` */
export function toIso(instant: Instant): string {
  return new Date(instant).toISOString();
}

/**
 * @param text an ISO 8601 date with an optional time; UTC if it has no offset
 * @returns undefined if the text is invalid
 */
export function instantFromIso(text: string): Instant | undefined {
  const shape = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
  const match = shape.exec(text);
  if (match === null) return undefined;
  const hasOffset = match[1] === undefined || match[4] !== undefined;
  const milliseconds = Date.parse(hasOffset ? text : `${text}Z`);
  return Number.isNaN(milliseconds) || !isDay(text.slice(0, 10)) ? undefined : (milliseconds as Instant);
}

/** `Date.parse` reads February 30 as March 2. */
function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}

/**
 * Creates a clock that never goes backward, for measuring durations. If the system clock is set back, it continues from the last
 * reading. Do not compare its times with dates.
 */
export function createMonotonicTime(): (now: Instant) => Instant {
  let last = Number.NEGATIVE_INFINITY;
  let lead = 0;
  return (now) => {
    if (now + lead < last) lead = last - now;
    last = now + lead;
    return last as Instant;
  };
}

/** The longest time between reading the clock and using the result, unless the system suspends the thread in between. */
const MAX_DELAY_MS = 1000;

/**
 * Creates a monotonic time that threads share. Threads read the clock before they get the lock that protects the cells, so a time that is
 * up to a second older than the last reading counts as that reading. If the clock is set back further, the time continues from the last
 * reading, as with createMonotonicTime.
 *
 * @param cells two numbers, which are 0 at first: the last reading, and how far it is ahead of the clock
 * @returns a function that expects times from 1970 on
 */
export function createSharedTime(cells: Float64Array): (now: Instant) => Instant {
  return (now) => {
    const last = cells[0] as number;
    const time = now + (cells[1] as number);
    if (time >= last) cells[0] = time;
    else if (time < last - MAX_DELAY_MS) cells[1] = last - now;
    return cells[0] as Instant;
  };
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
