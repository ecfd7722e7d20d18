import { type SQL, sql } from 'drizzle-orm';
import { DAY } from '../../../lib/time.ts';
import type { StatisticsStore } from '../../../model/ports/statistics.ts';
import type { PropertyId, Sitekey } from '../../../model/property.ts';
import {
  type Bucket,
  COUNTS_SIZE,
  type Counts,
  type Day,
  dayFromHour,
  firstHourOf,
  type Hour,
  type UsageBatch,
  type UsageRecord,
} from '../../../model/statistics.ts';
import { addCounts, decodeCounts, encodeCounts } from '../../counts.ts';
import type { Database } from '../connect.ts';
import { lock, sharedLock } from '../locks.ts';
import type { Executor } from '../transact.ts';

/** The property id of the installation's own counts; no property has it. */
const INSTALLATION = 0;
/** Maximum number of rows that one call moves. */
const ROLL_UP_SIZE = 256;
/** Maximum number of rows that one call deletes. */
const PURGE_SIZE = 5000;
/** Retention of the last batch of a process, in milliseconds. A process repeats a batch until the database accepts it. */
const WRITERS_RETAINED = 30 * DAY;

type HourRow = { readonly hour: string; readonly id: string; readonly counts: Uint8Array };
type DayRow = { readonly day: string; readonly id: string; readonly counts: Uint8Array };

/** The sum of the counts of a property in an hour or on a day. */
type Sum<At extends Hour | Day> = { readonly at: At; readonly id: number; readonly counts: Float64Array };

/** @see StatisticsStore */
export function createStatisticsStore({ orm }: Database): StatisticsStore {
  return {
    add: (records, batch) =>
      orm.transaction(async (tx) => {
        // Several nodes can add counts at the same time, but not during a roll-up, which deletes rows.
        await tx.execute(sharedLock('statistics'));
        if (batch === undefined || (await isFirst(tx, batch)))
          await addHours(tx, await sumByHour(tx, records));
      }),
    async byHour(id, from, until) {
      const rows = await orm.execute<HourRow>(selectHours(id, sql`${from}::bigint`, until));
      return rows.map(({ hour, counts }) => ({ at: Number(hour) as Hour, counts: decodeCounts(counts) }));
    },
    async byDay(id, from, until) {
      const [start, end] = [firstHourOf(from), firstHourOf(until)];
      const first = sql`GREATEST(${start}::bigint, (SELECT min(hour) FROM statistics_hourly))`;
      // One statement has one snapshot, so a roll-up at the same time neither duplicates nor hides its hours.
      const rows = await orm.execute<HourOrDayRow>(sql`
        SELECT day, NULL::bigint AS hour, counts FROM statistics_daily
        WHERE property_id = ${id ?? INSTALLATION}::bigint
          AND day = ANY(ARRAY(SELECT generate_series(${from}::bigint, ${until}::bigint - 1)))
        UNION ALL
        SELECT NULL, hour, counts FROM (${selectHours(id, first, end)}) AS hours`);
      const sums = createSums<Day>();
      for (const { at, counts } of rows.map((row) => toDayCounts(row as HourOrDayRow)))
        sums.add(at, INSTALLATION, counts);
      return sums.sorted();
    },
    rollUp: (before) => orm.transaction((tx) => rollUp(tx, before)),
    async purge(before) {
      await orm.execute(sql`
        DELETE FROM statistics_writers
        WHERE at < floor(extract(epoch FROM now()) * 1000)::bigint - ${WRITERS_RETAINED}::bigint`);
      const rows = await orm.execute(sql`
        DELETE FROM statistics_daily WHERE (day, property_id) IN (
          SELECT day, property_id FROM statistics_daily WHERE day < ${before}::bigint
          ORDER BY day, property_id LIMIT ${PURGE_SIZE})
        RETURNING 1`);
      return rows.length;
    },
  };
}

/**
 * Deletes the days of properties that are being purged. Their hours have been moved into days by then, because a deleted property gets no
 * new counts. No roll-up runs until the end of the transaction, so no roll-up can add a day for a property that no longer exists.
 */
export async function deleteDays(tx: Executor, ids: readonly PropertyId[]): Promise<void> {
  await tx.execute(lock('statistics'));
  await tx.execute(sql`
    DELETE FROM statistics_daily WHERE property_id = ANY(${sql.param([...ids])}::bigint[])`);
}

/** Selects the hours of a property. @param from if NULL, selects no rows */
function selectHours(id: PropertyId | undefined, from: SQL, until: Hour): SQL {
  return sql`
    SELECT hour, counts FROM statistics_hourly
    WHERE property_id = ${id ?? INSTALLATION}::bigint
      AND hour = ANY(ARRAY(SELECT generate_series(${from}, ${until}::bigint - 1)))`;
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

/**
 * Records a batch as the last one of its writer, inside the transaction that adds it. If another transaction is adding the same batch, for
 * example one whose connection was lost, waits until that transaction ends.
 *
 * @returns false if the batch was already added
 */
async function isFirst(tx: Executor, { writer, number }: UsageBatch): Promise<boolean> {
  const rows = await tx.execute(sql`
    INSERT INTO statistics_writers AS known (writer, last_batch, at)
    VALUES (${writer}, ${number}::bigint, floor(extract(epoch FROM now()) * 1000)::bigint)
    ON CONFLICT (writer) DO UPDATE SET last_batch = EXCLUDED.last_batch, at = EXCLUDED.at
    WHERE known.last_batch < EXCLUDED.last_batch
    RETURNING 1`);
  return rows.length === 1;
}

async function sumByHour(tx: Executor, records: readonly UsageRecord[]): Promise<readonly Sum<Hour>[]> {
  const ids = await findIds(
    tx,
    records.flatMap(({ sitekey }) => sitekey ?? []),
  );
  const sums = createSums<Hour>();
  for (const { sitekey, hour, counts } of records) {
    sums.add(hour, (sitekey === undefined ? undefined : ids.get(sitekey)) ?? INSTALLATION, counts);
  }
  return sums.sorted();
}

/** Returns the ids of the properties that exist, by sitekey. */
async function findIds(tx: Executor, sitekeys: readonly Sitekey[]): Promise<ReadonlyMap<Sitekey, number>> {
  const rows = await tx.execute<{ id: string; sitekey: Sitekey }>(sql`
    SELECT p.id, p.sitekey FROM properties p JOIN organizations o ON o.id = p.organization_id
    WHERE p.sitekey = ANY(${sql.param([...sitekeys])}::text[]) AND p.deleted_at IS NULL AND o.deleted_at IS NULL`);
  return new Map(rows.map(({ id, sitekey }) => [sitekey, Number(id)]));
}

/**
 * Adds counts to hours. Every transaction first inserts missing rows in the order of the key, and then locks existing rows in the same
 * order. A transaction that inserts rows waits only for rows that others have inserted, and one that locks rows waits only for others that
 * lock rows, so there are no deadlocks.
 */
async function addHours(tx: Executor, sums: readonly Sum<Hour>[]): Promise<void> {
  const inserted = await tx.execute<{ hour: string; id: string }>(sql`
    INSERT INTO statistics_hourly (hour, property_id, counts)
    SELECT at, id, counts FROM ${unnest(sums)} ORDER BY at, id
    ON CONFLICT DO NOTHING RETURNING hour, property_id AS id`);
  const isNew = new Set(inserted.map(({ hour, id }) => `${hour} ${id}`));
  const others = new Map(
    sums.flatMap((sum) => {
      const key = `${sum.at} ${sum.id}`;
      return isNew.has(key) ? [] : [[key, sum] as const];
    }),
  );
  if (others.size === 0) return;
  const stored = await tx.execute<HourRow>(sql`
    SELECT h.hour, h.property_id AS id, h.counts FROM statistics_hourly h
    JOIN ${unnest([...others.values()])} ON h.hour = given.at AND h.property_id = given.id
    ORDER BY h.hour, h.property_id FOR UPDATE OF h`);
  for (const { hour, id, counts } of stored) {
    const sum = others.get(`${hour} ${id}`);
    if (sum !== undefined) addCounts(sum.counts, decodeCounts(counts));
  }
  await tx.execute(sql`
    UPDATE statistics_hourly h SET counts = given.counts FROM ${unnest([...others.values()])}
    WHERE h.hour = given.at AND h.property_id = given.id`);
}

/** Moves the oldest hours into their days, and deletes the hours of purged properties. */
async function rollUp(tx: Executor, before: Hour): Promise<number> {
  await tx.execute(lock('statistics'));
  const rows = await tx.execute<HourRow & { has_property: boolean }>(sql`
    SELECT hour, property_id AS id, counts,
      property_id = ${INSTALLATION}::bigint OR EXISTS (SELECT FROM properties p WHERE p.id = property_id) AS has_property
    FROM statistics_hourly WHERE hour < ${before}::bigint ORDER BY hour, property_id LIMIT ${ROLL_UP_SIZE}`);
  const last = rows.at(-1);
  if (last === undefined) return 0;
  const sums = createSums<Day>();
  for (const { hour, id, counts, has_property } of rows) {
    if (has_property) sums.add(dayFromHour(Number(hour) as Hour), Number(id), decodeCounts(counts));
  }
  await addDays(tx, sums);
  await tx.execute(sql`
    DELETE FROM statistics_hourly WHERE (hour, property_id) <= (${last.hour}::bigint, ${last.id}::bigint)`);
  return rows.length;
}

/** Adds counts to days. Only one transaction at a time does this. */
async function addDays(tx: Executor, sums: ReturnType<typeof createSums<Day>>): Promise<void> {
  const stored = await tx.execute<DayRow>(sql`
    SELECT d.day, d.property_id AS id, d.counts FROM statistics_daily d
    JOIN ${unnest(sums.sorted())} ON d.day = given.at AND d.property_id = given.id`);
  for (const { day, id, counts } of stored) sums.add(Number(day) as Day, Number(id), decodeCounts(counts));
  await tx.execute(sql`
    INSERT INTO statistics_daily (day, property_id, counts) SELECT at, id, counts FROM ${unnest(sums.sorted())}
    ON CONFLICT (day, property_id) DO UPDATE SET counts = EXCLUDED.counts`);
}

/** Sums of counts by time and property. */
function createSums<At extends Hour | Day>() {
  const sums = new Map<string, Sum<At>>();
  return {
    add(at: At, id: number, counts: Counts): void {
      const key = `${at} ${id}`;
      const sum = sums.get(key) ?? { at, id, counts: new Float64Array(COUNTS_SIZE) };
      addCounts(sum.counts, counts);
      sums.set(key, sum);
    },
    /** In the order of the primary key. */
    sorted: (): readonly Sum<At>[] => [...sums.values()].sort((a, b) => a.at - b.at || a.id - b.id),
  };
}

/** @returns the sums as a table with the name `given` and the columns `at`, `id`, and `counts` */
function unnest(sums: readonly Sum<Hour | Day>[]): SQL {
  const times = sums.map(({ at }) => at as number);
  const ids = sums.map(({ id }) => id);
  const counts = sums.map((sum) => encodeCounts(sum.counts));
  return sql`unnest(${sql.param(times)}::bigint[], ${sql.param(ids)}::bigint[], ${sql.param(counts)}::bytea[])
    AS given (at, id, counts)`;
}
