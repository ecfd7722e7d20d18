import { sql } from 'drizzle-orm';
import type { Builders } from '../executor.ts';
import { GROUP_SIZE, MoveError, type Target } from './side.ts';
import type { Column, Row, Table } from './tables.ts';

type Stored = Readonly<Record<string, unknown>>;

/** Reads and writes the tables of a PostgreSQL database, in one transaction. */
export function createPostgresSide(tx: Builders): Target {
  let cursors = 0;
  return {
    async *read(table) {
      const cursor = sql.identifier(`rows${++cursors}`);
      const key = sql.raw(table.key.map((name) => `"${name}"`).join(', '));
      await tx.execute(
        sql`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT * FROM ${sql.identifier(table.name)} ORDER BY ${key}`,
      );
      for (;;) {
        const rows = await tx.execute<Stored>(sql`FETCH ${sql.raw(String(GROUP_SIZE))} FROM ${cursor}`);
        if (rows.length === 0) break;
        yield rows.map((row) => table.columns.map((column) => fromStored(column, row[column.name])));
      }
      await tx.execute(sql`CLOSE ${cursor}`);
    },
    async write(table, rows) {
      const columns = sql.raw(table.columns.map(({ name }) => `"${name}"`).join(', '));
      const name = sql.identifier(table.name);
      await tx.execute(sql`
        INSERT INTO ${name} (${columns})
        SELECT ${columns} FROM json_populate_recordset(NULL::${name}, ${toJson(table, rows)}::text::json)`);
    },
    async lastNumber(table) {
      const [row] = await tx.execute<{ last: string | null }>(sql`
        SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${sql.raw(await sequenceOf(tx, table))}`);
      return Number(row?.last ?? 0);
    },
    async setLastNumber(table, last) {
      const sequence = await sequenceOf(tx, table);
      if (last > 0) await tx.execute(sql`SELECT setval(${sequence}::regclass, ${last}::bigint)`);
    },
  };
}

/** @returns the qualified name of the sequence that numbers a table's rows */
async function sequenceOf(tx: Builders, { name, numbered }: Table): Promise<string> {
  const [row] = await tx.execute<{ sequence: string | null }>(
    sql`SELECT pg_get_serial_sequence(${name}, ${numbered ?? ''}) AS sequence`,
  );
  if (typeof row?.sequence !== 'string') throw new TypeError(`the rows of ${name} have no numbers`);
  return row.sequence;
}

/** @throws MoveError if a text contains the character U+0000, which PostgreSQL cannot store */
function toJson(table: Table, rows: readonly Row[]): string {
  const toValue = (value: Row[number], { name }: Column) => {
    if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
    if (typeof value === 'string' && value.includes('\0')) {
      throw new MoveError(
        `the column ${name} of the table ${table.name} contains the character U+0000, which PostgreSQL cannot store`,
      );
    }
    return value;
  };
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(table.columns.map((column, i) => [column.name, toValue(row[i] ?? null, column)])),
    ),
  );
}

/** The PostgreSQL client returns `bigint` values as text. */
function fromStored({ type }: Column, value: unknown): Row[number] {
  if (value === null || value === undefined) return null;
  if (type === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new TypeError(`unexpected value of the type ${typeof value}`);
}
