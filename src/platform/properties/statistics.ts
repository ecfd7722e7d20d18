import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, DAY, HOUR, type Instant } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { StatisticsStore } from '../../model/ports/statistics.ts';
import type { Property, PropertyId } from '../../model/property.ts';
import {
  type Bucket,
  COUNTER,
  COUNTS_SIZE,
  type Counts,
  countSolveTimes,
  type Day,
  FAILURE_POSITIONS,
  type Hour,
  RANGES,
  type Range,
  solveTimeAt,
  toDay,
  toHour,
} from '../../model/statistics.ts';
import type { AccessProblem } from '../organizations/access.ts';
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

/** The counts of a range. */
export type Report = {
  readonly range: Range;
  readonly step: 'hour' | 'day';
  /** The start of the first step, UTC. */
  readonly from: Instant;
  /** The end of the last step, which is not over yet. */
  readonly until: Instant;
  readonly totals: Totals;
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
    readonly p95: number | undefined;
    readonly p99: number | undefined;
  };
  /** All steps of the range, oldest first. */
  readonly series: readonly (Totals & { readonly at: Instant })[];
};

export type PropertyReport = Report & {
  /** The difficulty of a puzzle that would be issued now, 1..255. */
  readonly difficulty: number;
};

export type Statistics = {
  /** Returns the report of a property for anyone who can read it. The counts are a few seconds old. */
  readonly of: (
    actor: Actor,
    organizationId: OrganizationId,
    id: PropertyId,
    range: Range,
  ) => Promise<Outcome<PropertyReport, AccessProblem | 'property-gone'>>;
  /**
   * Returns the totals of the last 24 hours for a page of properties: 24 lookups each, about a millisecond for 50 properties. Does
   * not check access, because the caller has already loaded the properties.
   */
  readonly lastDayOf: (
    properties: readonly Pick<Property, 'id'>[],
  ) => Promise<ReadonlyMap<PropertyId, Totals>>;
  /** Counts of requests without a known property, such as malformed solutions. For administrators. */
  readonly ofInstallation: (actor: Actor, range: Range) => Promise<Outcome<Report, 'admin-only'>>;
};

/** @see Statistics */
export function createStatistics(deps: {
  readonly store: Pick<StatisticsStore, 'byHour' | 'byDay'>;
  readonly properties: Pick<Properties, 'byId'>;
  /** The difficulty of a puzzle of this property now; does not count as a request. */
  readonly difficultyOf: (property: Property) => number;
  readonly clock: Clock;
}): Statistics {
  async function report(id: PropertyId | undefined, range: Range): Promise<Report> {
    const { step, count } = RANGES[range];
    const now = deps.clock();
    if (step === 'hour') {
      const until = (toHour(now) + 1) as Hour;
      const from = (until - count) as Hour;
      return toReport(range, HOUR, from, await deps.store.byHour(id, from, until));
    }
    const until = (toDay(now) + 1) as Day;
    const from = (until - count) as Day;
    return toReport(range, DAY, from, await deps.store.byDay(id, from, until));
  }

  return {
    async of(actor, organizationId, id, range) {
      const property = await deps.properties.byId(actor, organizationId, id);
      if (!property.ok) return property;
      const found = await report(id, range);
      return done({ ...found, difficulty: deps.difficultyOf(property.value) });
    },
    async lastDayOf(properties) {
      const until = (toHour(deps.clock()) + 1) as Hour;
      const from = (until - RANGES['24h'].count) as Hour;
      const totals = new Map<PropertyId, Totals>();
      for (const { id } of properties)
        totals.set(id, toTotals(sumOf(await deps.store.byHour(id, from, until))));
      return totals;
    },
    async ofInstallation(actor, range) {
      return actor.isAdmin ? done(await report(undefined, range)) : reject('admin-only');
    },
  };
}

/** @param length of a step, in milliseconds @param first the number of the first step, in the unit of the buckets */
function toReport(
  range: Range,
  length: number,
  first: number,
  buckets: readonly Bucket<Hour | Day>[],
): Report {
  const { step, count } = RANGES[range];
  const byStep = new Map<number, Counts>(buckets.map(({ at, counts }) => [at, counts]));
  const sum = sumOf(buckets);
  const startOf = (at: number) => (at * length) as Instant;
  return {
    range,
    step,
    from: startOf(first),
    until: startOf(first + count),
    totals: toTotals(sum),
    failures: failuresIn(sum),
    solveTimes: {
      reported: countSolveTimes(sum),
      usedWasm: sum[COUNTER.usedWasm] as number,
      p50: solveTimeAt(0.5, sum),
      p75: solveTimeAt(0.75, sum),
      p95: solveTimeAt(0.95, sum),
      p99: solveTimeAt(0.99, sum),
    },
    series: Array.from({ length: count }, (_, index) => {
      const at = first + index;
      return { at: startOf(at), ...toTotals(byStep.get(at) ?? []) };
    }),
  };
}

function sumOf(buckets: readonly Bucket<Hour | Day>[]): Counts {
  const sum = new Float64Array(COUNTS_SIZE);
  for (const { counts } of buckets) {
    for (let i = 0; i < COUNTS_SIZE; i++) sum[i] = (sum[i] as number) + (counts[i] as number);
  }
  return sum;
}

function toTotals(counts: Counts): Totals {
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
