import { remembered } from './remembered.ts';
import { DAY, type Instant, instantFromIso } from './time.ts';

/** Number of time zones whose clocks are remembered. */
const REMEMBERED = 64;

/** Longer than every name of the IANA database. */
const MAX_LENGTH = 64;

const canonical = remembered(REMEMBERED, (text) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
});

/** @returns the name of a time zone of the IANA database, such as `Europe/Berlin`; undefined if the name is unknown */
export function parseTimeZone(text: string): string | undefined {
  return text.length <= MAX_LENGTH && /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(text)
    ? canonical(text)
    : undefined;
}

const clockIn = remembered(
  REMEMBERED,
  (timeZone) =>
    new Intl.DateTimeFormat('en', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
);

/** What a clock in the time zone shows, as the time at which a clock in UTC shows the same; without milliseconds. */
function clockTime(instant: number, timeZone: string): number {
  const parts = clockIn(timeZone).formatToParts(instant);
  const numbers = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = numbers;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** @returns the day of an instant in a time zone, such as `2026-01-31` */
export function dayOf(instant: Instant, timeZone: string): string {
  const time = timeZone === 'UTC' ? instant : clockTime(instant, timeZone);
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Returns the start and the end (exclusive) of a day in a time zone. Where clocks change, the day has 23 or 25 hours, and may begin at 1:00.
 *
 * @param text a day such as `2026-01-31`
 * @returns undefined if the text is not a day
 */
export function dayRange(
  text: string,
  timeZone: string,
): { readonly from: Instant; readonly until: Instant } | undefined {
  const midnight = text.length === 10 ? instantFromIso(text) : undefined;
  if (midnight === undefined) return undefined;
  return { from: startOf(midnight, timeZone), until: startOf(midnight + DAY, timeZone) };
}

/** @param midnight the start of the day in UTC @returns the first instant of this day in the time zone */
function startOf(midnight: number, timeZone: string): Instant {
  if (timeZone === 'UTC') return midnight as Instant;
  // If the clocks change on this day, its first hour has one of the two offsets.
  const starts = [-DAY, DAY].map((shift) => {
    const near = midnight + shift;
    return midnight - (clockTime(near, timeZone) - near);
  });
  const start = starts
    .toSorted((a, b) => a - b)
    .find((candidate) => clockTime(candidate, timeZone) >= midnight);
  return (start ?? midnight) as Instant;
}
