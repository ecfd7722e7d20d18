import type { Database as SqliteDatabase } from 'bun:sqlite';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { closeAfter, createClosing } from '../../lib/closing.ts';
import { connect, type Database, type DatabaseLocation } from '../postgres/connect.ts';
import { toStoreFailure } from '../postgres/failures.ts';
import { lock } from '../postgres/locks.ts';
import { migrate } from '../postgres/migrate.ts';
import { rejectPooler } from '../postgres/pooler.ts';
import { createServers } from '../postgres/servers.ts';
import { type Executor, snapshot } from '../postgres/transact.ts';
import { openConnection } from '../sqlite/connection.ts';
import { mainCounterIn } from '../sqlite/dataCounter.ts';
import { lockFolder } from '../sqlite/folderLock.ts';
import { openClaims } from '../sqlite/ledger/claims.ts';
import { writeCounter } from '../sqlite/ledger/claimsCounter.ts';
import { CLAIMS_FILE, MAIN_FILE, openMain } from '../sqlite/open.ts';
import { createPostgresSide } from './postgresSide.ts';
import { copyTables, type MovedTable, MoveError, type Target } from './side.ts';
import { createSqliteSide } from './sqliteSide.ts';
import { CLAIM_TABLES, MAIN_TABLES } from './tables.ts';

export type MoveOptions = {
  readonly dataDir: string;
  readonly location: DatabaseLocation;
  /** Called after each table was copied and compared. */
  readonly onTable: (moved: MovedTable) => void;
};

/**
 * Copies the databases of a data folder into an empty PostgreSQL database, all or nothing, and compares every row. Migrates the databases
 * on both sides, but changes no other data in the data folder.
 *
 * @returns the tables with their numbers of rows
 * @throws MoveError if the PostgreSQL database is not empty or in use, or FolderInUseError if a server or a command is using the data
 *   folder
 */
export async function moveToPostgres({
  dataDir,
  location,
  onTable,
}: MoveOptions): Promise<readonly MovedTable[]> {
  if (!existsSync(join(dataDir, MAIN_FILE))) throw new MoveError(`${dataDir} contains no database`);
  const closing = createClosing();
  closing.add('lock', lockFolder(dataDir, 'restore').release);
  return closeAfter(closing.close, () => {
    const source = openMain(dataDir, true).raw;
    closing.add('database', () => source.close());
    return withPostgres(location, async (database) => {
      await migrate(database);
      return database.orm.transaction(async (tx) => {
        // A node that starts now waits for this transaction, and then finds the data.
        await tx.execute(lock('migrations'));
        await rejectRunningNodes(tx);
        await rejectRows(tx);
        const target = createPostgresSide(tx);
        const moved = await copyTables(MAIN_TABLES, createSqliteSide(source), target, onTable);
        return [...moved, ...(await copyClaims(dataDir, target, onTable))];
      });
    });
  });
}

/** Copies the claims. A folder that no server has used has no claims. */
async function copyClaims(
  dataDir: string,
  target: Target,
  onTable: MoveOptions['onTable'],
): Promise<readonly MovedTable[]> {
  const file = join(dataDir, CLAIMS_FILE);
  if (!existsSync(file)) return [];
  // Opening the ledger creates the tables that earlier versions did not have.
  openClaims({ file, durability: 'full' }).close();
  const claims = openConnection(file);
  try {
    return await copyTables(CLAIM_TABLES, createSqliteSide(claims), target, onTable);
  } finally {
    claims.close();
  }
}

/**
 * Copies a PostgreSQL database into a new data folder, and compares every row. The folder appears when the copy is complete.
 *
 * @param options.dataDir a folder that does not exist or is empty
 * @returns the tables with their numbers of rows
 * @throws MoveError if the folder is not empty, an interrupted move left files, or a node is using the database
 */
export async function moveToFolder({
  dataDir,
  location,
  onTable,
}: MoveOptions): Promise<readonly MovedTable[]> {
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) throw new MoveError(`${dataDir} is not empty`);
  const partial = `${dataDir}.partial`;
  if (existsSync(partial)) throw new MoveError(`${partial} remains from an interrupted move; delete it`);
  try {
    const moved = await withPostgres(location, async (database) => {
      await migrate(database);
      return snapshot(database, async (tx) => {
        await rejectRunningNodes(tx);
        return writeFolder(partial, tx, onTable);
      });
    });
    if (existsSync(dataDir)) rmdirSync(dataDir);
    renameSync(partial, dataDir);
    return moved;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

async function writeFolder(
  folder: string,
  tx: Executor,
  onTable: MoveOptions['onTable'],
): Promise<readonly MovedTable[]> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const source = createPostgresSide(tx);
  const main = openMain(folder).raw;
  const file = join(folder, CLAIMS_FILE);
  try {
    const moved = await inTransaction(main, (target) => copyTables(MAIN_TABLES, source, target, onTable));
    openClaims({ file, durability: 'full' }).close();
    const claims = openConnection(file);
    try {
      const more = await inTransaction(claims, (target) => copyTables(CLAIM_TABLES, source, target, onTable));
      identifyClaims(main, claims);
      return [...moved, ...more];
    } finally {
      claims.close();
    }
  } finally {
    main.close();
  }
}

/** Marks the claims file with the identity and the counter that the main database has stored, if a server used SQLite before. */
function identifyClaims(main: SqliteDatabase, claims: SqliteDatabase): void {
  const identity = main
    .query<{ value: Uint8Array }, []>("SELECT value FROM installation WHERE name = 'claims file'")
    .get();
  if (identity !== null) claims.run('INSERT INTO lifecycle VALUES (?, 0)', [identity.value]);
  const counter = mainCounterIn(main);
  if (counter !== undefined) claims.transaction(writeCounter)(claims, { value: counter, base: counter });
}

async function inTransaction<T>(database: SqliteDatabase, work: (target: Target) => Promise<T>): Promise<T> {
  database.run('BEGIN IMMEDIATE');
  try {
    const result = await work(createSqliteSide(database));
    database.run('COMMIT');
    return result;
  } catch (error) {
    database.run('ROLLBACK');
    throw error;
  }
}

/** Runs work on one connection. */
async function withPostgres<T>(
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
async function rejectRunningNodes(tx: Executor): Promise<void> {
  const [row] = await tx.execute<{ connections: string }>(sql`
    SELECT count(*) AS connections FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'postern%'`);
  if (Number(row?.connections) > 0)
    throw new MoveError('a node or a command is using the database; stop it first');
}

/** @throws MoveError if a table of the target has rows */
async function rejectRows(tx: Executor): Promise<void> {
  for (const { name } of [...MAIN_TABLES, ...CLAIM_TABLES]) {
    const rows = await tx.execute(sql`SELECT 1 FROM ${sql.identifier(name)} LIMIT 1`);
    if (rows.length > 0) throw new MoveError(`the database is not empty: the table ${name} has rows`);
  }
}
