import { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { migrate } from './migrate.ts';

export const MAIN_FILE = 'postern.sqlite';
export const CLAIMS_FILE = 'claims.sqlite';

/** How long the opening of a file waits for other processes, in milliseconds; nobody is served yet. */
const OPENING_PATIENCE_MS = 5000;

export type MainDatabase = {
  readonly raw: Database;
  readonly orm: ReturnType<typeof drizzle>;
};

/**
 * Opens the main database under `dataDir`, which is made where it is missing, and migrates it.
 *
 * @throws NewerDatabaseError, or what SQLite says of an unusable file
 */
export function openMain(dataDir: string): MainDatabase {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const raw = openFile(join(dataDir, MAIN_FILE));
  migrate(raw);
  return mainDatabaseOf(raw);
}

/** Opens another connection to a main database that has been migrated. @throws what SQLite says of an unusable file */
export function connectMain(dataDir: string): MainDatabase {
  return mainDatabaseOf(openFile(join(dataDir, MAIN_FILE)));
}

function mainDatabaseOf(raw: Database): MainDatabase {
  // From here on stores wait for other processes without blocking this one (failures.ts); a few milliseconds for those
  // that are nearly done.
  raw.run('PRAGMA busy_timeout = 5');
  return { raw, orm: drizzle(raw) };
}

/** A SQLite file as all of ours are opened: WAL, and durable when a statement returns. */
export function openFile(file: string): Database {
  try {
    return open(file);
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function open(file: string): Database {
  const database = new Database(file, { create: true });
  // Before all else: switching to WAL may itself have to wait for another process.
  database.run(`PRAGMA busy_timeout = ${OPENING_PATIENCE_MS}`);
  switchToWal(database);
  database.run('PRAGMA synchronous = FULL');
  database.run('PRAGMA foreign_keys = ON');
  return database;
}

/**
 * Where another process is about to write a file that is not in WAL mode yet, SQLite refuses the switch without waiting,
 * whatever the timeout: of two that switch at once each would wait for the other.
 */
function switchToWal(database: Database): void {
  const deadline = performance.now() + OPENING_PATIENCE_MS;
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
 * Work in one transaction, all or nothing. Immediate: of two writers the second waits before it has read anything, so
 * what was asked inside still holds at the end. Never async: such work would be committed at its first `await`.
 *
 * @throws what the work throws, and what SQLite says of a failed write; then nothing was changed
 */
export async function transact<T>({ raw }: MainDatabase, work: () => T): Promise<T> {
  return raw.transaction(work).immediate();
}

/** Runs several queries on one snapshot of the database, without what other threads commit in the meantime. */
export function snapshot<T>({ raw }: MainDatabase, work: () => T): T {
  return raw.transaction(work).deferred();
}
