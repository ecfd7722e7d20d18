import { count, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { MainDatabase } from './open.ts';

/** Whether a table has a row that meets the condition. */
export function hasRow({ orm }: MainDatabase, table: SQLiteTable, condition: SQL | undefined): boolean {
  return orm.select({ found: sql`1` }).from(table).where(condition).limit(1).get() !== undefined;
}

/** The number of rows that meet the condition. */
export function countRows({ orm }: MainDatabase, table: SQLiteTable, condition?: SQL): number {
  return orm.select({ rows: count() }).from(table).where(condition).get()?.rows ?? 0;
}
