import type { OrganizationId } from '../../../model/organization.ts';
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
  type UsageRecord,
} from '../../../model/statistics.ts';
import { addCounts, decodeCounts } from '../../counts.ts';
import { ALL_PROPERTIES, INSTALLATION, idOfOrganization, idOfSubject } from '../../subjects.ts';
import { type MainDatabase, snapshot, transact } from '../open.ts';
import { createSummarize } from './activity.ts';
import { type CountsTable, createCountsTable } from './countsTable.ts';

/** Maximum number of rows that one call moves; a call takes a few milliseconds. */
const ROLL_UP_SIZE = 256;
/** Maximum number of rows that one call deletes. */
const PURGE_SIZE = 5000;

/** @see StatisticsStore */
export function createStatisticsStore(database: MainDatabase): StatisticsStore {
  const { raw } = database;
  const hours = createCountsTable<Hour>(database, 'statistics_hourly', 'hour');
  const days = createCountsTable<Day>(database, 'statistics_daily', 'day');
  const idsOf = createFindIds(database);
  const summarize = createSummarize(database, hours, days);
  const rollUp = createRollUp(database, days);
  const firstHour = raw.query<{ hour: Hour }, [Hour, Hour]>(
    'SELECT max(?1, coalesce((SELECT min(hour) FROM statistics_hourly), ?2)) AS hour',
  );
  const inHour = raw.query<{ id: PropertyId; counts: Uint8Array }, [Hour, number, number]>(`
    SELECT property_id AS id, counts FROM statistics_hourly WHERE hour = ? AND property_id > ?
    ORDER BY property_id LIMIT ?`);
  const purge = raw.query<unknown, [Day, number]>('DELETE FROM statistics_daily WHERE day < ? LIMIT ?');

  function byDay(id: number, from: Day, until: Day): readonly Bucket<Day>[] {
    const found = new Map<Day, Float64Array>();
    const add = (day: Day, counts: Counts) => {
      const sum = found.get(day) ?? new Float64Array(COUNTS_SIZE);
      addCounts(sum, counts);
      found.set(day, sum);
    };
    for (const { at, counts } of days.read(id, from, until)) add(at, counts);
    // The hours that have not been moved into their days.
    const [start, end] = [firstHourOf(from), firstHourOf(until)];
    const first = firstHour.get(start, end)?.hour ?? end;
    for (const { at, counts } of hours.read(id, first, end)) add(dayFromHour(at), counts);
    return [...found].map(([day, counts]) => ({ at: day, counts }));
  }

  return {
    add: (records) =>
      transact(database, () => {
        for (const { id, hour, counts } of sumOf(records, idsOf)) hours.add(hour, id, counts);
      }),
    async byHour(id, from, until) {
      return hours.read(id ?? INSTALLATION, from, until);
    },
    // In one snapshot, because a roll-up between the two queries would count its hours twice or not at all.
    byDay: async (id, from, until) => snapshot(database, () => byDay(id ?? INSTALLATION, from, until)),
    byHourOf: async (subjects, from, until) =>
      subjects.map((subject) => ({ subject, hours: hours.read(idOfSubject(subject), from, until) })),
    async inHour(hour, after, limit) {
      return inHour.all(hour, after, limit).map(({ id, counts }) => ({ id, counts: decodeCounts(counts) }));
    },
    summarize: (now, after) => transact(database, () => summarize(now, after)),
    rollUp: (before) => transact(database, () => rollUp(before)),
    async purge(before) {
      return purge.run(before, PURGE_SIZE).changes;
    },
  };
}

/**
 * @returns a function that deletes the days of a property or an organization, from its creation to its purge. Its hours have been moved into days by
 *   then, because a deleted property has no new counts.
 */
export function createDeleteDays({ raw }: MainDatabase) {
  const deleteDays = raw.query<unknown, [Day, Day, number]>(`
    DELETE FROM statistics_daily WHERE property_id = ?3 AND day IN (
      WITH RECURSIVE wanted (at) AS (
        SELECT max(?1, coalesce((SELECT min(day) FROM statistics_daily), ?2))
        UNION ALL SELECT at + 1 FROM wanted WHERE at < ?2
      ) SELECT at FROM wanted)`);
  return (id: number, from: Day, until: Day): void => void deleteDays.run(from, until, id);
}

/**
 * Finds properties by id if possible: records are ordered by id, so their rows are adjacent.
 *
 * @returns a function that returns the ids to whose counts the events of a record are added
 */
function createFindIds({ raw }: MainDatabase): (record: UsageRecord) => readonly number[] {
  type Row = { readonly id: PropertyId; readonly organizationId: OrganizationId };
  const select = `
    SELECT id, organization_id AS organizationId FROM properties WHERE sitekey = ?1 AND deleted_at IS NULL
    AND (SELECT o.deleted_at FROM organizations o WHERE o.id = organization_id) IS NULL`;
  const findBySitekey = raw.query<Row, [Sitekey]>(select);
  const findById = raw.query<Row, [Sitekey, PropertyId]>(`${select} AND id = ?2`);
  return ({ sitekey, id }) => {
    if (sitekey === undefined) return [INSTALLATION];
    const found = (id === undefined ? null : findById.get(sitekey, id)) ?? findBySitekey.get(sitekey);
    return found === null
      ? [INSTALLATION]
      : [found.id, idOfOrganization(found.organizationId), ALL_PROPERTIES];
  };
}

type Sum = { readonly id: number; readonly hour: Hour; counts: Float64Array };

/** Adds records up, so that each row is written once. */
function sumOf(records: readonly UsageRecord[], idsOf: ReturnType<typeof createFindIds>): Iterable<Sum> {
  const hours = new Map<Hour, Map<number, Sum>>();
  for (const record of records) {
    const { hour, counts } = record;
    const sums = hours.get(hour) ?? new Map<number, Sum>();
    hours.set(hour, sums);
    for (const id of idsOf(record)) {
      const sum = sums.get(id);
      if (sum === undefined) sums.set(id, { id, hour, counts: new Float64Array(counts) });
      else sum.counts = sumOfCounts(sum.counts, counts);
    }
  }
  return hours.values().flatMap((sums) => sums.values());
}

/** Adds `second` to `first`. @returns `first`, or a new array if `first` is too short */
function sumOfCounts(first: Float64Array, second: Counts): Float64Array {
  if (second.length > first.length) {
    const longer = new Float64Array(second.length);
    longer.set(first);
    addCounts(longer, second);
    return longer;
  }
  addCounts(first, second);
  return first;
}

/** @returns a function that moves the oldest hours into their days, and deletes the hours of purged properties */
function createRollUp({ raw }: MainDatabase, days: CountsTable<Day>) {
  type Old = {
    readonly hour: Hour;
    readonly id: number;
    readonly counts: Uint8Array;
    readonly hasProperty: number;
  };
  const oldest = raw.query<Old, [Hour, number]>(`
    SELECT hour, property_id AS id, counts,
      property_id <= ${INSTALLATION} OR EXISTS (SELECT 1 FROM properties p WHERE p.id = property_id) AS hasProperty
    FROM statistics_hourly WHERE hour < ? ORDER BY hour, property_id LIMIT ?`);
  const drop = raw.query<unknown, [Hour, number]>(
    'DELETE FROM statistics_hourly WHERE (hour, property_id) <= (?, ?)',
  );
  return (before: Hour): number => {
    const rows = oldest.all(before, ROLL_UP_SIZE);
    for (const { hour, id, counts, hasProperty } of rows) {
      if (hasProperty === 1) days.add(dayFromHour(hour), id, decodeCounts(counts));
    }
    const last = rows.at(-1);
    if (last !== undefined) drop.run(last.hour, last.id);
    return rows.length;
  };
}
