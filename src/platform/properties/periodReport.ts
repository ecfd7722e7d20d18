import type { Instant } from '../../lib/time.ts';
import { type Period, STEP_LENGTHS } from '../../model/period.ts';
import type { Scope, StatisticsStore } from '../../model/ports/statistics.ts';
import { type Bucket, type Counts, type Day, type Hour, sumOf } from '../../model/statistics.ts';

/** The counts of a period. They are a few seconds old. */
export type PeriodReport<T> = Pick<Period, 'range' | 'step' | 'isUnfinished'> & {
  /** The start of the first step, UTC. */
  readonly from: Instant;
  /** The end of the last step. */
  readonly until: Instant;
  readonly totals: T;
  /** All steps of the period, oldest first. */
  readonly series: readonly (T & { readonly at: Instant })[];
};

export type Buckets = readonly Bucket<Hour | Day>[];

/** Reads the counts of the steps of a period. */
export function readSteps(
  { byHour, byDay }: Pick<StatisticsStore, 'byHour' | 'byDay'>,
  { step, first, count }: Pick<Period, 'step' | 'first' | 'count'>,
  scope: Scope,
): Promise<Buckets> {
  return step === 'hour'
    ? byHour(scope, first as Hour, (first + count) as Hour)
    : byDay(scope, first as Day, (first + count) as Day);
}

/** @param convert names the counts */
export function toPeriodReport<T extends object>(
  period: Period,
  buckets: Buckets,
  convert: (counts: Counts) => T,
): PeriodReport<T> {
  const { range, step, first, count, isUnfinished } = period;
  return {
    range,
    step,
    from: startOf(period, first),
    until: startOf(period, first + count),
    isUnfinished,
    totals: convert(sumOf(buckets)),
    series: toSeries(period, first, buckets, convert),
  };
}

/** @param first the number of the first step */
export function toSeries<T extends object>(
  period: Period,
  first: number,
  buckets: Buckets,
  convert: (counts: Counts) => T,
): PeriodReport<T>['series'] {
  const byStep = new Map<number, Counts>(buckets.map(({ at, counts }) => [at, counts]));
  return Array.from({ length: period.count }, (_, index) => {
    const at = first + index;
    return { at: startOf(period, at), ...convert(byStep.get(at) ?? []) };
  });
}

/** @returns the start of a step of a period, by its number */
export function startOf({ step }: Period, number: number): Instant {
  return (number * STEP_LENGTHS[step]) as Instant;
}
