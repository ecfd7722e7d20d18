import { done, type Outcome, reject } from '../lib/outcome.ts';
import { DAY, HOUR, type Instant } from '../lib/time.ts';
import { RANGES, type Range, toDay, toHour } from './statistics.ts';

/** Retention of hourly statistics, in hours; then they are combined into days. */
export const HOURS_RETAINED = 30 * 24;
/** Retention of daily statistics, in days: two years, one of them a leap year. */
export const DAYS_RETAINED = 731;

/** The steps of the statistics of a period: whole hours or days, in UTC. */
export type Period = {
  readonly range: Range | 'custom';
  readonly step: 'hour' | 'day';
  /** The number of the first step since 1970. */
  readonly first: number;
  /** At least 1. */
  readonly count: number;
  /**
   * The previous period begins this number of steps earlier. For hours, it is a multiple of 24, so that both periods begin at the same
   * time of day.
   */
  readonly shift: number;
  /** Whether the last step is the current hour or day, which is not over yet. */
  readonly isUnfinished: boolean;
};

/** A range by name, or the time from `from` (inclusive) until `until` (exclusive). */
export type RangeChoice = Range | { readonly from: Instant; readonly until: Instant };

export type PeriodProblem = 'period-reversed' | 'period-future' | 'period-too-old' | 'period-too-long';

/** The length of a step in milliseconds. */
export const STEP_LENGTHS = { hour: HOUR, day: DAY } as const;

/** Maximum length of a custom range, in days. */
export const PERIOD_MAX_DAYS = 366;
/** Maximum length of a custom range that has a step for each hour, in days. */
const HOURLY_MAX_DAYS = 7;

/**
 * Returns the steps of a range. A custom range is extended to whole steps, and ends at the end of the current step at the latest. It has a
 * step for each hour if it is at most 7 days long and the hours are still stored, and otherwise a step for each day.
 */
export function periodOf(choice: RangeChoice, now: Instant): Outcome<Period, PeriodProblem> {
  if (typeof choice === 'object') return customPeriod(choice, now);
  const { step, count } = RANGES[choice];
  const first = stepAt(step, now) + 1 - count;
  return done({ range: choice, step, first, count, shift: count, isUnfinished: true });
}

function customPeriod(
  { from, until }: { readonly from: Instant; readonly until: Instant },
  now: Instant,
): Outcome<Period, PeriodProblem> {
  const today = toDay(now);
  if (from >= until) return reject('period-reversed');
  if (from > now || until > (today + 1) * DAY) return reject('period-future');
  if (from < (today + 1 - DAYS_RETAINED) * DAY) return reject('period-too-old');
  if (until - from > PERIOD_MAX_DAYS * DAY) return reject('period-too-long');
  const hasHours = toHour(from) > toHour(now) - HOURS_RETAINED;
  const step = hasHours && until - from <= HOURLY_MAX_DAYS * DAY ? 'hour' : 'day';
  const first = stepAt(step, from);
  const current = stepAt(step, now);
  const count = Math.min(Math.ceil(until / STEP_LENGTHS[step]), current + 1) - first;
  const shift = step === 'hour' ? Math.ceil(count / 24) * 24 : count;
  return done({ range: 'custom', step, first, count, shift, isUnfinished: first + count > current });
}

/** @returns the period before a period; undefined if its counts are no longer stored in steps of this length */
export function previousOf(
  { step, first, count, shift }: Period,
  now: Instant,
): { readonly first: number; readonly count: number } | undefined {
  const oldest = step === 'hour' ? toHour(now) - HOURS_RETAINED + 1 : toDay(now) - DAYS_RETAINED + 1;
  return first - shift < oldest ? undefined : { first: first - shift, count };
}

function stepAt(step: 'hour' | 'day', instant: Instant): number {
  return step === 'hour' ? toHour(instant) : toDay(instant);
}
