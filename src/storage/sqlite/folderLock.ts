import type { Database } from 'bun:sqlite';
import { join } from 'node:path';
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
