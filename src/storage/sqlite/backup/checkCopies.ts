import { basename, join } from 'node:path';
import type { DatabaseCopy } from '../../storage.ts';
import { versionOf } from '../migrate.ts';
import { MAIN_FILE } from '../open.ts';
import { withDatabase } from './withDatabase.ts';

/** Checks the structure of a whole database that no other process uses. @throws if it is damaged */
export function checkIntegrity(file: string): void {
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
