import { and, eq, getTableColumns, getTableName, isNull, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Instant } from '../../lib/time.ts';
import type { RuleHitRecord } from '../../model/ports/rules.ts';
import type { Scope, StatisticsStore } from '../../model/ports/statistics.ts';
import type { PropertyId, Sitekey } from '../../model/property.ts';
import {
  addCounts,
  type Day,
  dayFromHour,
  type Hour,
  toDay,
  toHour,
  type UsageRecord,
} from '../../model/statistics.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { organizations, properties, statisticsDaily, statisticsHourly } from '../schema.ts';
import {
  ALL_PROPERTIES,
  decodeCounts,
  encodeCounts,
  INSTALLATION,
  idOfKey,
  idOfOrganization,
  idOfRule,
  idsOfScope,
} from '../statisticsRows.ts';
import { summarize } from './activity.ts';
import { addUp, createSums, type HourRow, readDays, readHours, type Sum, selectHours } from './counts.ts';

/** Maximum number of rows that one call moves. */
const ROLL_UP_SIZE = 256;
/** Maximum number of rows that one call deletes. */
const PURGE_SIZE = 5000;

type StoredRow = { readonly at: string; readonly id: string; readonly counts: Uint8Array };
type Sums<At extends Hour | Day> = ReturnType<typeof createSums<At>>;

/** @see StatisticsStore */
export function createStatisticsStore(database: StoreDatabase): StatisticsStore {
  const { orm } = database;
  return {
    add: (records, batch) =>
      database.transactConcurrently(async (tx) => {
        // Several nodes can add counts at the same time, but not during a roll-up, which deletes rows.
        await tx.engine.lock(tx, 'statistics', 'shared');
        if (batch === undefined || (await tx.engine.isFirst(tx, batch)))
          await addHours(tx, await sumByHour(tx, records));
      }),
    async byHour(scope, from, until) {
      const read = async (id: number) => {
        const rows = await orm.execute<HourRow>(selectHours(orm, id, sql`CAST(${from} AS bigint)`, until));
        return rows.map(({ hour, counts }) => ({ at: Number(hour) as Hour, counts: decodeCounts(counts) }));
      };
      return addUp(await Promise.all(idsOfScope(scope).map(read)));
    },
    byDay: async (scope, from, until) =>
      addUp(await Promise.all(idsOfScope(scope).map((id) => readDays(orm, id, from, until)))),
    async byHourOf(scopes, from, until) {
      const hours = await readHours(orm, scopes.flatMap(idsOfScope), from, until);
      const hoursOf = (scope: Scope) => addUp(idsOfScope(scope).map((id) => hours.get(id) ?? []));
      return scopes.map((scope) => ({ scope, hours: hoursOf(scope) }));
    },
    async inHour(hour, after, limit) {
      const rows = await orm.execute<Pick<HourRow, 'id' | 'counts'>>(sql`
        SELECT property_id AS id, counts FROM statistics_hourly
        WHERE hour = CAST(${hour} AS bigint) AND property_id > CAST(${after} AS bigint)
        ORDER BY property_id LIMIT CAST(${limit} AS bigint)`);
      return rows.map(({ id, counts }) => ({ id: Number(id) as PropertyId, counts: decodeCounts(counts) }));
    },
    summarize: (now, after) => summarize(database, now, after),
    rollUp: (before) => database.transactConcurrently((tx) => rollUp(tx, before)),
    async purge(before) {
      await orm.engine.purgeBatches(orm);
      const rows = await orm.execute(sql`
        DELETE FROM statistics_daily WHERE (day, property_id) IN (
          SELECT day, property_id FROM statistics_daily WHERE day < CAST(${before} AS bigint)
          ORDER BY day, property_id LIMIT ${PURGE_SIZE})
        RETURNING 1`);
      return rows.length;
    },
  };
}

/**
 * Deletes the days of properties and organizations that were deleted before a moment and are being purged. Their hours have been moved into
 * days by then, because a deleted property gets no new counts. No roll-up runs until the end of the transaction, so no roll-up can add a day
 * for a property that no longer exists.
 */
export async function deleteDays(tx: Executor, purged: readonly Purged[], before: Instant): Promise<void> {
  if (purged.length === 0) return;
  await tx.engine.lock(tx, 'statistics', 'exclusive');
  const ids = purged.map(({ id }) => id);
  const from = toDay(Math.min(...purged.map(({ createdAt }) => createdAt)) as Instant);
  await tx.delete(statisticsDaily).where(tx.engine.hasDaysOf(ids, from, (toDay(before) + 1) as Day));
}

/** A property or an organization. Its id is the one in the tables of statistics. */
type Purged = { readonly id: number; readonly createdAt: Instant };

async function sumByHour(tx: Executor, records: readonly UsageRecord[]) {
  const ids = await findIds(tx, records);
  const sums = createSums<Hour>();
  for (const { sitekey, key, hour, counts } of records) {
    const own = key === undefined ? [INSTALLATION] : [idOfKey(key)];
    const found = sitekey === undefined ? undefined : ids.get(sitekey);
    for (const id of found ?? own) sums.add(hour, id, counts);
  }
  return sums;
}

/** Returns the ids to whose counts the events of each property are added, by sitekey. */
async function findIds(
  tx: Executor,
  records: readonly UsageRecord[],
): Promise<ReadonlyMap<Sitekey, readonly number[]>> {
  const { isAnyOf } = tx.engine;
  const found = new Map<Sitekey, readonly number[]>();
  const add = async (values: readonly (number | string)[], column: PgColumn) => {
    if (values.length === 0) return;
    for (const row of await selectLive(tx, isAnyOf(column, values)))
      found.set(row.sitekey, [row.id, idOfOrganization(row.organizationId), ALL_PROPERTIES]);
  };
  // Records are ordered by id, so their rows are adjacent. Their sitekeys are scattered over the whole index.
  await add(
    records.flatMap(({ id }) => id ?? []),
    properties.id,
  );
  const others = records.flatMap(({ sitekey }) =>
    sitekey === undefined || found.has(sitekey) ? [] : sitekey,
  );
  await add(others, properties.sitekey);
  return found;
}

function selectLive(tx: Executor, condition: SQL) {
  const { id, sitekey, organizationId } = properties;
  const isLive = and(isNull(properties.deletedAt), isNull(organizations.deletedAt));
  return tx
    .select({ id, organizationId, sitekey })
    .from(properties)
    .innerJoin(organizations, eq(organizations.id, organizationId))
    .where(and(condition, isLive));
}

/** Adds hits of rules to their hours. The transaction must hold the shared lock of the statistics. */
export function addRuleHours(tx: Executor, records: readonly RuleHitRecord[]): Promise<void> {
  const sums = createSums<Hour>();
  for (const { id, hits, lastHitAt } of records) sums.add(toHour(lastHitAt), idOfRule(id), [hits]);
  return addHours(tx, sums);
}

function addHours(tx: Executor, sums: Sums<Hour>): Promise<void> {
  return tx.engine.isClustered ? addConcurrently(tx, sums.sorted()) : addAlone(tx, HOURS, sums);
}

/**
 * Adds counts to hours. Every transaction first inserts missing rows in the order of the key, and then locks existing rows in the same
 * order. A transaction that inserts rows waits only for rows that others have inserted, and one that locks rows waits only for others that
 * lock rows, so there are no deadlocks.
 */
async function addConcurrently(tx: Executor, sums: readonly Sum<Hour>[]): Promise<void> {
  const inserted = await tx.execute<{ hour: string; id: string }>(sql`
    INSERT INTO statistics_hourly (hour, property_id, counts)
    SELECT hour, property_id, counts FROM ${toRecords(tx, HOURS, sums)} WHERE true ORDER BY hour, property_id
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
    SELECT h.hour, h.property_id AS id, h.counts FROM statistics_hourly AS h
    JOIN ${toRecords(tx, HOURS, [...others.values()])} ON h.hour = records.hour AND h.property_id = records.property_id
    ORDER BY h.hour, h.property_id ${tx.engine.lockRows('h')}`);
  for (const { hour, id, counts } of stored) {
    const sum = others.get(`${hour} ${id}`);
    if (sum !== undefined) addCounts(sum.counts, decodeCounts(counts));
  }
  await tx.execute(sql`
    UPDATE statistics_hourly AS h SET counts = records.counts FROM ${toRecords(tx, HOURS, [...others.values()])}
    WHERE h.hour = records.hour AND h.property_id = records.property_id`);
}

/** Moves the oldest hours into their days, and deletes the hours of purged properties. */
async function rollUp(tx: Executor, before: Hour): Promise<number> {
  await tx.engine.lock(tx, 'statistics', 'exclusive');
  const rows = await tx.execute<HourRow & { has_property: boolean }>(sql`
    SELECT hour, property_id AS id, counts,
      property_id <= CAST(${INSTALLATION} AS bigint)
        OR EXISTS (SELECT 1 FROM properties p WHERE p.id = property_id) AS has_property
    FROM statistics_hourly WHERE hour < CAST(${before} AS bigint) ORDER BY hour, property_id LIMIT ${ROLL_UP_SIZE}`);
  const last = rows.at(-1);
  if (last === undefined) return 0;
  const sums = createSums<Day>();
  for (const { hour, id, counts, has_property } of rows) {
    if (has_property) sums.add(dayFromHour(Number(hour) as Hour), Number(id), decodeCounts(counts));
  }
  await addAlone(tx, DAYS, sums);
  await tx.execute(sql`
    DELETE FROM statistics_hourly
    WHERE (hour, property_id) <= (CAST(${last.hour} AS bigint), CAST(${last.id} AS bigint))`);
  return rows.length;
}

/** Adds counts to rows. Only one transaction at a time does this. */
async function addAlone<At extends Hour | Day>(tx: Executor, unit: Unit, sums: Sums<At>): Promise<void> {
  const [table, at] = [getTableName(unit.table), unit.at].map((name) => sql.raw(name));
  const keys = sums.sorted().map(({ at, id }) => ({ [unit.at]: at, propertyId: id }));
  const stored = await tx.execute<StoredRow>(sql`
    SELECT s.${at} AS at, s.property_id AS id, s.counts FROM ${table} AS s
    JOIN ${tx.engine.toRecords(columnsOf(unit).slice(0, 2), keys)} ON s.${at} = records.${at} AND s.property_id = records.property_id`);
  for (const row of stored) sums.add(Number(row.at) as At, Number(row.id), decodeCounts(row.counts));
  await tx.execute(sql`
    INSERT INTO ${table} (${at}, property_id, counts)
    SELECT ${at}, property_id, counts FROM ${toRecords(tx, unit, sums.sorted())} WHERE true
    ON CONFLICT (${at}, property_id) DO UPDATE SET counts = EXCLUDED.counts`);
}

/** One of the two tables, which differ only in their unit of time. */
const HOURS = { table: statisticsHourly, at: 'hour' } as const;
const DAYS = { table: statisticsDaily, at: 'day' } as const;
type Unit = typeof HOURS | typeof DAYS;

/** The columns of the key, and the counts. */
const columnsOf = ({ table }: Unit) => Object.entries(getTableColumns(table));

function toRecords(tx: Executor, unit: Unit, sums: readonly Sum<Hour | Day>[]): SQL {
  const rows = sums.map(({ at, id, counts }) => ({
    [unit.at]: at,
    propertyId: id,
    counts: encodeCounts(counts),
  }));
  return tx.engine.toRecords(columnsOf(unit), rows);
}
