import { type SQL, sql } from 'drizzle-orm';
import {
  addCounts,
  type Bucket,
  COUNTS_SIZE,
  type Counts,
  type Day,
  dayFromHour,
  firstHourOf,
  type Hour,
} from '../../model/statistics.ts';
import type { Executor } from '../executor.ts';
import { statisticsDaily, statisticsHourly } from '../schema.ts';
import { decodeCounts, INSTALLATION } from '../statisticsRows.ts';

export type HourRow = { readonly hour: string; readonly id: string; readonly counts: Uint8Array };

/** The sum of the counts of a property in an hour or on a day. */
export type Sum<At extends Hour | Day> = {
  readonly at: At;
  readonly id: number;
  readonly counts: Float64Array;
};

/** Lists the days of a property with counts from `from` to before `until`. */
export async function readDays(
  orm: Executor,
  id: number,
  from: Day,
  until: Day,
): Promise<readonly Bucket<Day>[]> {
  const [start, end] = [firstHourOf(from), firstHourOf(until)];
  const { isInRange, greatest } = orm.engine;
  // The second value is null in an empty table.
  const first = greatest(
    sql`CAST(${start} AS bigint)`,
    sql`(SELECT coalesce(min(hour), ${end}) FROM statistics_hourly)`,
  );
  // One statement has one snapshot, so a roll-up at the same time neither duplicates nor hides its hours.
  const rows = await orm.execute<HourOrDayRow>(sql`
    SELECT day, CAST(NULL AS bigint) AS hour, counts FROM statistics_daily
    WHERE property_id = CAST(${id} AS bigint)
      AND ${isInRange(statisticsDaily.day, from, until)}
    UNION ALL
    SELECT NULL, hour, counts FROM (${selectHours(orm, id, first, end)}) AS hours`);
  const sums = createSums<Day>();
  for (const { at, counts } of rows.map((row) => toDayCounts(row as HourOrDayRow)))
    sums.add(at, INSTALLATION, counts);
  return sums.sorted();
}

/** @returns the sums of lists of hours or days by time */
export function addUp<At extends Hour | Day>(
  lists: readonly (readonly Bucket<At>[])[],
): readonly Bucket<At>[] {
  const [only = [], ...others] = lists;
  if (others.length === 0) return only;
  const sums = createSums<At>();
  for (const { at, counts } of lists.flat()) sums.add(at, INSTALLATION, counts);
  return sums.sorted();
}

/** Lists the hours of several ids with counts from `from` to before `until`, oldest first. */
export async function readHours(
  orm: Executor,
  ids: readonly number[],
  from: Hour,
  until: Hour,
): Promise<ReadonlyMap<number, readonly Bucket<Hour>[]>> {
  if (ids.length === 0) return new Map();
  const { hour, propertyId } = statisticsHourly;
  const rows = await orm.execute<HourRow>(sql`
    SELECT hour, property_id AS id, counts FROM statistics_hourly
    WHERE ${orm.engine.isInRange(hour, from, until)} AND ${orm.engine.isAnyOf(propertyId, ids)}
    ORDER BY hour`);
  const buckets = rows.map(({ hour, id, counts }) => ({
    id: Number(id),
    at: Number(hour) as Hour,
    counts: decodeCounts(counts),
  }));
  return Map.groupBy(buckets, ({ id }) => id);
}

/** Selects the hours of a property. */
export function selectHours({ engine }: Executor, id: number, from: SQL, until: Hour): SQL {
  return sql`
    SELECT hour, counts FROM statistics_hourly
    WHERE property_id = CAST(${id} AS bigint)
      AND ${engine.isInRange(statisticsHourly.hour, from, until)}`;
}

type HourOrDayRow = {
  readonly day: string | null;
  readonly hour: string | null;
  readonly counts: Uint8Array;
};

function toDayCounts({ day, hour, counts }: HourOrDayRow): Bucket<Day> {
  const at = day === null ? dayFromHour(Number(hour) as Hour) : (Number(day) as Day);
  return { at, counts: decodeCounts(counts) };
}

/** Sums of counts by time and property. */
export function createSums<At extends Hour | Day>() {
  const sums = new Map<At, Map<number, Sum<At>>>();
  return {
    add(at: At, id: number, counts: Counts): void {
      const sumsAt = sums.get(at) ?? new Map<number, Sum<At>>();
      if (sumsAt.size === 0) sums.set(at, sumsAt);
      const sum = sumsAt.get(id);
      if (sum !== undefined) addCounts(sum.counts, counts);
      else {
        const copy = new Float64Array(COUNTS_SIZE);
        copy.set(counts);
        sumsAt.set(id, { at, id, counts: copy });
      }
    },
    /** In the order of the primary key. */
    sorted: (): readonly Sum<At>[] =>
      [...sums.values()].flatMap((sumsAt) => [...sumsAt.values()]).sort((a, b) => a.at - b.at || a.id - b.id),
  };
}
