import type { Database } from 'bun:sqlite';
import type { Instant } from '../../lib/time.ts';
import { decodeBackupTime, encodeBackupTime, ROW_NAMES } from '../installationRows.ts';

/** @returns when the newest backup was created; undefined if there is none */
export function lastBackupIn(database: Database): Instant | undefined {
  const row = database
    .query<{ value: Uint8Array }, [string]>('SELECT value FROM installation WHERE name = ?')
    .get(ROW_NAMES.lastBackup);
  return row === null ? undefined : decodeBackupTime(row.value);
}

/** Stores when the newest backup was created. */
export function writeLastBackup(database: Database, at: Instant): void {
  database
    .query('INSERT OR REPLACE INTO installation (name, value) VALUES (?, ?)')
    .run(ROW_NAMES.lastBackup, encodeBackupTime(at));
}
