import type { StatisticsStore } from '../../../model/ports/statistics.ts';
import type { PropertyId, Sitekey } from '../../../model/property.ts';
import {
  type Bucket,
  type Counts,
  type Day,
  dayOfHour,
  firstHourOf,
  type Hour,
} from '../../../model/statistics.ts';
import { addCounts, bytesOfCounts, noCounts } from '../counts.ts';
import { type MainDatabase, snapshot, transact } from '../open.ts';

/** Stands for the installation where a property's number is expected; no property has it. */
const INSTALLATION = 0;
/** Hours that are moved in one go; one go takes some milliseconds. */
const MOVE_SIZE = 256;
/** Days forgotten in one go. */
const PURGE_SIZE = 5000;

// The key begins with the time, so each wanted hour or day is a look-up of its own: a microsecond each.
const wantedOf = (table: string, unit: string): string => `
WITH RECURSIVE wanted (at) AS (SELECT ?1 WHERE ?1 < ?2 UNION ALL SELECT at + 1 FROM wanted WHERE at + 1 < ?2)
SELECT at, counts FROM wanted CROSS JOIN ${table} ON ${unit} = at AND property_id = ?3`;

type Row<At> = { readonly at: At; readonly counts: Uint8Array };

/** @see StatisticsStore */
export function createStatisticsStore(database: MainDatabase): StatisticsStore {
  const { raw } = database;
  const hours = createTable<Hour>(database, 'statistics_hourly', 'hour');
  const days = createTable<Day>(database, 'statistics_daily', 'day');
  const idOf = createFindId(database);
  const moveUp = createMove(database, days);
  const oldestHour = raw.query<{ hour: number | null }, []>(
    'SELECT min(hour) AS hour FROM statistics_hourly',
  );
  const purge = raw.query<unknown, [number, number]>('DELETE FROM statistics_daily WHERE day < ? LIMIT ?');

  function byDay(id: number, from: Day, until: Day): readonly Bucket<Day>[] {
    const found = new Map<Day, Float64Array>();
    const add = (day: Day, counts: Counts) => {
      const sum = found.get(day) ?? noCounts();
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (counts[i] as number);
      found.set(day, sum);
    };
    for (const { at, counts } of days.read(id, from, until)) add(at, counts);
    // The hours that are not rolled up yet.
    const first = Math.max(firstHourOf(from), oldestHour.get()?.hour ?? firstHourOf(until)) as Hour;
    for (const { at, counts } of hours.read(id, first, firstHourOf(until))) add(dayOfHour(at), counts);
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
    // In one snapshot: a roll-up between the two queries would show its hours twice, or not at all.
    byDay: async (id, from, until) => snapshot(database, () => byDay(id ?? INSTALLATION, from, until)),
    rollUp: (before) => transact(database, () => moveUp(before)),
    async purge(before) {
      return purge.run(before, PURGE_SIZE).changes;
    },
  };
}

/** Forgets a property's days. Its hours are days by then: what is deleted counts nothing more. */
export function createForget({ raw }: MainDatabase) {
  const oldestDay = raw.query<{ day: number | null }, []>('SELECT min(day) AS day FROM statistics_daily');
  const forget = raw.query<unknown, [number, number, number]>(`
    DELETE FROM statistics_daily WHERE property_id = ?3 AND day IN (
      WITH RECURSIVE wanted (at) AS (SELECT ?1 UNION ALL SELECT at + 1 FROM wanted WHERE at < ?2) SELECT at FROM wanted)`);
  return (id: PropertyId, from: Day, until: Day): void => {
    const oldest = oldestDay.get()?.day ?? until;
    if (oldest < until) forget.run(Math.max(from, oldest), until, id);
  };
}

type Table<At extends Hour | Day> = ReturnType<typeof createTable<At>>;

/** One of the two tables, which differ in their unit of time alone. */
function createTable<At extends Hour | Day>({ raw }: MainDatabase, table: string, unit: string) {
  const find = raw.query<{ counts: Uint8Array }, [number, number]>(
    `SELECT counts FROM ${table} WHERE ${unit} = ? AND property_id = ?`,
  );
  const put = raw.query<unknown, [number, number, Uint8Array]>(
    `INSERT OR REPLACE INTO ${table} (${unit}, property_id, counts) VALUES (?, ?, ?)`,
  );
  const wanted = raw.query<Row<At>, [number, number, number]>(wantedOf(table, unit));
  return {
    /** Within a transaction. */
    add(at: At, id: number, counts: Counts): void {
      const kept = find.get(at, id);
      if (kept === null) return void put.run(at, id, bytesOfCounts(counts));
      const sum = Float64Array.from(counts);
      addCounts(kept.counts, sum);
      put.run(at, id, bytesOfCounts(sum));
    },
    read(id: number, from: At, until: At): readonly Bucket<At>[] {
      return wanted.all(from, until, id).map((row) => ({ at: row.at, counts: countsOf(row.counts) }));
    },
  };
}

function countsOf(bytes: Uint8Array): Float64Array {
  const counts = noCounts();
  addCounts(bytes, counts);
  return counts;
}

/** What a sitekey counts for: a live property, or else the installation. */
function createFindId({ raw }: MainDatabase) {
  const find = raw.query<{ id: number }, [string]>(`
    SELECT id FROM properties WHERE sitekey = ? AND deleted_at IS NULL
    AND (SELECT o.deleted_at FROM organizations o WHERE o.id = organization_id) IS NULL`);
  return (sitekey: Sitekey | undefined): number =>
    sitekey === undefined ? INSTALLATION : (find.get(sitekey)?.id ?? INSTALLATION);
}

/** Moves the oldest hours into their days; those of properties that have been purged go with them. */
function createMove({ raw }: MainDatabase, days: Table<Day>) {
  type Old = {
    readonly hour: Hour;
    readonly id: number;
    readonly counts: Uint8Array;
    readonly isKept: number;
  };
  const oldest = raw.query<Old, [number, number]>(`
    SELECT hour, property_id AS id, counts,
      property_id = ${INSTALLATION} OR EXISTS (SELECT 1 FROM properties p WHERE p.id = property_id) AS isKept
    FROM statistics_hourly WHERE hour < ? ORDER BY hour, property_id LIMIT ?`);
  const drop = raw.query<unknown, [number, number]>(
    'DELETE FROM statistics_hourly WHERE (hour, property_id) <= (?, ?)',
  );
  return (before: Hour): number => {
    const rows = oldest.all(before, MOVE_SIZE);
    for (const { hour, id, counts, isKept } of rows) {
      if (isKept === 1) days.add(dayOfHour(hour), id, countsOf(counts));
    }
    const last = rows.at(-1);
    if (last !== undefined) drop.run(last.hour, last.id);
    return rows.length;
  };
}
