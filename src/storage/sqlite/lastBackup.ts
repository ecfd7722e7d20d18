import type { Database } from 'bun:sqlite';
import { type Instant, instantFromIso, toIso } from '../../lib/time.ts';

/** The row of the table `installation` that contains the time in ISO 8601. */
const NAME = 'last_backup_at';

/** @returns when the newest backup was created; undefined if there is none */
export function lastBackupIn(database: Database): Instant | undefined {
  const row = database
    .query<{ value: Uint8Array }, [string]>('SELECT value FROM installation WHERE name = ?')
    .get(NAME);
  return row === null ? undefined : instantFromIso(new TextDecoder().decode(row.value));
}

/** Stores when the newest backup was created. */
export function writeLastBackup(database: Database, at: Instant): void {
  database
    .query('INSERT OR REPLACE INTO installation (name, value) VALUES (?, ?)')
    .run(NAME, new TextEncoder().encode(toIso(at)));
}
