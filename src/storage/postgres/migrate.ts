import { eq, sql } from 'drizzle-orm';
import initial from '../../../migrations/postgres/0001_initial.sql' with { type: 'text' };
import claims from '../../../migrations/postgres/0002_claims.sql' with { type: 'text' };
import apiKeyRotation from '../../../migrations/postgres/0003_api_key_rotation.sql' with { type: 'text' };
import widgetBuilds from '../../../migrations/postgres/0004_widget_builds.sql' with { type: 'text' };
import taskOrganization from '../../../migrations/postgres/0005_task_organization.sql' with { type: 'text' };
import propertyActivity from '../../../migrations/postgres/0006_property_activity.sql' with { type: 'text' };
import propertyChallenge from '../../../migrations/postgres/0007_property_challenge.sql' with {
  type: 'text',
};
import rules from '../../../migrations/postgres/0008_rules.sql' with { type: 'text' };
import emails from '../../../migrations/postgres/0009_emails.sql' with { type: 'text' };
import actionNames from '../../../migrations/postgres/0010_action_names.sql' with { type: 'text' };
import attackMode from '../../../migrations/postgres/0011_attack_mode.sql' with { type: 'text' };
import shareLinks from '../../../migrations/postgres/0012_share_links.sql' with { type: 'text' };
import checklist from '../../../migrations/postgres/0013_checklist.sql' with { type: 'text' };
import auditByAction from '../../../migrations/postgres/0014_audit_by_action.sql' with { type: 'text' };
import offlineRotations from '../../../migrations/postgres/0015_offline_rotations.sql' with { type: 'text' };
import { normalizeEmails } from '../emails.ts';
import type { Builders } from '../executor.ts';
import { ROW_NAMES } from '../installationRows.ts';
import { movedDataError, NewerDatabaseError } from '../movedData.ts';
import { runEmailWork } from '../queries.ts';
import { installation } from '../schema.ts';
import type { Database } from './connect.ts';
import { lock } from './locks.ts';

export type Migration = {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Runs after the SQL, in the same transaction, for changes that SQL cannot express. */
  readonly run?: (tx: Builders) => Promise<unknown>;
  /**
   * Programs whose newest schema version is this one or later can still use the database after this migration. During a rolling upgrade,
   * nodes of the previous version keep serving requests, so a release only expands the schema; the next release can contract it.
   */
  readonly compatibleWith: number;
};

/** The migrations in the order in which they run. Only append migrations; never change a released one. The binary embeds the SQL. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'initial', sql: initial, compatibleWith: 1 },
  { version: 2, name: 'claims', sql: claims, compatibleWith: 1 },
  { version: 3, name: 'api_key_rotation', sql: apiKeyRotation, compatibleWith: 1 },
  { version: 4, name: 'widget_builds', sql: widgetBuilds, compatibleWith: 1 },
  { version: 5, name: 'task_organization', sql: taskOrganization, compatibleWith: 1 },
  { version: 6, name: 'property_activity', sql: propertyActivity, compatibleWith: 1 },
  { version: 7, name: 'property_challenge', sql: propertyChallenge, compatibleWith: 1 },
  { version: 8, name: 'rules', sql: rules, compatibleWith: 1 },
  {
    version: 9,
    name: 'emails',
    sql: emails,
    run: (tx) => runEmailWork(tx, normalizeEmails()),
    compatibleWith: 1,
  },
  { version: 10, name: 'action_names', sql: actionNames, compatibleWith: 1 },
  { version: 11, name: 'attack_mode', sql: attackMode, compatibleWith: 1 },
  { version: 12, name: 'share_links', sql: shareLinks, compatibleWith: 1 },
  { version: 13, name: 'checklist', sql: checklist, compatibleWith: 1 },
  { version: 14, name: 'audit_by_action', sql: auditByAction, compatibleWith: 1 },
  { version: 15, name: 'offline_rotations', sql: offlineRotations, compatibleWith: 1 },
];

const CREATE_TABLE = sql`
  CREATE TABLE IF NOT EXISTS migrations (
    version integer PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    applied_at bigint NOT NULL,
    compatible_with integer NOT NULL
  )`;

/**
 * Migrates the database to the newest version that this program knows, all or nothing. Nodes that start together wait for each other.
 *
 * @returns the names of the migrations that ran
 * @throws NewerDatabaseError if this program cannot use the database, or MovedDataError if its data was moved
 */
export function migrate(
  { orm }: Database,
  migrations: readonly Migration[] = MIGRATIONS,
  now = Date.now,
): Promise<readonly string[]> {
  return orm.transaction(async (tx) => {
    await tx.execute(lock('migrations'));
    await tx.execute(CREATE_TABLE);
    const version = await versionOf(tx);
    await rejectNewer(tx, migrations.at(-1)?.version ?? 0);
    await checkNotMoved(tx);
    const missing = migrations.filter((migration) => migration.version > version);
    for (const { version, name, sql: statements, run, compatibleWith } of missing) {
      await tx.execute(sql.raw(statements));
      await run?.(tx);
      await tx.execute(sql`
        INSERT INTO migrations (version, name, applied_at, compatible_with)
        VALUES (${version}, ${name}, ${now()}, ${compatibleWith})`);
    }
    return missing.map(({ name }) => name);
  });
}

/** Returns the version of the newest migration; 0 if there is none. The table of migrations must exist. */
export async function versionOf(orm: Builders): Promise<number> {
  const [row] = await orm.execute<{ version: number | null }>(
    sql`SELECT max(version) AS version FROM migrations`,
  );
  return row?.version ?? 0;
}

/** Whether the database has a schema. */
export async function hasSchema(orm: Builders): Promise<boolean> {
  const [row] = await orm.execute<{ found: boolean }>(
    sql`SELECT to_regclass('migrations') IS NOT NULL AS found`,
  );
  return row?.found === true;
}

/** @throws NewerDatabaseError if a newer version of Postern has migrated the database and this program cannot use it anymore */
export async function rejectNewer(orm: Builders, newest: number): Promise<void> {
  const [row] = await orm.execute<{ required: number | null }>(sql`
    SELECT max(compatible_with) AS required FROM migrations`);
  const required = row?.required ?? 0;
  if (required <= newest) return;
  throw new NewerDatabaseError(
    `the database requires a version of Postern with schema version ${required} or newer, but this version has ${newest}; use a newer version`,
  );
}

/** @throws MovedDataError if the data of the database was moved */
export async function checkNotMoved(tx: Builders): Promise<void> {
  const [table] = await tx.execute<{ found: boolean }>(
    sql`SELECT to_regclass('installation') IS NOT NULL AS found`,
  );
  if (table?.found !== true) return;
  const [row] = await tx.select().from(installation).where(eq(installation.name, ROW_NAMES.movedTo));
  if (row === undefined) return;
  const statement = `DELETE FROM installation WHERE name = '${ROW_NAMES.movedTo}'`;
  const target = new TextDecoder().decode(row.value);
  const use = 'set POSTERN_DATA_DIR, and no POSTERN_DATABASE_URL';
  throw movedDataError('database', target, use, `run "${statement}" with psql`);
}

/** Marks the data of a database as moved. @param target where it was moved to, such as `the folder /data on server1` */
export async function markMoved(tx: Builders, target: string): Promise<void> {
  const value = new TextEncoder().encode(target);
  await tx.insert(installation).values({ name: ROW_NAMES.movedTo, value });
}

/** The reverse of `markMoved`. */
export async function unmarkMoved(tx: Builders): Promise<void> {
  await tx.delete(installation).where(eq(installation.name, ROW_NAMES.movedTo));
}
