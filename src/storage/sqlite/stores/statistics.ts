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
} from '../../../model/statistics.ts';
import { addCounts, decodeCounts, encodeCounts } from '../../counts.ts';
import { type MainDatabase, snapshot, transact } from '../open.ts';

/** The property id of the installation's own counts; no property has it. */
const INSTALLATION = 0;
/** Maximum number of rows that one call moves; a call takes a few milliseconds. */
const ROLL_UP_SIZE = 256;
/** Maximum number of rows that one call deletes. */
const PURGE_SIZE = 5000;

/** @see StatisticsStore */
export function createStatisticsStore(database: MainDatabase): StatisticsStore {
  const { raw } = database;
  const hours = createTable<Hour>(database, 'statistics_hourly', 'hour');
  const days = createTable<Day>(database, 'statistics_daily', 'day');
  const idOf = createFindId(database);
  const rollUp = createRollUp(database, days);
  const firstHour = raw.query<{ hour: Hour }, [Hour, Hour]>(
    'SELECT max(?1, coalesce((SELECT min(hour) FROM statistics_hourly), ?2)) AS hour',
  );
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
        for (const { sitekey, hour, counts } of records) hours.add(hour, idOf(sitekey), counts);
      }),
    async byHour(id, from, until) {
      return hours.read(id ?? INSTALLATION, from, until);
    },
    // In one snapshot, because a roll-up between the two queries would count its hours twice or not at all.
    byDay: async (id, from, until) => snapshot(database, () => byDay(id ?? INSTALLATION, from, until)),
    rollUp: (before) => transact(database, () => rollUp(before)),
    async purge(before) {
      return purge.run(before, PURGE_SIZE).changes;
    },
  };
}

/**
 * @returns a function that deletes the days of a property, from its creation to its purge. Its hours have been moved into days by
 *   then, because a deleted property has no new counts.
 */
export function createDeleteDays({ raw }: MainDatabase) {
  const deleteDays = raw.query<unknown, [Day, Day, PropertyId]>(`
    DELETE FROM statistics_daily WHERE property_id = ?3 AND day IN (
      WITH RECURSIVE wanted (at) AS (
        SELECT max(?1, coalesce((SELECT min(day) FROM statistics_daily), ?2))
        UNION ALL SELECT at + 1 FROM wanted WHERE at < ?2
      ) SELECT at FROM wanted)`);
  return (id: PropertyId, from: Day, until: Day): void => void deleteDays.run(from, until, id);
}

type Table<At extends Hour | Day> = ReturnType<typeof createTable<At>>;

/** One of the two tables, which differ only in their unit of time. */
function createTable<At extends Hour | Day>({ raw }: MainDatabase, table: string, unit: string) {
  const find = raw.query<{ counts: Uint8Array }, [At, number]>(
    `SELECT counts FROM ${table} WHERE ${unit} = ? AND property_id = ?`,
  );
  const put = raw.query<unknown, [At, number, Uint8Array]>(
    `INSERT OR REPLACE INTO ${table} (${unit}, property_id, counts) VALUES (?, ?, ?)`,
  );
  // The primary key starts with the time, so each hour or day costs one lookup of a microsecond.
  const select = raw.query<{ at: At; counts: Uint8Array }, [At, At, number]>(`
    WITH RECURSIVE wanted (at) AS (SELECT ?1 WHERE ?1 < ?2 UNION ALL SELECT at + 1 FROM wanted WHERE at + 1 < ?2)
    SELECT at, counts FROM wanted CROSS JOIN ${table} ON ${unit} = at AND property_id = ?3`);
  return {
    /** Call it inside a transaction. */
    add(at: At, id: number, counts: Counts): void {
      const stored = find.get(at, id);
      if (stored === null) return void put.run(at, id, encodeCounts(counts));
      const sum = decodeCounts(stored.counts);
      addCounts(sum, counts);
      put.run(at, id, encodeCounts(sum));
    },
    read(id: number, from: At, until: At): readonly Bucket<At>[] {
      return select.all(from, until, id).map(({ at, counts }) => ({ at, counts: decodeCounts(counts) }));
    },
  };
}

/** @returns a function that returns the id of a live property, or the id of the installation for any other sitekey */
function createFindId({ raw }: MainDatabase) {
  const find = raw.query<{ id: PropertyId }, [Sitekey]>(`
    SELECT id FROM properties WHERE sitekey = ? AND deleted_at IS NULL
    AND (SELECT o.deleted_at FROM organizations o WHERE o.id = organization_id) IS NULL`);
  return (sitekey: Sitekey | undefined): number =>
    (sitekey === undefined ? undefined : find.get(sitekey)?.id) ?? INSTALLATION;
}

/** @returns a function that moves the oldest hours into their days, and deletes the hours of purged properties */
function createRollUp({ raw }: MainDatabase, days: Table<Day>) {
  type Old = {
    readonly hour: Hour;
    readonly id: number;
    readonly counts: Uint8Array;
    readonly hasProperty: number;
  };
  const oldest = raw.query<Old, [Hour, number]>(`
    SELECT hour, property_id AS id, counts,
      property_id = ${INSTALLATION} OR EXISTS (SELECT 1 FROM properties p WHERE p.id = property_id) AS hasProperty
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
