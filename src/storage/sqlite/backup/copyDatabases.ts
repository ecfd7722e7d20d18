import type { Database } from 'bun:sqlite';
import { existsSync, statfsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseCopy } from '../../storage.ts';
import { MARK_CLOSED } from '../ledger/lifecycle.ts';
import { versionOf } from '../migrate.ts';
import { checkNotMoved } from '../movedFolder.ts';
import { MAIN_FILE } from '../open.ts';
import { DATABASE_FILES } from './files.ts';
import { checkNoUnfinishedRestore } from './unfinishedRestore.ts';
import { withDatabase, withLoggedDatabase } from './withDatabase.ts';

/** Checks the structure of a whole database that no other process uses. @throws if it is damaged */
function checkIntegrity(file: string): void {
  const found = findDamage(file);
  if (found !== 'ok') throw new Error(`${basename(file)} is damaged: ${found}`);
}

/** @see BackupEngine */
export function checkCopies(folder: string, copies: readonly DatabaseCopy[]): void {
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
