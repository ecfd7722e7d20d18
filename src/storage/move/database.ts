import { hostname } from 'node:os';
import { sql } from 'drizzle-orm';
import { closeAfter } from '../../lib/closing.ts';
import type { Builders } from '../executor.ts';
import { MovedDataError } from '../movedData.ts';
import { connect, type Database, type DatabaseLocation } from '../postgres/connect.ts';
import { toStoreFailure } from '../postgres/failures.ts';
import { lock } from '../postgres/locks.ts';
import { checkNotMoved, markMoved, migrate } from '../postgres/migrate.ts';
import { rejectPooler } from '../postgres/pooler.ts';
import { createServers } from '../postgres/servers.ts';
import { MoveError } from './side.ts';
import { CLAIM_TABLES, MAIN_TABLES } from './tables.ts';

/** @throws MoveError if the database contains data that was moved to a folder, and is therefore not empty */
export async function migrateTarget(database: Database): Promise<void> {
  try {
    await migrate(database);
  } catch (error) {
    if (!(error instanceof MovedDataError)) throw error;
    throw new MoveError(`the database is not empty: ${error.message}`);
  }
}

/** @throws if it is unknown, for example because the transaction that writes the database has not ended */
export async function isEmptyDatabase(location: DatabaseLocation): Promise<boolean> {
  return withPostgres(location, ({ orm }) =>
    orm.transaction(async (tx) => {
      // A move holds the lock until its transaction has ended.
      await tx.execute(lock('migrations'));
      const [row] = await tx.execute<{ isEmpty: boolean }>(
        sql`SELECT NOT EXISTS (SELECT FROM installation) AND NOT EXISTS (SELECT FROM plans) AS "isEmpty"`,
      );
      return row?.isEmpty === true;
    }),
  );
}

/** @returns the database without its credentials */
export function describeDatabase({ url: { database, hosts } }: DatabaseLocation): string {
  return `the database ${database} on ${hosts.map(({ host }) => host).join(', ')}`;
}

/**
 * Marks the database as moved, just before the folder appears: at no time can a server use both copies.
 *
 * @throws MoveError if a node or a command has used the database since it was copied
 */
export async function markSource({ orm }: Database, dataDir: string): Promise<void> {
  await orm.transaction(async (tx) => {
    // A node that starts now waits for this transaction, and then finds the mark.
    await tx.execute(lock('migrations'));
    await checkNotMoved(tx);
    await markMoved(tx, `the folder ${dataDir} on ${hostname()}`);
    await rejectRunningNodes(tx);
  });
}

/** Runs work on one connection. */
export async function withPostgres<T>(
  location: DatabaseLocation,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  await rejectPooler(location);
  const primary = await createServers(location).find();
  const database = connect(primary.location, { max: 1, parameters: { application_name: 'postern move' } });
  return closeAfter(database.close, async () => {
    try {
      return await work(database);
    } catch (error) {
      throw toStoreFailure(error);
    }
  });
}

/** @throws MoveError if a node or a command is connected to the database */
export async function rejectRunningNodes(tx: Builders): Promise<void> {
  const [row] = await tx.execute<{ connections: string }>(sql`
    SELECT count(*) AS connections FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'postern%'`);
  if (Number(row?.connections) > 0)
    throw new MoveError('a node or a command is using the database; stop it first');
}

/** @throws MoveError if a table of the target has rows */
export async function rejectRows(tx: Builders): Promise<void> {
  for (const { name } of [...MAIN_TABLES, ...CLAIM_TABLES]) {
    const rows = await tx.execute(sql`SELECT 1 FROM ${sql.identifier(name)} LIMIT 1`);
    if (rows.length > 0) throw new MoveError(`the database is not empty: the table ${name} has rows`);
  }
}
