import { sql } from 'drizzle-orm';
import type { BunSQLQueryResultHKT } from 'drizzle-orm/bun-sql';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import type { Database } from './connect.ts';
import { lock } from './locks.ts';

/** Runs queries, inside or outside a transaction. */
export type Executor = PgDatabase<BunSQLQueryResultHKT, Record<string, never>>;

/** The channel on which nodes announce changes of data that servers cache. */
export const CHANGE_CHANNEL = 'postern_changes';

/**
 * Runs a management write in one transaction, all or nothing. The transactions of all nodes run one after another, so the data that
 * they read does not change until they end.
 *
 * @throws the error of the work or of PostgreSQL; then nothing was changed
 */
export async function transact<T>({ orm, writes }: Database, work: (tx: Executor) => Promise<T>): Promise<T> {
  await writes.acquire();
  try {
    return await orm.transaction(async (tx) => {
      await tx.execute(lock('management'));
      return work(tx);
    });
  } finally {
    writes.release();
  }
}

/** Runs several queries on one snapshot of the database, which does not include later commits. */
export function snapshot<T>({ orm }: Database, work: (tx: Executor) => Promise<T>): Promise<T> {
  return orm.transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}

/** Announces at the commit that data that servers cache has changed. */
export async function announceChange(tx: Executor): Promise<void> {
  await tx.execute(sql`
    WITH changed AS (UPDATE change_version SET version = version + 1 RETURNING version)
    SELECT pg_notify(${CHANGE_CHANNEL}, version::text) FROM changed`);
}
