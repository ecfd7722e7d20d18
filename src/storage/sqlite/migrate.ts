import type { Database } from 'bun:sqlite';
import initial from '../../../migrations/0001_initial.sql' with { type: 'text' };
import platform from '../../../migrations/0002_platform.sql' with { type: 'text' };
import statistics from '../../../migrations/0003_statistics.sql' with { type: 'text' };
import sessions from '../../../migrations/0004_sessions.sql' with { type: 'text' };
import services from '../../../migrations/0005_office.sql' with { type: 'text' };
import keyExpiry from '../../../migrations/0006_key_expiry.sql' with { type: 'text' };

export type Migration = { readonly version: number; readonly name: string; readonly sql: string };

/** In the order they run; append only. `migrations/NNNN_name.sql` holds the SQL, embedded in the binary. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'initial', sql: initial },
  { version: 2, name: 'platform', sql: platform },
  { version: 3, name: 'statistics', sql: statistics },
  { version: 4, name: 'sessions', sql: sessions },
  { version: 5, name: 'office', sql: services },
  { version: 6, name: 'key_expiry', sql: keyExpiry },
];

/** The database was written by a newer Postern than this one. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/**
 * Brings the database to the newest version that this program knows. Forward only; each migration runs in a
 * transaction of its own together with its record, so a killed process leaves no half of one.
 *
 * @returns the names of those that ran now
 * @throws NewerDatabaseError where the database knows a migration that this program does not
 */
export function migrate(database: Database, migrations = MIGRATIONS, now = Date.now): readonly string[] {
  database.run(
    'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, applied_at INTEGER NOT NULL)',
  );
  const newest = migrations.at(-1)?.version ?? 0;
  const applied: string[] = [];
  for (const migration of migrations) {
    // Immediate: of two processes that start at once, the second waits here and then sees the record.
    const apply = database.transaction(() => {
      const version = versionOf(database);
      if (version > newest) throw newerThan(version, newest);
      if (migration.version <= version) return;
      database.run(migration.sql);
      database
        .query('INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)')
        .run(migration.version, migration.name, now());
      applied.push(migration.name);
    });
    apply.immediate();
  }
  return applied;
}

/** The newest migration that the database has, 0 for none; its table of migrations must be there. */
export function versionOf(database: Database): number {
  const row = database
    .query<{ version: number | null }, []>('SELECT max(version) AS version FROM migrations')
    .get();
  return row?.version ?? 0;
}

function newerThan(version: number, newest: number): NewerDatabaseError {
  return new NewerDatabaseError(
    `the database has schema version ${version}, this Postern knows up to ${newest}: run a Postern at least as new as the one that wrote it, or restore a backup made before the upgrade`,
  );
}
