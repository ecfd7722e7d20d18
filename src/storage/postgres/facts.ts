import { sql } from 'drizzle-orm';
import type { StorageFacts, StorageRows } from '../../model/system.ts';
import type { Builders } from '../executor.ts';
import { versionOf } from './migrate.ts';

/** The tables of the replay ledger. All other tables belong to the main database. */
const CLAIM_TABLES = "('claims', 'repeats', 'purged')";

/** @returns the total sizes of the tables of the main database and of the replay ledger, including their indexes */
export async function readSizes(orm: Builders): Promise<StorageFacts['files']> {
  const rows = await orm.execute<{ is_claims: boolean; size: string | null }>(sql`
    SELECT relname IN ${sql.raw(CLAIM_TABLES)} AS is_claims, sum(pg_total_relation_size(oid)) AS size
    FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace GROUP BY 1 ORDER BY 1`);
  return rows.map(({ is_claims, size }) => {
    const database = is_claims ? 'claims' : 'main';
    return { name: `${database} tables`, database, isLog: false, sizeBytes: Number(size ?? 0) };
  });
}

/** @returns sizes and row counts. Claims are not counted, because there may be many millions. */
export async function measure(orm: Builders): Promise<StorageFacts> {
  const rows = await orm.execute<Record<keyof StorageRows, string>>(sql`
    SELECT
      (SELECT count(*) FROM accounts) AS accounts,
      (SELECT count(*) FROM organizations WHERE deleted_at IS NULL) AS organizations,
      (SELECT count(*) FROM properties WHERE deleted_at IS NULL) AS properties,
      (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL) AS "apiKeys",
      (SELECT count(*) FROM invitations) AS invitations,
      (SELECT count(*) FROM tasks WHERE finished_at IS NULL) AS "unfinishedTasks",
      (SELECT count(*) FROM tasks WHERE finished_at IS NOT NULL) AS "finishedTasks",
      (SELECT count(*) FROM audit) AS "auditEntries"`);
  const [counts] = rows;
  if (counts === undefined) throw new Error('the database returned no counts');
  const numbers = Object.fromEntries(Object.entries(counts).map(([name, text]) => [name, Number(text)]));
  return { schema: await versionOf(orm), files: await readSizes(orm), rows: numbers as StorageRows };
}
