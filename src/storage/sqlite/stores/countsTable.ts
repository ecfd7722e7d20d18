import type { Bucket, Counts, Day, Hour } from '../../../model/statistics.ts';
import { addCounts, decodeCounts, encodeCounts } from '../../counts.ts';
import type { MainDatabase } from '../open.ts';

export type CountsTable<At extends Hour | Day> = ReturnType<typeof createCountsTable<At>>;

/** One of the two tables of statistics, which differ only in their unit of time. */
export function createCountsTable<At extends Hour | Day>({ raw }: MainDatabase, table: string, unit: string) {
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
