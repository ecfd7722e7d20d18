import { constants, type Database } from 'bun:sqlite';
import { createHash } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, renameSync, statfsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { encodeBackupTime, ROW_NAMES } from '../installationRows.ts';
import type { BackupEngine, DatabaseCopy } from '../storage.ts';
import { keepLog, openConnection } from './connection.ts';
import { toFileError } from './content.ts';
import { alignCounters } from './dataCounter.ts';
import {
  checkUsable,
  FolderInUseError,
  flushToDisk,
  LOCK_FILE,
  lockFolder,
  MOVED_FILE,
  markUnfinishedDuring,
} from './dataFolder.ts';
import { isMarkedOpen, MARK_CLOSED, MARK_COMPLETE } from './ledger/lifecycle.ts';
import { MIGRATIONS, versionOf } from './migrate.ts';
import {
  CLAIMS_FILE,
  checkMain,
  DATABASE_FILES,
  hasTable,
  MAIN_FILE,
  readInstallation,
  rejectEmptyMain,
  writeInstallation,
} from './open.ts';

/** The schema version of the claims file, whose tables never change. */
const CLAIMS_SCHEMA = 1;

/** @see BackupEngine */
export const backupEngine: BackupEngine = {
  lock: lockFolder,
  identify,
  copy: copyDatabases,
  recordBackup: (dataDir, at) =>
    withDatabase(join(dataDir, MAIN_FILE), (database) =>
      writeInstallation(database, ROW_NAMES.lastBackup, encodeBackupTime(at)),
    ),
  newestSchemas: { [MAIN_FILE]: MIGRATIONS.at(-1)?.version ?? 0, [CLAIMS_FILE]: CLAIMS_SCHEMA },
  check: checkCopies,
  replace: replaceDatabases,
};

/** @returns 8 digits that are derived from the key for ids, which differs between installations and never changes. */
function identify(dataDir: string): string {
  const file = join(dataDir, MAIN_FILE);
  rejectEmptyMain(dataDir);
  if (!existsSync(file)) throw new Error(`${dataDir} contains no database`);
  const idKey = withLoggedDatabase(file, (database) => {
    checkMain(database, dataDir);
    return readInstallation(database, 'id key');
  });
  const hash = createHash('sha256')
    .update('postern backup\0')
    .update(idKey ?? new Uint8Array());
  return hash.digest('hex').slice(0, 8);
}

/** How long an operation waits for a process that locks the whole database, in milliseconds. */
const TIMEOUT_MS = 5000;

/**
 * Like `withDatabase`, but keeps an existing write-ahead log of a claims file that no server has closed. Otherwise, the last connection
 * that closes the file deletes the log, and after a crash, the next server would conclude that claims were lost.
 */
function withLoggedDatabase<T>(file: string, work: (database: Database) => T): T {
  const hasLog = existsSync(`${file}-wal`);
  return withDatabase(file, (database) => {
    if (hasLog) keepLog(database, true);
    const result = work(database);
    // A server may have closed the file in the meantime. Then this connection has to delete the log.
    if (hasLog && !isMarkedOpen(database)) keepLog(database, false);
    return result;
  });
}

/** Opens an existing database without migrating it. @throws DatabaseFileError if there is none, or it cannot be used */
function withDatabase<T>(file: string, work: (database: Database) => T): T {
  let database: Database | undefined;
  try {
    database = openConnection(file, constants.SQLITE_OPEN_READWRITE);
    database.run(`PRAGMA busy_timeout = ${TIMEOUT_MS}`);
    return work(database);
  } catch (error) {
    throw toFileError(file, error);
  } finally {
    database?.close();
  }
}

/** Checks the structure of a whole database that no other process uses. @throws if it is damaged */
function checkIntegrity(file: string): void {
  const found = findDamage(file);
  if (found !== 'ok') throw new Error(`${basename(file)} is damaged: ${found}`);
}

/** @see BackupEngine */
function checkCopies(folder: string, copies: readonly DatabaseCopy[]): void {
  for (const { name } of copies) checkIntegrity(join(folder, name));
  for (const { name, schema } of copies.filter((copy) => copy.name === MAIN_FILE)) {
    const version = withDatabase(join(folder, name), versionOf);
    if (version !== schema) throw new Error(`${name} has schema version ${version} instead of ${schema}`);
  }
}

/** @returns `ok`, or the first problem */
function findDamage(file: string): string {
  try {
    return withDatabase(file, (database) => {
      const row = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get();
      return row?.integrity_check ?? 'no result';
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Space in the data folder that the copies must leave free, so that a running server can still store claims. */
const RESERVE_BYTES = 64 * 1024 ** 2;
const MIB = 1024 ** 2;

/**
 * Copies the databases into a folder while servers and commands use them, and checks the copies.
 *
 * `VACUUM INTO` copies a snapshot page by page, so it needs little memory and does not block writers. The main database is copied
 * first, so the copied claims are at least as new: they contain every claim that the copy of the main database may have counted.
 *
 * @param dataDir contains a main database
 * @param times how many times the copies must fit into the folder
 * @throws if there is not enough disk space, or a database is damaged
 */
function copyDatabases(dataDir: string, folder: string, times = 1): readonly DatabaseCopy[] {
  checkUsable(dataDir);
  // A folder that no server has used yet has no claims file.
  const names = DATABASE_FILES.filter((name) => existsSync(join(dataDir, name)));
  checkSpace(dataDir, folder, names, times);
  return names.map((name) => copyDatabase(join(dataDir, name), join(folder, name), name));
}

function copyDatabase(source: string, target: string, name: string): DatabaseCopy {
  withLoggedDatabase(source, (database) => database.query('VACUUM INTO ?').run(target));
  const schema = withDatabase(target, name === MAIN_FILE ? versionOf : closeClaims);
  checkIntegrity(target);
  return { name, schema };
}

/** Marks a copy as closed, because no server uses it. @returns its schema version */
function closeClaims(database: Database): number {
  if (hasTable(database, 'lifecycle')) database.run(MARK_CLOSED);
  return CLAIMS_SCHEMA;
}

function checkSpace(dataDir: string, folder: string, names: readonly string[], times: number): void {
  const needed = names.reduce((sum, name) => sum + times * usedBytes(join(dataDir, name)), RESERVE_BYTES);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new Error(
    `not enough disk space: a backup needs ${Math.ceil(needed / MIB)} MiB in ${dataDir} for its copies, but only ${Math.floor(free / MIB)} MiB is free`,
  );
}

/** The size in bytes of the pages that a copy will contain. */
function usedBytes(file: string): number {
  return withLoggedDatabase(file, (database) => {
    const pragma = (name: string) =>
      database.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name] ?? 0;
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  });
}

/** All files that belong to the databases. */
const STORAGE_FILES = DATABASE_FILES.flatMap((name) => [name, `${name}-wal`, `${name}-shm`]);

/**
 * Moves the databases of a data folder to a subfolder, and replaces them with those of another folder. If the process ends during
 * the replacement, versions that support the file `restore-unfinished` do not open the data folder.
 *
 * @param staged a subfolder of the data folder
 * @param movedName the name of the subfolder that is created for the old databases
 * @returns whether there were old databases
 * @throws FolderInUseError if a program that does not use the lock of the folder has opened a database
 */
function replaceDatabases(dataDir: string, staged: string, movedName: string): boolean {
  const staging = join(dataDir, staged);
  const isInFolder = (name: string) => existsSync(join(dataDir, name));
  for (const name of DATABASE_FILES.filter(isInFolder)) checkUnused(join(dataDir, name));
  const created = DATABASE_FILES.filter((name) => existsSync(join(staging, name)));
  // A backup of a folder that no server has used contains no claims.
  if (created.includes(CLAIMS_FILE)) countRestore(staging);
  for (const name of created) prepare(join(staging, name), dataDir);
  adoptOwner(join(dataDir, LOCK_FILE), dataDir);
  // After the check, because it can merge a write-ahead log into its database and delete the log.
  const old = [...STORAGE_FILES, MOVED_FILE].filter(isInFolder);
  const moved = join(dataDir, movedName);
  if (old.length > 0) mkdirSync(moved, { mode: 0o700 });
  if (old.length > 0) adoptOwner(moved, dataDir);
  markUnfinishedDuring(dataDir, () => {
    if (old.length > 0) moveFiles(old, dataDir, moved);
    moveFiles(created, staging, dataDir);
  });
  return old.length > 0;
}

/** Moves files, and flushes both folders to the disk. */
function moveFiles(names: readonly string[], from: string, to: string): void {
  for (const name of names) renameSync(join(from, name), join(to, name));
  flushToDisk(to);
  flushToDisk(from);
}

/** The restore has replaced the signing keys, so it is not reported as older data, and no claim of a puzzle is missing. */
function countRestore(staging: string): void {
  withDatabase(join(staging, MAIN_FILE), (main) =>
    withDatabase(join(staging, CLAIMS_FILE), (claims) => {
      alignCounters(main, claims, Date.now());
      if (hasTable(claims, 'lifecycle')) claims.run(MARK_COMPLETE);
      closeClaims(claims);
    }),
  );
}

/** Checks the locks on the file itself, which every program that uses the database acquires, such as `sqlite3`. */
function checkUnused(file: string): void {
  try {
    withDatabase(file, (database) => {
      database.run('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
    });
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: unknown } };
    // Other errors are accepted, because a restore can replace a damaged database.
    if (cause?.code !== 'SQLITE_BUSY') return;
    throw new FolderInUseError(`another program has opened ${file}; stop it first`);
  }
}

function prepare(file: string, dataDir: string): void {
  mergeLog(file);
  adoptOwner(file, dataDir);
  flushToDisk(file);
}

/** Merges the write-ahead log into its database. @throws if another process prevents it */
function mergeLog(file: string): void {
  const result = withDatabase(file, (database) =>
    database.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get(),
  );
  if (result?.busy !== 0) throw new FolderInUseError(`another program has opened ${file}`);
}

/** If root runs the restore, the owner of the data folder must still be able to open the files. */
function adoptOwner(path: string, dataDir: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDir);
  chownSync(path, uid, gid);
}
