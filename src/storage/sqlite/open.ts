import { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { migrate } from './migrate.ts';

export const MAIN_FILE = 'postern.sqlite';
export const CLAIMS_FILE = 'claims.sqlite';

/** Maximum wait for other processes while a file is opened, in milliseconds. No requests are served yet. */
const OPEN_TIMEOUT_MS = 5000;

export type MainDatabase = {
  readonly raw: Database;
  readonly orm: ReturnType<typeof drizzle>;
};

/**
 * Opens and migrates the main database in `dataDir`. Creates the folder if it is missing.
 *
 * @throws NewerDatabaseError, or the error of SQLite if the file cannot be used
 */
export function openMain(dataDir: string): MainDatabase {
  return openAndMigrate(dataDir).database;
}

/** Like `openMain`. @returns also the names of the migrations that this call applied */
export function openAndMigrate(dataDir: string) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const raw = openFile(join(dataDir, MAIN_FILE));
  const applied = migrate(raw);
  return { database: toMainDatabase(raw), applied };
}

/** Opens another connection to a migrated main database. @throws the error of SQLite if the file cannot be used */
export function connectMain(dataDir: string): MainDatabase {
  return toMainDatabase(openFile(join(dataDir, MAIN_FILE)));
}

function toMainDatabase(raw: Database): MainDatabase {
  // From here on, stores wait for other processes without blocking the thread (failures.ts), except for a few milliseconds.
  raw.run('PRAGMA busy_timeout = 5');
  return { raw, orm: drizzle(raw) };
}

/** Opens a SQLite file with a write-ahead log. Writes are durable when their statement returns. */
export function openFile(file: string): Database {
  try {
    return open(file);
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function open(file: string): Database {
  const database = new Database(file, { create: true });
  // First, because switching to WAL may have to wait for another process.
  database.run(`PRAGMA busy_timeout = ${OPEN_TIMEOUT_MS}`);
  switchToWal(database);
  database.run('PRAGMA synchronous = FULL');
  database.run('PRAGMA foreign_keys = ON');
  return database;
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

/**
 * Runs work in one transaction, all or nothing. The transaction takes the write lock first, so the data that it reads does not
 * change until it ends. The work must be synchronous: async work would be committed at its first `await`.
 *
 * @throws the error of the work or of SQLite; then nothing was changed
 */
export async function transact<T>({ raw }: MainDatabase, work: () => T): Promise<T> {
  return raw.transaction(work).immediate();
}

/** Runs several queries on one snapshot of the database, which does not include later commits of other threads. */
export function snapshot<T>({ raw }: MainDatabase, work: () => T): T {
  return raw.transaction(work).deferred();
}
