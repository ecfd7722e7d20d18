import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock, Instant } from '../../lib/time.ts';
import { USUAL_HOURS, usualPuzzles } from '../../model/activity.ts';
import type { Actor } from '../../model/actor.ts';
import { ADVICE_DAYS, type LevelAdvice, sumOfSettings, toLevelAdvice } from '../../model/levelAdvice.ts';
import type { OrganizationId } from '../../model/organization.ts';
import {
  type Period,
  type PeriodProblem,
  periodOf,
  previousOf,
  type RangeChoice,
  STEP_LENGTHS,
} from '../../model/period.ts';
import type { Scope, StatisticsStore } from '../../model/ports/statistics.ts';
import type { Property, PropertyId } from '../../model/property.ts';
import {
  COUNTER,
  type Counts,
  countSolveTimes,
  FAILURE_POSITIONS,
  type Hour,
  settingsCode,
  solveTimeAt,
  solveTimeHistogram,
  sumOf,
  type TimeRange,
  toHour,
} from '../../model/statistics.ts';
import type { Access, AccessProblem } from '../organizations/access.ts';
import {
  type Buckets,
  type PeriodReport,
  readSteps,
  startOf,
  toPeriodReport,
  toSeries,
} from './periodReport.ts';
import type { Properties } from './properties.ts';

export type Totals = {
  readonly issued: number;
  /** First presentations that were accepted. */
  readonly verified: number;
  /** Further presentations that the property allows. */
  readonly repeated: number;
  /** Presentations that were rejected. */
  readonly failed: number;
};

/** A share of a whole. There is no rate if the whole is 0. */
export type Rate = { readonly part: number; readonly whole: number };

/**
 * Returns the share of the issued puzzles whose solution was verified, and the share of the verifications that were accepted. Repeated
 * verifications do not count as solved. A solution can belong to a puzzle from before the period; `solved` is at most the whole.
 */
export function ratesOf({ issued, verified, repeated, failed }: Totals): Record<'solved' | 'accepted', Rate> {
  const accepted = verified + repeated;
  return {
    solved: { part: Math.min(verified, issued), whole: issued },
    accepted: { part: accepted, whole: accepted + failed },
  };
}

/** The counts of puzzles and verifications in a period. */
export type Report = PeriodReport<Totals> & {
  /** Puzzles in the current hour; undefined if the range has ended. */
  readonly thisHour?: {
    readonly issued: number;
    /** Of the whole hour; undefined if the first counts are less than a day old. @see usualPuzzles */
    readonly usual: number | undefined;
  };
  /** Numbers of rejected presentations by verdict code, without zeros. */
  readonly failures: ReadonlyMap<number, number>;
  /** Solve times of first presentations in whole milliseconds, as the browsers reported them; undefined if there are none. */
  readonly solveTimes: {
    /** Number of reported times. */
    readonly reported: number;
    /** Number of solutions that were computed with WebAssembly, according to the browsers. */
    readonly usedWasm: number;
    readonly p50: number | undefined;
    readonly p75: number | undefined;
    readonly p90: number | undefined;
    readonly p95: number | undefined;
    readonly p99: number | undefined;
    readonly histogram: readonly TimeRange[];
  };
  /** Undefined if it was not requested, or if the counts of the previous period are no longer stored. */
  readonly comparison?: Comparison;
};

export type Comparison = {
  /** The start of the first step of the previous period, UTC. */
  readonly from: Instant;
  /**
   * The counts of the same part of the previous period. If the last step of the report is not over yet, the last step of the previous period
   * counts in proportion to the time that has passed, because the times of events within a step are not stored.
   */
  readonly totals: Totals;
  /** The median solve time of this part in whole milliseconds; undefined if there are no solve times. */
  readonly p50: number | undefined;
  /** All steps of the previous period in full, oldest first. As many as the report has. */
  readonly series: readonly (Totals & { readonly at: Instant })[];
};

export type ReportOptions = {
  /** Adds the previous period to the report. */
  readonly compares?: boolean;
};

export type PropertyReport = Report & {
  /** The difficulty of a puzzle that would be issued now, 1..255. */
  readonly difficulty: number;
  readonly levelAdvice: LevelAdvice;
};

export type Statistics = ReturnType<typeof createStatistics>;

/** @see Statistics */
export function createStatistics(deps: {
  readonly store: Pick<StatisticsStore, 'byHour' | 'byDay'>;
  readonly properties: Pick<Properties, 'byId'>;
  readonly access: Pick<Access, 'requireMember'>;
  /** The difficulty of a puzzle of this property now; does not count as a request. */
  readonly difficultyOf: (property: Property) => number;
  /** Whether puzzles of this property would be of the same kind at another level. */
  readonly isComparable: (property: Property, level: number) => boolean;
  readonly clock: Clock;
}) {
  async function report(
    scope: Scope,
    range: RangeChoice,
    { compares = false }: ReportOptions = {},
  ): Promise<Outcome<Report, PeriodProblem>> {
    const now = deps.clock();
    const found = periodOf(range, now);
    if (!found.ok) return found;
    const period = found.value;
    const previous = compares ? previousOf(period, now) : undefined;
    return done({
      ...toReport(period, await readSteps(deps.store, period, scope)),
      ...(period.isUnfinished && { thisHour: await hourOf(deps.store, scope, toHour(now)) }),
      ...(previous !== undefined && {
        comparison: toComparison(
          period,
          await readSteps(deps.store, { ...previous, step: period.step }, scope),
          now,
        ),
      }),
    });
  }

  async function adviceFor(property: Property): Promise<LevelAdvice> {
    const until = (toHour(deps.clock()) + 1) as Hour;
    const scope = { property: property.id };
    const hours = await deps.store.byHour(scope, (until - ADVICE_DAYS * 24) as Hour, until);
    const counts = sumOfSettings(hours, settingsCode(property));
    return toLevelAdvice(property.level, counts, (level) => deps.isComparable(property, level));
  }

  return {
    /**
     * Returns advice on the level of a property from the solve times of the last 28 days: 672 lookups, about a millisecond. Does not check
     * access, because the caller has already loaded the property.
     */
    adviceFor,
    /** Returns the report of a property for anyone who can read it. */
    async of(
      actor: Actor,
      organizationId: OrganizationId,
      id: PropertyId,
      range: RangeChoice,
      options?: ReportOptions,
    ): Promise<Outcome<PropertyReport, AccessProblem | 'property-gone' | PeriodProblem>> {
      const property = await deps.properties.byId(actor, organizationId, id);
      if (!property.ok) return property;
      const found = await report({ property: id }, range, options);
      if (!found.ok) return found;
      const levelAdvice = await adviceFor(property.value);
      return done({ ...found.value, difficulty: deps.difficultyOf(property.value), levelAdvice });
    },
    /** Returns the report of all properties of an organization, including deleted ones, for anyone who can read them. */
    async ofOrganization(
      actor: Actor,
      id: OrganizationId,
      range: RangeChoice,
      options?: ReportOptions,
    ): Promise<Outcome<Report, AccessProblem | PeriodProblem>> {
      const organization = await deps.access.requireMember(actor, id);
      return organization.ok ? report({ organization: id }, range, options) : organization;
    },
    /**
     * Returns the report of everything, or of requests without a known property, such as malformed solutions. For administrators.
     */
    async ofInstallation(
      actor: Actor,
      scope: 'all' | 'none',
      range: RangeChoice,
      options?: ReportOptions,
    ): Promise<Outcome<Report, 'admin-only' | PeriodProblem>> {
      return actor.isAdmin ? report(scope, range, options) : reject('admin-only');
    },
  };
}

async function hourOf(
  { byHour }: Pick<StatisticsStore, 'byHour'>,
  scope: Scope,
  now: Hour,
): Promise<NonNullable<Report['thisHour']>> {
  const hours = await byHour(scope, (now - USUAL_HOURS) as Hour, (now + 1) as Hour);
  const { issued } = toTotals(hours.find(({ at }) => at === now)?.counts ?? []);
  const before = hours.filter(({ at }) => at < now);
  return { issued, usual: usualPuzzles(now, before) };
}

function toReport(period: Period, buckets: Buckets): Report {
  const sum = sumOf(buckets);
  return {
    ...toPeriodReport(period, buckets, toTotals),
    failures: failuresIn(sum),
    solveTimes: {
      reported: countSolveTimes(sum),
      usedWasm: sum[COUNTER.usedWasm] as number,
      p50: solveTimeAt(0.5, sum),
      p75: solveTimeAt(0.75, sum),
      p90: solveTimeAt(0.9, sum),
      p95: solveTimeAt(0.95, sum),
      p99: solveTimeAt(0.99, sum),
      histogram: solveTimeHistogram(sum),
    },
  };
}

/** @see Comparison @param before the previous period */
function toComparison(period: Period, before: Buckets, now: Instant): Comparison {
  const { step, first, count, shift } = period;
  const last = first + count - 1;
  const passed = Math.min(1, (now - startOf(period, last)) / STEP_LENGTHS[step]);
  const sum = sumOf(
    before.map(({ at, counts }) => ({
      counts: at === last - shift ? Array.from(counts, (one) => Math.round(one * passed)) : counts,
    })),
  );
  return {
    from: startOf(period, first - shift),
    totals: toTotals(sum),
    p50: solveTimeAt(0.5, sum),
    series: toSeries(period, first - shift, before, toTotals),
  };
}

/** @returns the counts of puzzles and verifications */
export function toTotals(counts: Counts): Totals {
  let failed = 0;
  for (let code = 0; code < FAILURE_POSITIONS; code++) failed += counts[COUNTER.failed + code] ?? 0;
  return {
    issued: counts[COUNTER.issued] ?? 0,
    verified: counts[COUNTER.verified] ?? 0,
    repeated: counts[COUNTER.repeated] ?? 0,
    failed,
  };
}

function failuresIn(counts: Counts): ReadonlyMap<number, number> {
  const failures = new Map<number, number>();
  for (let code = 0; code < FAILURE_POSITIONS; code++) {
    const count = counts[COUNTER.failed + code] as number;
    if (count > 0) failures.set(code, count);
  }
  return failures;
}
