import type { Database } from 'bun:sqlite';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { movedDataError } from '../movedData.ts';
import { openConnection } from './connection.ts';

/** The empty file on which processes lock a data folder. Every version must use the same file in the same way. */
export const LOCK_FILE = 'postern.lock';

/**
 * `use`: held by servers and commands; any number of processes.
 * `backup`: one process, while others use the folder.
 * `restore`: one process, while no other process uses the folder.
 */
export type LockPurpose = 'use' | 'backup' | 'restore';

export type FolderLock = { readonly release: () => void };

/** Another process holds a lock that excludes the requested one. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

const REASONS: Readonly<Record<LockPurpose, string>> = {
  use: 'a restore of this folder is running',
  backup: 'another backup or a restore of this folder is running',
  restore: 'a server or another command is using this folder; stop it first',
};

/** The transactions whose locks exclude each other in the same way (https://sqlite.org/lockingv3.html). */
const TRANSACTIONS: Readonly<Record<LockPurpose, string>> = {
  use: 'BEGIN; SELECT count(*) FROM sqlite_master',
  backup: 'BEGIN IMMEDIATE',
  restore: 'BEGIN EXCLUSIVE',
};

/** How long a process waits for a lock, in milliseconds. Commands and failed attempts to restore hold a lock only briefly. */
const TIMEOUT_MS: Readonly<Record<LockPurpose, number>> = { use: 5000, backup: 1000, restore: 1000 };

/**
 * Locks a data folder until `release`, or until the process ends for any reason. The lock is a transaction on an empty SQLite file,
 * because SQLite provides shared and exclusive file locks that work between processes, containers, and versions. Nothing is ever
 * written to the file.
 *
 * @param dataDir exists
 * @throws FolderInUseError, or the error of SQLite if the file cannot be created
 */
export function lockFolder(dataDir: string, purpose: LockPurpose): FolderLock {
  const file = join(dataDir, LOCK_FILE);
  const database = openLockFile(file);
  try {
    database.run(`PRAGMA busy_timeout = ${TIMEOUT_MS[purpose]}`);
    // Otherwise, the transaction creates a journal file.
    database.run('PRAGMA journal_mode = MEMORY');
    database.run(TRANSACTIONS[purpose]);
  } catch (cause) {
    database.close();
    const isBusy = (cause as { readonly code?: unknown }).code === 'SQLITE_BUSY';
    if (isBusy) throw new FolderInUseError(REASONS[purpose]);
    throw toFileError(file, cause);
  }
  return { release: () => database.close() };
}

function openLockFile(file: string): Database {
  try {
    return openConnection(file, { create: true });
  } catch (cause) {
    throw toFileError(file, cause);
  }
}

function toFileError(file: string, cause: unknown): Error {
  return new Error(`${file}: ${cause instanceof Error ? cause.message : cause}`, { cause });
}

/**
 * Creates the data folder if it is missing, and locks it, so that a restore does not replace its files.
 *
 * @throws FolderInUseError if a restore is running, MovedDataError if the data was moved, or another error if a restore was interrupted
 */
export function openFolder(dataDir: string): FolderLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockFolder(dataDir, 'use');
  try {
    checkUsable(dataDir);
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** @throws MovedDataError if the data was moved, or another error if a restore has replaced only some of the databases */
export function checkUsable(dataDir: string): void {
  if (existsSync(join(dataDir, UNFINISHED_RESTORE_FILE))) throw new Error(INTERRUPTED);
  checkNotMoved(dataDir);
}

/** Exists while a restore replaces the databases. */
const UNFINISHED_RESTORE_FILE = 'restore-unfinished';
const INTERRUPTED = 'a restore of this folder was interrupted; run "postern restore FILE --force" again';

/** Runs work that replaces the databases. If the process ends before the work is complete, the data folder cannot be used. */
export function markUnfinishedDuring(dataDir: string, work: () => void): void {
  writeMark(dataDir, UNFINISHED_RESTORE_FILE, INTERRUPTED);
  work();
  removeMark(dataDir, UNFINISHED_RESTORE_FILE);
}

/** Exists if the data of the folder was moved. Contains the new location as a line of text. */
export const MOVED_FILE = 'moved-to';

/** @throws MovedDataError if the data of the folder was moved */
export function checkNotMoved(dataDir: string): void {
  const file = join(dataDir, MOVED_FILE);
  if (!existsSync(file)) return;
  const target = readFileSync(file, 'utf8').trim();
  throw movedDataError('folder', target, 'set POSTERN_DATABASE_URL', `delete the file ${file}`);
}

/** Marks the data of a folder as moved. Durable. @param target where it was moved to, such as `the database postern on db1` */
export function markMoved(dataDir: string, target: string): void {
  writeMark(dataDir, MOVED_FILE, target);
}

/** The reverse of `markMoved`. */
export function unmarkMoved(dataDir: string): void {
  removeMark(dataDir, MOVED_FILE);
}

/** Durable, or there is no mark. @throws if the file cannot be written */
function writeMark(dataDir: string, name: string, text: string): void {
  const file = join(dataDir, name);
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    flushToDisk(file);
    flushToDisk(dataDir);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function removeMark(dataDir: string, name: string): void {
  rmSync(join(dataDir, name), { force: true });
  flushToDisk(dataDir);
}

/** Flushes a file, or the entries of a folder, to the disk. @throws if it cannot be opened or written */
export function flushToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
