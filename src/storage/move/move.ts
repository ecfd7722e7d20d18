import type { Database as SqliteDatabase } from 'bun:sqlite';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { closeAfter, closeOnFailure, createClosing } from '../../lib/closing.ts';
import type { Builders } from '../executor.ts';
import { decodeCounter, ROW_NAMES } from '../installationRows.ts';
import type { DatabaseLocation } from '../postgres/connect.ts';
import { snapshot } from '../postgres/createStores.ts';
import { lock } from '../postgres/locks.ts';
import { migrate, unmarkMoved as unmarkDatabase } from '../postgres/migrate.ts';
import { openConnection } from '../sqlite/connection.ts';
import { writeCounter } from '../sqlite/dataCounter.ts';
import { checkNotMoved, lockFolder, markMoved, unmarkMoved } from '../sqlite/dataFolder.ts';
import { openClaims } from '../sqlite/ledger/claims.ts';
import { CLAIMS_FILE, MAIN_FILE, openMain, readInstallation } from '../sqlite/open.ts';
import {
  describeDatabase,
  isEmptyDatabase,
  markSource,
  migrateTarget,
  rejectRows,
  rejectRunningNodes,
  withPostgres,
} from './database.ts';
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
 * on both sides. Marks the data folder as moved, and changes no other data in it.
 *
 * @returns the tables with their numbers of rows
 * @throws MoveError if the PostgreSQL database is not empty or in use, or if claims are missing, FolderInUseError if a server or a command
 *   is using the data folder, or MovedDataError if its data was moved before; then the folder can still be used, unless the connection was
 *   lost during the commit and the database cannot be read
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
    checkNotMoved(dataDir);
    const source = openMain(dataDir, true).raw;
    closing.add('database', () => source.close());
    checkClaims(dataDir, source);
    let isMarked = false;
    const undo = async () => {
      // If it is unknown whether the transaction was committed, the folder stays marked, so that no two servers use the data.
      if (isMarked && (await isEmptyDatabase(location))) unmarkMoved(dataDir);
    };
    return closeOnFailure(undo, () =>
      withPostgres(location, async (database) => {
        await migrateTarget(database);
        return database.orm.transaction(async (tx) => {
          // A node that starts now waits for this transaction, and then finds the data.
          await tx.execute(lock('migrations'));
          await rejectRunningNodes(tx);
          await rejectRows(tx);
          const target = createPostgresSide(tx);
          const main = await copyTables(MAIN_TABLES, createSqliteSide(source), target, onTable);
          const moved = [...main, ...(await copyClaims(dataDir, target, onTable))];
          // Just before the commit: at no time can a server use both copies.
          markMoved(dataDir, describeDatabase(location));
          isMarked = true;
          return moved;
        });
      }),
    );
  });
}

/** @throws MoveError if claims are missing, because the nodes could not determine it later */
function checkClaims(dataDir: string, main: SqliteDatabase): void {
  const file = join(dataDir, CLAIMS_FILE);
  const id = readInstallation(main, 'claims file');
  if (id === undefined && !existsSync(file)) return;
  const isFirst = main.query('SELECT 1 FROM signing_keys').get() === null;
  // Opening the ledger creates the tables that earlier versions did not have.
  const claims = openClaims({ file, durability: 'full', identity: id && { id, isFirst } });
  claims.close();
  const isOlder = claims.counter.value < decodeCounter(readInstallation(main, ROW_NAMES.counter));
  if (claims.hasLostClaims || isOlder)
    throw new MoveError(`claims are missing in ${file}; start the server once, stop it, and try again`);
}

/** Copies the claims. A folder that no server has used has no claims. */
async function copyClaims(dataDir: string, target: Target, onTable: MoveOptions['onTable']) {
  const file = join(dataDir, CLAIMS_FILE);
  if (!existsSync(file)) return [];
  const claims = openConnection(file);
  try {
    return await copyTables(CLAIM_TABLES, createSqliteSide(claims), target, onTable);
  } finally {
    claims.close();
  }
}

/**
 * Copies a PostgreSQL database into a new data folder, and compares every row. The folder appears when the copy is complete. Then marks the
 * database as moved.
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
    return await withPostgres(location, async (database) => {
      await migrate(database);
      const moved = await snapshot(database, async (tx) => {
        await rejectRunningNodes(tx);
        return writeFolder(partial, tx, onTable);
      });
      await markSource(database, dataDir);
      try {
        if (existsSync(dataDir)) rmdirSync(dataDir);
        renameSync(partial, dataDir);
      } catch (error) {
        await unmarkDatabase(database.orm);
        throw error;
      }
      return moved;
    });
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

async function writeFolder(folder: string, tx: Builders, onTable: MoveOptions['onTable']) {
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
  const identity = readInstallation(main, 'claims file');
  if (identity !== undefined) claims.run('INSERT INTO lifecycle VALUES (?, 0)', [identity]);
  const stored = readInstallation(main, ROW_NAMES.counter);
  const counter = decodeCounter(stored);
  if (stored !== undefined) claims.transaction(writeCounter)(claims, { value: counter, base: counter });
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
