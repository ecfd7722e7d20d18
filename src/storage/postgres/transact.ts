import { sql } from 'drizzle-orm';
import type { BunSQLQueryResultHKT } from 'drizzle-orm/bun-sql';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import type { Database } from './connect.ts';
import { lock } from './locks.ts';

/** Runs queries, inside or outside a transaction. */
export type Executor = PgDatabase<BunSQLQueryResultHKT, Record<string, never>>;

/** The channel on which nodes announce changes to data that servers cache. */
export const CHANGE_CHANNEL = 'postern_changes';

/**
 * Runs a management write in one transaction, all or nothing. The management writes of all nodes run one after another, so none of them
 * changes data that another has read.
 *
 * @throws the error of the work or of PostgreSQL; then nothing was changed, unless the connection was lost during the commit
 */
export function transact<T>({ orm, inTurn }: Database, work: (tx: Executor) => Promise<T>): Promise<T> {
  return inTurn(() =>
    orm.transaction(async (tx) => {
      await tx.execute(lock('management'));
      return work(tx);
    }),
  );
}

/** Runs several queries in a read-only transaction on one snapshot of the database, which does not include later commits. */
export function snapshot<T>({ orm }: Database, work: (tx: Executor) => Promise<T>): Promise<T> {
  return orm.transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}

/** Announces a change to data that servers cache, when the transaction commits. */
export async function announceChange(tx: Executor): Promise<void> {
  await tx.execute(sql`
    WITH changed AS (UPDATE change_version SET version = version + 1 RETURNING version)
    SELECT pg_notify(${CHANGE_CHANNEL}, version::text) FROM changed`);
}
