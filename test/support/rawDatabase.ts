import type { Database } from 'bun:sqlite';
import type { SQL } from 'bun';

type Value = string | number | boolean | null | Uint8Array;

/** Direct SQL for tests that prepare or read what no public interface offers. Tests use only SQL that all engines have. */
export type RawDatabase = {
  /**
   * Runs one statement. `?` stands for a parameter. Integers are numbers; booleans are 0 and 1 in SQLite.
   *
   * @returns the rows
   */
  readonly query: <Row = Record<string, unknown>>(sql: string, params?: readonly Value[]) => Promise<Row[]>;
};

export function rawSqlite(database: Database): RawDatabase {
  return {
    async query<Row>(sql: string, params: readonly Value[] = []) {
      return database.query<Row, Value[]>(sql).all(...params);
    },
  };
}

/** @param sql a client with the option `bigint` */
export function rawPostgres(client: SQL): RawDatabase {
  return {
    async query<Row>(sql: string, params: readonly Value[] = []) {
      let count = 0;
      const rows = await client.unsafe(
        sql.replaceAll('?', () => `$${++count}`),
        [...params],
      );
      return rows.map((row: Record<string, unknown>) => withNumbers(row) as Row);
    },
  };
}

const withNumbers = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  );

/** @param rows a table, which can be followed by a condition */
export async function countRows({ raw }: { readonly raw: RawDatabase }, rows: string): Promise<number> {
  const [row] = await raw.query<{ n: number }>(`SELECT count(*) AS n FROM ${rows}`);
  return row?.n ?? 0;
}
