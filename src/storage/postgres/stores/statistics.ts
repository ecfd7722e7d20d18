import { type SQL, sql } from 'drizzle-orm';
import { DAY } from '../../../lib/time.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import type { StatisticsStore } from '../../../model/ports/statistics.ts';
import type { PropertyId, Sitekey } from '../../../model/property.ts';
import {
  type Day,
  dayFromHour,
  type Hour,
  type UsageBatch,
  type UsageRecord,
} from '../../../model/statistics.ts';
import { addCounts, decodeCounts, encodeCounts } from '../../counts.ts';
import { ALL_PROPERTIES, INSTALLATION, idOfOrganization, idOfSubject } from '../../subjects.ts';
import type { Database } from '../connect.ts';
import { lock, sharedLock } from '../locks.ts';
import type { Executor } from '../transact.ts';
import { summarize } from './activity.ts';
import { createSums, type HourRow, readDays, readHours, type Sum, selectHours } from './counts.ts';

/** Maximum number of rows that one call moves. */
const ROLL_UP_SIZE = 256;
/** Maximum number of rows that one call deletes. */
const PURGE_SIZE = 5000;
/** Retention of the last batch of a process, in milliseconds. A process repeats a batch until the database accepts it. */
const WRITERS_RETAINED = 30 * DAY;

type DayRow = { readonly day: string; readonly id: string; readonly counts: Uint8Array };

/** @see StatisticsStore */
export function createStatisticsStore(database: Database): StatisticsStore {
  const { orm } = database;
  return {
    add: (records, batch) =>
      orm.transaction(async (tx) => {
        // Several nodes can add counts at the same time, but not during a roll-up, which deletes rows.
        await tx.execute(sharedLock('statistics'));
        if (batch === undefined || (await isFirst(tx, batch)))
          await addHours(tx, await sumByHour(tx, records));
      }),
    async byHour(id, from, until) {
      const rows = await orm.execute<HourRow>(selectHours(id ?? INSTALLATION, sql`${from}::bigint`, until));
      return rows.map(({ hour, counts }) => ({ at: Number(hour) as Hour, counts: decodeCounts(counts) }));
    },
    byDay: (id, from, until) => readDays(orm, id ?? INSTALLATION, from, until),
    async byHourOf(subjects, from, until) {
      const hours = await readHours(orm, subjects.map(idOfSubject), from, until);
      return subjects.map((subject) => ({ subject, hours: hours.get(idOfSubject(subject)) ?? [] }));
    },
    async inHour(hour, after, limit) {
      const rows = await orm.execute<Pick<HourRow, 'id' | 'counts'>>(sql`
        SELECT property_id AS id, counts FROM statistics_hourly
        WHERE hour = ${hour}::bigint AND property_id > ${after}::bigint
        ORDER BY property_id LIMIT ${limit}::bigint`);
      return rows.map(({ id, counts }) => ({ id: Number(id) as PropertyId, counts: decodeCounts(counts) }));
    },
    summarize: (now, after) => summarize(database, now, after),
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
 * Deletes the days of properties and organizations that are being purged. Their hours have been moved into days by then, because a deleted property gets no
 * new counts. No roll-up runs until the end of the transaction, so no roll-up can add a day for a property that no longer exists.
 */
export async function deleteDays(tx: Executor, ids: readonly number[]): Promise<void> {
  await tx.execute(lock('statistics'));
  await tx.execute(sql`
    DELETE FROM statistics_daily WHERE property_id = ANY(${sql.param([...ids])}::bigint[])`);
}

/**
 * Records a batch as the last one of its writer, inside the transaction that adds it. If another transaction is adding the same batch, for
 * example one whose connection was lost, waits until that transaction ends.
 *
 * @returns false if the batch was already added
 */
export async function isFirst(tx: Executor, { writer, number }: UsageBatch): Promise<boolean> {
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
    const found = sitekey === undefined ? undefined : ids.get(sitekey);
    for (const id of found ?? [INSTALLATION]) sums.add(hour, id, counts);
  }
  return sums.sorted();
}

/** Returns the ids to whose counts the events of each property are added, by sitekey. */
async function findIds(
  tx: Executor,
  sitekeys: readonly Sitekey[],
): Promise<ReadonlyMap<Sitekey, readonly number[]>> {
  const rows = await tx.execute<{ id: string; organization: string; sitekey: Sitekey }>(sql`
    SELECT p.id, o.id AS organization, p.sitekey FROM properties p JOIN organizations o ON o.id = p.organization_id
    WHERE p.sitekey = ANY(${sql.param([...sitekeys])}::text[]) AND p.deleted_at IS NULL AND o.deleted_at IS NULL`);
  return new Map(
    rows.map(({ id, organization, sitekey }) => [
      sitekey,
      [Number(id), idOfOrganization(Number(organization) as OrganizationId), ALL_PROPERTIES],
    ]),
  );
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
      property_id <= ${INSTALLATION}::bigint OR EXISTS (SELECT FROM properties p WHERE p.id = property_id) AS has_property
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

/** @returns the sums as a table with the name `given` and the columns `at`, `id`, and `counts` */
function unnest(sums: readonly Sum<Hour | Day>[]): SQL {
  const times = sums.map(({ at }) => at as number);
  const ids = sums.map(({ id }) => id);
  const counts = sums.map((sum) => encodeCounts(sum.counts));
  return sql`unnest(${sql.param(times)}::bigint[], ${sql.param(ids)}::bigint[], ${sql.param(counts)}::bytea[])
    AS given (at, id, counts)`;
}
