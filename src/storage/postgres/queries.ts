import { count, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from './transact.ts';

/** Whether a table has a row that meets the condition. */
export async function hasRow(orm: Executor, table: PgTable, condition: SQL | undefined): Promise<boolean> {
  const rows = await orm.select({ found: sql`1` }).from(table).where(condition).limit(1);
  return rows.length > 0;
}

/** The number of rows that meet the condition. */
export async function countRows(orm: Executor, table: PgTable, condition?: SQL): Promise<number> {
  const [row] = await orm.select({ rows: count() }).from(table).where(condition);
  return row?.rows ?? 0;
}

/** Runs a query that drizzle cannot express. @returns its rows; the caller specifies their type, and `bigint` values are text */
export async function selectRows<Row extends object>(orm: Executor, query: SQL): Promise<readonly Row[]> {
  const rows: readonly unknown[] = await orm.execute(query);
  return rows as readonly Row[];
}

/**
 * Matches texts that contain `part`. PostgreSQL rejects parameters with the character U+0000 (error 22021), which no stored text
 * contains.
 */
export function contains(text: SQLWrapper, part: string): SQL {
  return part.includes('\0') ? sql`false` : sql`strpos(${text}, ${part}) > 0`;
}
