import { getTableColumns, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from './transact.ts';

/**
 * Matches rows whose column has one of the values. Unlike `inArray`, the text of the query does not depend on the number of values, so
 * the server prepares it once.
 */
export function isAnyOf(column: PgColumn, values: readonly (number | string)[]): SQL {
  const list = sql`SELECT json_array_elements_text(${toJson(values)})::${sql.raw(column.getSQLType())}`;
  return sql`${column} = ANY (ARRAY(${list}))`;
}

/** Maximum number of rows that one statement inserts. */
const INSERT_SIZE = 1000;

/**
 * Inserts many rows with a few statements whose text does not depend on the number of rows. Omitted values become null, except that a
 * column that all rows omit gets its default. Does not support columns of the type `bytea`.
 */
export async function insertRows<Table extends PgTable>(
  orm: Executor,
  table: Table,
  rows: readonly InferInsertModel<Table>[],
): Promise<void> {
  for (let i = 0; i < rows.length; i += INSERT_SIZE) await insert(orm, table, rows.slice(i, i + INSERT_SIZE));
}

async function insert(
  orm: Executor,
  table: PgTable,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns = Object.entries(getTableColumns(table)).filter(([key]) =>
    rows.some((row) => row[key] !== undefined),
  );
  const names = sql.join(
    columns.map(([, { name }]) => sql.identifier(name)),
    sql`, `,
  );
  await orm.execute(sql`INSERT INTO ${table} (${names}) SELECT ${names} FROM ${toRecords(columns, rows)}`);
}

/** @returns a row source for FROM, with the name `records` and the given columns */
export function toRecords(
  columns: readonly (readonly [string, PgColumn])[],
  rows: readonly Readonly<Record<string, unknown>>[],
): SQL {
  const types = columns.map(
    ([, column]) => sql`${sql.identifier(column.name)} ${sql.raw(column.getSQLType())}`,
  );
  const values = rows.map((row) =>
    Object.fromEntries(
      columns.map(([key, column]) => {
        const value = row[key] ?? null;
        return [column.name, value === null ? null : column.mapToDriverValue(value)];
      }),
    ),
  );
  return sql`json_to_recordset(${toJson(values)}) AS records (${sql.join(types, sql`, `)})`;
}

/** Passes JSON as text, because the client would encode a parameter of the type `json` a second time. */
function toJson(value: unknown): SQL {
  return sql`${JSON.stringify(value)}::text::json`;
}
