import type { Database } from 'bun:sqlite';
import initial from '../../../migrations/0001_initial.sql' with { type: 'text' };
import platform from '../../../migrations/0002_platform.sql' with { type: 'text' };
import statistics from '../../../migrations/0003_statistics.sql' with { type: 'text' };
import sessions from '../../../migrations/0004_sessions.sql' with { type: 'text' };
import portal from '../../../migrations/0005_office.sql' with { type: 'text' };
import keyExpiry from '../../../migrations/0006_key_expiry.sql' with { type: 'text' };
import apiKeyRotation from '../../../migrations/0007_api_key_rotation.sql' with { type: 'text' };
import widgetBuilds from '../../../migrations/0008_widget_builds.sql' with { type: 'text' };
import taskOrganization from '../../../migrations/0009_task_organization.sql' with { type: 'text' };
import propertyActivity from '../../../migrations/0010_property_activity.sql' with { type: 'text' };
import propertyChallenge from '../../../migrations/0011_property_challenge.sql' with { type: 'text' };
import rules from '../../../migrations/0012_rules.sql' with { type: 'text' };
import emails from '../../../migrations/0013_emails.sql' with { type: 'text' };
import actionNames from '../../../migrations/0014_action_names.sql' with { type: 'text' };
import attackMode from '../../../migrations/0015_attack_mode.sql' with { type: 'text' };
import shareLinks from '../../../migrations/0016_share_links.sql' with { type: 'text' };
import checklist from '../../../migrations/0017_checklist.sql' with { type: 'text' };
import auditByAction from '../../../migrations/0018_audit_by_action.sql' with { type: 'text' };
import offlineRotations from '../../../migrations/0019_offline_rotations.sql' with { type: 'text' };
import { type EmailRow, type EmailWork, normalizeEmails } from '../emails.ts';
import { NewerDatabaseError } from '../movedData.ts';

export type Migration = {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Runs after the SQL, in the same transaction, for changes that SQL cannot express. */
  readonly run?: (database: Database) => unknown;
};

/** In the order in which they run. Only append; never change a released migration. The binary embeds the SQL. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'initial', sql: initial },
  { version: 2, name: 'platform', sql: platform },
  { version: 3, name: 'statistics', sql: statistics },
  { version: 4, name: 'sessions', sql: sessions },
  { version: 5, name: 'office', sql: portal },
  { version: 6, name: 'key_expiry', sql: keyExpiry },
  { version: 7, name: 'api_key_rotation', sql: apiKeyRotation },
  { version: 8, name: 'widget_builds', sql: widgetBuilds },
  { version: 9, name: 'task_organization', sql: taskOrganization },
  { version: 10, name: 'property_activity', sql: propertyActivity },
  { version: 11, name: 'property_challenge', sql: propertyChallenge },
  { version: 12, name: 'rules', sql: rules },
  { version: 13, name: 'emails', sql: emails, run: (database) => runEmailWork(database, normalizeEmails()) },
  { version: 14, name: 'action_names', sql: actionNames },
  { version: 15, name: 'attack_mode', sql: attackMode },
  { version: 16, name: 'share_links', sql: shareLinks },
  { version: 17, name: 'checklist', sql: checklist },
  { version: 18, name: 'audit_by_action', sql: auditByAction },
  { version: 19, name: 'offline_rotations', sql: offlineRotations },
];

/**
 * Migrates the database to the newest version that this program knows. Each migration runs in one transaction together with its
 * record, so a killed process leaves no migration half done.
 *
 * @returns the names of the migrations that ran
 * @throws NewerDatabaseError if the database has a migration that this program does not know
 */
export function migrate(database: Database, migrations = MIGRATIONS, now = Date.now): readonly string[] {
  database.run(
    'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, applied_at INTEGER NOT NULL)',
  );
  const newest = migrations.at(-1)?.version ?? 0;
  const applied: string[] = [];
  for (const migration of migrations) {
    // Takes the write lock first. If two processes start together, the second one waits and then finds the record.
    const apply = database.transaction(() => {
      const version = versionOf(database);
      rejectNewer(version, newest);
      if (migration.version <= version) return;
      database.run(migration.sql);
      migration.run?.(database);
      database
        .query('INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)')
        .run(migration.version, migration.name, now());
      applied.push(migration.name);
    });
    apply.immediate();
  }
  return applied;
}

/** Runs the statements of work, and passes it their rows. */
export function runEmailWork<Result>(database: Database, work: EmailWork<Result>): Result {
  let step = work.next();
  while (!step.done) {
    const { texts, values } = step.value;
    step = work.next(database.query<EmailRow, (string | number)[]>(texts.join('?')).all(...values));
  }
  return step.value;
}

/** Returns the version of the newest migration, 0 if there is none. The table of migrations must exist. */
export function versionOf(database: Database): number {
  const row = database
    .query<{ version: number | null }, []>('SELECT max(version) AS version FROM migrations')
    .get();
  return row?.version ?? 0;
}

/** @throws NewerDatabaseError if the version of a database is newer than the newest version that this program knows */
export function rejectNewer(version: number, newest: number): void {
  if (version <= newest) return;
  throw new NewerDatabaseError(
    `the database has schema version ${version}, but this version of Postern supports only ${newest} and earlier; use a newer version, or restore a backup from before the upgrade`,
  );
}
