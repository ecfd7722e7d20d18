import type { Database } from 'bun:sqlite';
import { GROUP_SIZE, type Target } from './side.ts';
import type { Column, Row, Table } from './tables.ts';

type Stored = string | number | Uint8Array | null;

/** Reads and writes the tables of one SQLite file. The caller begins and ends the transaction. */
export function createSqliteSide(database: Database): Target {
  const isCounted = (table: Table) =>
    database
      .query('SELECT 1 FROM sqlite_master WHERE name = ? AND sql LIKE ?')
      .get(table.name, '%AUTOINCREMENT%') !== null;
  return {
    async *read(table) {
      const columns = table.columns
        .map((column) => `${nameOf(table, column)} AS "${column.name}"`)
        .join(', ');
      const key = table.key.map((name) => `"${name}"`).join(', ');
      const rows = database.query<Record<string, Stored>, []>(
        `SELECT ${columns} FROM "${table.name}" ORDER BY ${key}`,
      );
      let group: Row[] = [];
      for (const row of rows.iterate()) {
        group.push(table.columns.map((column) => fromStored(column, row[column.name] ?? null)));
        if (group.length < GROUP_SIZE) continue;
        yield group;
        group = [];
      }
      if (group.length > 0) yield group;
    },
    async write(table, rows) {
      const columns = table.columns.map((column) => nameOf(table, column)).join(', ');
      const places = table.columns.map(() => '?').join(', ');
      const insert = database.query<unknown, Stored[]>(
        `INSERT INTO "${table.name}" (${columns}) VALUES (${places})`,
      );
      for (const row of rows) insert.run(...row.map(toStored));
    },
    async lastNumber(table) {
      // `sqlite_sequence` has no entry for a table that never had a row (https://sqlite.org/autoinc.html).
      const sql = isCounted(table)
        ? `SELECT seq AS last FROM sqlite_sequence WHERE name = '${table.name}'`
        : `SELECT max(rowid) AS last FROM "${table.name}"`;
      return database.query<{ last: number | null }, []>(sql).get()?.last ?? 0;
    },
    async setLastNumber(table, last) {
      if (!isCounted(table) || last === 0) return;
      database.run('DELETE FROM sqlite_sequence WHERE name = ?', [table.name]);
      database.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table.name, last]);
    },
  };
}

/** Signing keys have no column for their number, which is SQLite's row id. */
function nameOf(table: Table, column: Column): string {
  return table.name === 'signing_keys' && column.name === 'number' ? 'rowid' : `"${column.name}"`;
}

function fromStored({ type }: Column, value: Stored): Row[number] {
  return type === 'boolean' && value !== null ? value === 1 : value;
}

function toStored(value: Row[number]): Stored {
  return typeof value === 'boolean' ? Number(value) : value;
}
