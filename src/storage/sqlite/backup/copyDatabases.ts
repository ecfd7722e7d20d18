import type { Database } from 'bun:sqlite';
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseCopy } from '../../storage.ts';
import { MARK_CLOSED } from '../ledger/lifecycle.ts';
import { versionOf } from '../migrate.ts';
import { checkNotMoved } from '../movedFolder.ts';
import { MAIN_FILE } from '../open.ts';
import { checkIntegrity } from './checkCopies.ts';
import { DATABASE_FILES } from './files.ts';
import { checkNoUnfinishedRestore } from './unfinishedRestore.ts';
import { withDatabase, withLoggedDatabase } from './withDatabase.ts';

/** Space in the data folder that the copies must leave free, so that a running server can still store claims. */
const RESERVE_BYTES = 64 * 1024 ** 2;
const MIB = 1024 ** 2;

/** The schema version of the claims file, whose tables never change. */
export const CLAIMS_SCHEMA = 1;

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
export function copyDatabases(dataDir: string, folder: string, times = 1): readonly DatabaseCopy[] {
  checkNoUnfinishedRestore(dataDir);
  checkNotMoved(dataDir);
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
  const isMarked = database.query("SELECT 1 FROM sqlite_master WHERE name = 'lifecycle'").get() !== null;
  if (isMarked) database.run(MARK_CLOSED);
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
