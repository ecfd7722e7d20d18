import type { Brand } from './brand.ts';

/** Whole or fractional milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Brand<number, 'Instant'>;

/** Tells the time; tests turn it by hand. */
export type Clock = () => Instant;

/** The machine's clock. */
export const systemClock: Clock = () => Date.now() as Instant;

/** A duration in milliseconds added to an instant. */
export function later(instant: Instant, milliseconds: number): Instant {
  return (instant + milliseconds) as Instant;
}

/** Unix seconds, rounded down: what the wire carries. */
export function secondsOf(instant: Instant): number {
  return Math.floor(instant / 1000);
}

/** @param seconds unix seconds */
export function instantOfSeconds(seconds: number): Instant {
  return (seconds * 1000) as Instant;
}

/** ISO 8601 in UTC with milliseconds, as in `2026-01-31T12:00:00.000Z`. */
export function isoOf(instant: Instant): string {
  return new Date(instant).toISOString();
}

/**
 * @param text an ISO 8601 date, with or without time; without an offset it is UTC
 * @returns undefined where the text is no such date
 */
export function instantOfIso(text: string): Instant | undefined {
  const shape = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
  const match = shape.exec(text);
  if (match === null) return undefined;
  const hasOffset = match[1] === undefined || match[4] !== undefined;
  const milliseconds = Date.parse(hasOffset ? text : `${text}Z`);
  return Number.isNaN(milliseconds) || !isDay(text.slice(0, 10)) ? undefined : (milliseconds as Instant);
}

/** Date.parse takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}

/**
 * Time that never runs backwards: where the machine's clock is set back, it stands still for as long as it takes one
 * look to the next. For what measures durations; not for what is compared with dates.
 */
export function createSteadyTime(): (now: Instant) => Instant {
  let last = Number.NEGATIVE_INFINITY;
  let lead = 0;
  return (now) => {
    if (now + lead < last) lead = last - now;
    last = now + lead;
    return last as Instant;
  };
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
