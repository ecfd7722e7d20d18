import { sql } from 'drizzle-orm';
import type { Instant } from '../../lib/time.ts';
import type { MigrationReport } from '../../model/system.ts';
import { findKeptSpellings } from '../emails.ts';
import { runEmailWork } from '../queries.ts';
import type { Inspection } from '../storage.ts';
import type { Database } from './connect.ts';
import {
  checkNotMoved,
  hasSchema,
  MIGRATIONS,
  type Migration,
  migrate,
  rejectNewer,
  versionOf,
} from './migrate.ts';

const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/** @see StorageEngine */
export async function inspect({ orm }: Database): Promise<Inspection | undefined> {
  if (!(await hasSchema(orm))) return undefined;
  await checkNotMoved(orm);
  const [row] = await orm.execute<{ version: number; created: string | null; written: string | null }>(sql`
    SELECT coalesce(max(version), 0) AS version, min(applied_at) AS created,
      greatest(max(applied_at), (SELECT max(at) FROM audit), (SELECT max(seen_at) FROM sessions),
        (SELECT max(created_at) FROM signing_keys)) AS written
    FROM migrations`);
  const toInstant = (text: string | null | undefined) =>
    text === null || text === undefined ? undefined : (Number(text) as Instant);
  return {
    version: row?.version ?? 0,
    newestVersion: NEWEST_VERSION,
    createdAt: toInstant(row?.created),
    lastWriteAt: toInstant(row?.written),
    // Operators back up the database with PostgreSQL's own tools.
    lastBackupAt: undefined,
    keptSpellings: await runEmailWork(orm, findKeptSpellings()),
  };
}

/** @see StorageEngine */
export async function runMigrations(database: Database): Promise<MigrationReport> {
  const applied = await migrate(database);
  return toReport(await versionOf(database.orm), ({ name }) => applied.includes(name));
}

/** @see StorageEngine */
export async function pendingMigrations({ orm }: Database): Promise<MigrationReport> {
  if (!(await hasSchema(orm))) return toReport(NEWEST_VERSION, () => true);
  await rejectNewer(orm, NEWEST_VERSION);
  const current = await versionOf(orm);
  return toReport(Math.max(current, NEWEST_VERSION), ({ version }) => version > current);
}

function toReport(schema: number, isListed: (migration: Migration) => boolean): MigrationReport {
  return { schema, migrations: MIGRATIONS.filter(isListed).map(({ version, name }) => ({ version, name })) };
}
