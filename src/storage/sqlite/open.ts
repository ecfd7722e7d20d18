import type { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NewerDatabaseError } from '../movedData.ts';
import { keepLog, openConnection } from './connection.ts';
import {
  checkAccess,
  checkKind,
  checkStructureAtStart,
  DatabaseFileError,
  type Marker,
  toFileError,
} from './content.ts';
import { migrate } from './migrate.ts';

export const MAIN_FILE = 'postern.sqlite';
export const CLAIMS_FILE = 'claims.sqlite';

/** The databases of a data folder, in the order in which a backup copies them. */
export const DATABASE_FILES = [MAIN_FILE, CLAIMS_FILE] as const;

/** Maximum wait for other processes while a file is opened, in milliseconds. No requests are served yet. */
export const OPEN_TIMEOUT_MS = 5000;

export type MainDatabase = {
  readonly raw: Database;
};

/**
 * Opens and migrates the main database in `dataDir`. Creates the folder if it is missing.
 *
 * @param isThorough whether the structure of the file is checked first
 * @throws DatabaseFileError if the file cannot be used, or NewerDatabaseError if its schema is newer than this program
 */
export function openMain(dataDir: string, isThorough = false): MainDatabase {
  return openAndMigrate(dataDir, isThorough).database;
}

/** Like `openMain`. @returns also the names of the migrations that this call applied */
export function openAndMigrate(dataDir: string, isThorough = false) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, MAIN_FILE);
  rejectEmptyMain(dataDir);
  const raw = openFile(file, 'migrations', isThorough);
  try {
    const applied = migrate(raw);
    return { database: toMainDatabase(raw), applied };
  } catch (error) {
    raw.close();
    throw error instanceof NewerDatabaseError ? error : toFileError(file, error);
  }
}

/** Opens another connection to a migrated main database. @throws DatabaseFileError if the file cannot be used */
export function connectMain(dataDir: string): MainDatabase {
  return toMainDatabase(openFile(join(dataDir, MAIN_FILE), 'migrations'));
}

/**
 * The size of a write-ahead log with the first transaction, which creates the table of migrations: a header, and two pages with their
 * headers (https://sqlite.org/fileformat2.html#walformat). A server that is killed during its first start can leave such a log.
 */
const FIRST_LOG_BYTES = 32 + 2 * (24 + 4096);

/**
 * Checks, before SQLite opens the file, that the main database was not lost, because a new one would hide the loss.
 *
 * @throws DatabaseFileError if the file is missing or empty, but another file shows that it was not
 */
export function rejectEmptyMain(dataDir: string): void {
  const main = join(dataDir, MAIN_FILE);
  const size = sizeOf(main);
  if (size > 0) return;
  const trace = findTrace(dataDir);
  if (trace === undefined) return;
  throw new DatabaseFileError(
    `${main}: the file is ${size === 0 ? 'empty' : 'missing'}, but ${trace} is not: restore a backup, or use an empty data folder`,
  );
}

/**
 * Checks, before anything is written, that a database is a main database or a new one. A file without tables is not new if its
 * write-ahead log was lost, for example because it was not copied.
 *
 * @throws DatabaseFileError if it is another database, or was lost
 */
export function checkMain(database: Database, dataDir: string): void {
  const file = join(dataDir, MAIN_FILE);
  // Before the tables are read, because another process may be creating them.
  const trace = findTrace(dataDir);
  checkKind(database, file, 'migrations');
  if (trace === undefined || hasTable(database, 'migrations')) return;
  throw new DatabaseFileError(
    `${file}: the file has no tables, but ${trace} is not empty: the write-ahead log ${MAIN_FILE}-wal, which contained the data, is missing or damaged; nothing was changed; copy all files of the data folder again while no server is running, restore a backup, or use an empty data folder`,
  );
}

/**
 * Finds a file that shows that the main database had data. The claims file is created after the tables of the main database.
 *
 * @returns its name
 */
function findTrace(dataDir: string): string | undefined {
  if (sizeOf(join(dataDir, CLAIMS_FILE)) > 0) return CLAIMS_FILE;
  const log = `${MAIN_FILE}-wal`;
  return sizeOf(join(dataDir, log)) > FIRST_LOG_BYTES ? log : undefined;
}

export function hasTable(database: Database, name: string): boolean {
  return (
    database.query('SELECT 1 FROM sqlite_master WHERE type = ? AND name = ?').get('table', name) !== null
  );
}

/** @returns a row of the table `installation`; undefined if it is missing. The first schemas had no such table */
export function readInstallation(main: Database, name: string): Uint8Array | undefined {
  if (!hasTable(main, 'installation')) return undefined;
  const query = main.query<{ value: Uint8Array }, [string]>('SELECT value FROM installation WHERE name = ?');
  return query.get(name)?.value;
}

export function writeInstallation(main: Database, name: string, value: Uint8Array): void {
  main.query('INSERT OR REPLACE INTO installation (name, value) VALUES (?, ?)').run(name, value);
}

/** @returns the size in bytes; -1 if the file does not exist */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? -1;
}

function toMainDatabase(raw: Database): MainDatabase {
  // From here on, stores wait for other processes without blocking the thread (failures.ts), except for a few milliseconds.
  raw.run('PRAGMA busy_timeout = 5');
  return { raw };
}

/**
 * Opens a SQLite file with a write-ahead log. Writes are durable when their statement returns. A file of another kind or with a damaged
 * structure is not changed.
 *
 * @throws DatabaseFileError if the file cannot be used
 */
export function openFile(file: string, marker: Marker, isThorough = false): Database {
  let database: Database | undefined;
  try {
    checkAccess(file);
    const hasLog = existsSync(`${file}-wal`);
    database = openConnection(file, { create: true });
    // Set first, because another process may be using the file.
    database.run(`PRAGMA busy_timeout = ${OPEN_TIMEOUT_MS}`);
    // A file that is rejected keeps its log.
    if (hasLog) keepLog(database, true);
    if (marker === 'migrations') checkMain(database, dirname(file));
    else checkKind(database, file, marker);
    if (isThorough) checkStructureAtStart(database, file);
    if (hasLog) keepLog(database, false);
    switchToWal(database);
    database.run('PRAGMA synchronous = FULL');
    database.run('PRAGMA foreign_keys = ON');
    return database;
  } catch (cause) {
    database?.close();
    throw toFileError(file, cause);
  }
}

/**
 * Switches to WAL mode, with its own retries: SQLite rejects the switch without waiting if another process is about to write the
 * file, because two processes that switch at the same time would wait for each other.
 */
function switchToWal(database: Database): void {
  const deadline = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    try {
      database.run('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = (error as { readonly code?: unknown }).code === 'SQLITE_BUSY';
      if (!isBusy || performance.now() > deadline) throw error;
      Bun.sleepSync(10);
    }
  }
}
