import { chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { alignCounters } from '../dataCounter.ts';
import { FolderInUseError, LOCK_FILE } from '../folderLock.ts';
import { MOVED_FILE } from '../movedFolder.ts';
import { CLAIMS_FILE, MAIN_FILE } from '../open.ts';
import { DATABASE_FILES, flushToDisk, moveFiles, STORAGE_FILES } from './files.ts';
import { markUnfinishedDuring } from './unfinishedRestore.ts';
import { withDatabase } from './withDatabase.ts';

/**
 * Moves the databases of a data folder to a subfolder, and replaces them with those of another folder. If the process ends during
 * the replacement, versions that support the file `restore-unfinished` do not open the data folder.
 *
 * @param staged a subfolder of the data folder
 * @param movedName the name of the subfolder that is created for the old databases
 * @returns whether there were old databases
 * @throws FolderInUseError if a program that does not use the lock of the folder has opened a database
 */
export function replaceDatabases(dataDir: string, staged: string, movedName: string): boolean {
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

/** The restore has replaced the signing keys, so it is not reported as older data. */
function countRestore(staging: string): void {
  withDatabase(join(staging, MAIN_FILE), (main) =>
    withDatabase(join(staging, CLAIMS_FILE), (claims) => alignCounters(main, claims, Date.now())),
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
