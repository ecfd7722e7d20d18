import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Instant } from '../../lib/time.ts';
import type { MigrationReport } from '../../model/system.ts';
import { findKeptSpellings } from '../emails.ts';
import { decodeBackupTime, ROW_NAMES } from '../installationRows.ts';
import type { Inspection, PendingUpgrade } from '../storage.ts';
import { openUntouched } from './connection.ts';
import { checkKind, checkStructure, toFileError } from './content.ts';
import { checkUsable, openFolder } from './dataFolder.ts';
import { MIGRATIONS, type Migration, rejectNewer, runEmailWork, versionOf } from './migrate.ts';
import {
  CLAIMS_FILE,
  checkMain,
  hasTable,
  MAIN_FILE,
  OPEN_TIMEOUT_MS,
  openAndMigrate,
  openFile,
  readInstallation,
  rejectEmptyMain,
} from './open.ts';

const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/** @see StorageEngine */
export function inspectMain(dataDir: string): Inspection | undefined {
  const file = join(dataDir, MAIN_FILE);
  checkUsable(dataDir);
  rejectEmptyMain(dataDir);
  if (!existsSync(file)) return undefined;
  return readUntouched(file, (database) => {
    checkMain(database, dataDir);
    const newestVersion = NEWEST_VERSION;
    if (!hasTable(database, 'migrations')) {
      return {
        version: 0,
        newestVersion,
        createdAt: undefined,
        lastWriteAt: undefined,
        lastBackupAt: undefined,
        keptSpellings: [],
      };
    }
    const lastBackup = readInstallation(database, ROW_NAMES.lastBackup);
    return {
      version: versionOf(database),
      newestVersion,
      createdAt: creationOf(database),
      lastWriteAt: lastWriteIn(database),
      lastBackupAt: lastBackup && decodeBackupTime(lastBackup),
      keptSpellings: hasTable(database, 'invitations') ? runEmailWork(database, findKeptSpellings()) : [],
    };
  });
}

/** @see StorageEngine */
export function checkFiles(dataDir: string): void {
  rejectEmptyMain(dataDir);
  const main = join(dataDir, MAIN_FILE);
  checkFile(main, (database) => checkMain(database, dataDir));
  const claims = join(dataDir, CLAIMS_FILE);
  checkFile(claims, (database) => checkKind(database, claims, 'claims'));
}

function checkFile(file: string, check: (database: Database) => void): void {
  if (!existsSync(file)) return;
  readUntouched(file, (database) => {
    check(database);
    checkStructure(database, file);
  });
}

function readUntouched<T>(file: string, work: (database: Database) => T): T {
  let database: Database | undefined;
  try {
    database = openUntouched(file);
    return work(database);
  } catch (error) {
    throw toFileError(file, error);
  } finally {
    database?.close();
  }
}

/** @see StorageEngine */
export function migrateMain(dataDir: string): MigrationReport {
  const lock = openFolder(dataDir);
  try {
    const { database, applied } = openAndMigrate(dataDir);
    try {
      return toReport(versionOf(database.raw), ({ name }) => applied.includes(name));
    } finally {
      database.raw.close();
    }
  } finally {
    lock.release();
  }
}

/** @see FileEngine */
export function pendingUpgrade(dataDir: string): PendingUpgrade | undefined {
  const file = join(dataDir, MAIN_FILE);
  if (!existsSync(file)) return undefined;
  const lock = openFolder(dataDir);
  try {
    rejectEmptyMain(dataDir);
    const from = readVersion(dataDir, file);
    // A newer schema is rejected by the migration.
    return from === 0 || from >= NEWEST_VERSION ? undefined : { from, to: NEWEST_VERSION };
  } finally {
    lock.release();
  }
}

/** @returns 0 for a database without a schema */
function readVersion(dataDir: string, file: string): number {
  const read = (database: Database) => (hasTable(database, 'migrations') ? versionOf(database) : 0);
  if (existsSync(`${file}-wal`)) {
    // The log must survive until the structure of the file has been checked.
    return readUntouched(file, (database) => {
      database.run(`PRAGMA busy_timeout = ${OPEN_TIMEOUT_MS}`);
      checkMain(database, dataDir);
      return read(database);
    });
  }
  // Not as immutable, because another process may be creating the file.
  const database = openFile(file, 'migrations');
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** @see StorageEngine */
export function pendingMigrations(dataDir: string): MigrationReport {
  const current = inspectMain(dataDir)?.version ?? 0;
  rejectNewer(current, NEWEST_VERSION);
  return toReport(NEWEST_VERSION, ({ version }) => version > current);
}

function toReport(schema: number, isListed: (migration: Migration) => boolean): MigrationReport {
  return { schema, migrations: MIGRATIONS.filter(isListed).map(({ version, name }) => ({ version, name })) };
}

function creationOf(database: Database): Instant | undefined {
  const sql = 'SELECT min(applied_at) AS at FROM migrations';
  return database.query<{ at: Instant | null }, []>(sql).get()?.at ?? undefined;
}

/** Tables with the column of their newest time, in milliseconds. Each query uses an index or reads a small table. */
const WRITE_TIMES = [
  ['migrations', 'applied_at'],
  ['signing_keys', 'created_at'],
  ['api_keys', 'created_at'],
  ['audit', 'at'],
  ['sessions', 'seen_at'],
] as const;

function lastWriteIn(database: Database): Instant | undefined {
  const tables = WRITE_TIMES.filter(([table]) => hasTable(database, table));
  const found = tables.map(
    ([table, column]) =>
      database.query<{ at: number | null }, []>(`SELECT max(${column}) AS at FROM ${table}`).get()?.at ?? 0,
  );
  const last = Math.max(0, ...found);
  return last === 0 ? undefined : (last as Instant);
}
