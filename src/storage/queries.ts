import { count, getTableColumns, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { EmailRow, EmailWork } from './emails.ts';
import type { Builders, Executor } from './executor.ts';

/** Whether a table has a row that meets the condition. */
export async function hasRow(orm: Builders, table: PgTable, condition: SQL | undefined): Promise<boolean> {
  const rows = await orm.select({ found: sql`1` }).from(table).where(condition).limit(1);
  return rows.length > 0;
}

/** The number of rows that meet the condition. */
export async function countRows(orm: Builders, table: PgTable, condition?: SQL): Promise<number> {
  const [row] = await orm.select({ rows: count() }).from(table).where(condition);
  return row?.rows ?? 0;
}

/**
 * Runs a query that drizzle cannot express.
 *
 * @returns its rows; the caller specifies their type. PostgreSQL returns `bigint` values as text, and SQLite returns truth values as numbers
 */
export async function selectRows<Row extends object>(orm: Builders, query: SQL): Promise<readonly Row[]> {
  const rows: readonly unknown[] = await orm.execute(query);
  return rows as readonly Row[];
}

/** Runs the statements of work, and passes it their rows. */
export async function runEmailWork<Result>(orm: Builders, work: EmailWork<Result>): Promise<Result> {
  let step = work.next();
  while (!step.done) {
    const { texts, values } = step.value;
    step = work.next(await selectRows<EmailRow>(orm, sql(texts as TemplateStringsArray, ...values)));
  }
  return step.value;
}

type Preparable<Row> = {
  prepare(name: string): {
    readonly execute: (values: Record<string, unknown>) => Promise<Row[]>;
  };
};

/**
 * Returns a function that runs a query. Builds the query once for each executor, because with SQLite, building takes several times as long as
 * running it.
 *
 * @param build returns a query with placeholders for the values
 */
export function prepared<Values extends Readonly<Record<string, unknown>>, Row>(
  build: (orm: Executor) => Preparable<Row>,
): (orm: Executor, values: Values) => Promise<readonly Row[]> {
  const built = new WeakMap<Executor, ReturnType<Preparable<Row>['prepare']>>();
  return (orm, values) => {
    const query = built.get(orm) ?? build(orm).prepare('');
    built.set(orm, query);
    return query.execute(values);
  };
}

/**
 * Converts a value of a column for JSON; null if it is omitted. Replaces lone surrogates, which PostgreSQL rejects in JSON, and SQLite would
 * store as invalid UTF-8.
 */
export function toJsonValue(column: PgColumn, value: unknown): unknown {
  const given = value === undefined || value === null ? null : column.mapToDriverValue(value);
  return typeof given === 'string' ? given.toWellFormed() : given;
}

/** Maximum number of rows that one statement inserts. */
const INSERT_SIZE = 1000;

/**
 * Inserts many rows with a few statements whose text does not depend on the number of rows. Omitted values become null, except that a
 * column that all rows omit gets its default.
 */
export async function insertRows<Table extends PgTable>(
  orm: Executor,
  table: Table,
  rows: readonly InferInsertModel<Table>[],
): Promise<void> {
  for (let i = 0; i < rows.length; i += INSERT_SIZE) await insert(orm, table, rows.slice(i, i + INSERT_SIZE));
}

async function insert(orm: Executor, table: PgTable, rows: readonly Readonly<Record<string, unknown>>[]) {
  const columns = Object.entries(getTableColumns(table)).filter(([key]) =>
    rows.some((row) => row[key] !== undefined),
  );
  const names = sql.raw(columns.map(([, { name }]) => name).join(', '));
  const records = orm.engine.toRecords(columns, rows);
  await orm.execute(sql`INSERT INTO ${table} (${names}) SELECT ${names} FROM ${records}`);
}
