import { sql } from 'drizzle-orm';
import type { ClockOffset } from '../../model/ports/cluster.ts';
import type { StorageFacts, StorageRows } from '../../model/system.ts';
import type { Builders } from '../executor.ts';
import { selectRows } from '../queries.ts';
import type { Database } from './connect.ts';
import { hasSchema, versionOf } from './migrate.ts';
import { type ListedNode, listNodes, measureClockOffset } from './nodes.ts';
import { readStandbys, type Standbys } from './standbys.ts';

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

/** The facts about a database that `postern doctor` checks. */
export type DatabaseFacts = {
  /** The version of the server, such as `15.18`. */
  readonly serverVersion: string;
  /** The median duration of a query that does nothing, in milliseconds. */
  readonly latencyMs: number;
  /** The value of the server's setting `synchronous_commit` for new connections. */
  readonly synchronousCommit: string;
  /** Whether the server flushes commits to the disk (`fsync`). */
  readonly isDurable: boolean;
  readonly standbys: Standbys;
  /** Whether the server frees the space of deleted rows automatically (`autovacuum`). */
  readonly hasAutovacuum: boolean;
  /** Maximum number of connections of all users except superusers. */
  readonly maxConnections: number;
  /** The number of open connections of all users, except this one. */
  readonly usedConnections: number;
  /** The clock of this machine, compared with that of the database. */
  readonly clock: ClockOffset;
  /** The nodes that reported within the last minute. */
  readonly nodes: readonly ListedNode[];
};

/** Number of queries that measure the latency. */
const SAMPLES = 21;

/** Examines the server of a database without changing anything. */
export async function examine(database: Database): Promise<DatabaseFacts> {
  const { orm } = database;
  const [row] = await selectRows<Omit<DatabaseFacts, 'latencyMs' | 'clock' | 'nodes' | 'standbys'>>(
    orm,
    sql`
    SELECT
      current_setting('server_version') AS "serverVersion",
      current_setting('synchronous_commit') AS "synchronousCommit",
      current_setting('fsync') = 'on' AS "isDurable",
      current_setting('autovacuum') = 'on' AS "hasAutovacuum",
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer AS "maxConnections",
      (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS "usedConnections"`,
  );
  if (row === undefined) throw new Error('the server did not report its settings');
  const durations: number[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    const startedAt = performance.now();
    await orm.execute(sql`SELECT 1`);
    durations.push(performance.now() - startedAt);
  }
  const latencyMs = durations.toSorted((a, b) => a - b)[Math.floor(SAMPLES / 2)] ?? 0;
  return {
    ...row,
    latencyMs,
    standbys: await readStandbys(database.sql),
    clock: await measureClockOffset(orm, Date.now),
    nodes: (await hasSchema(orm)) ? await listNodes(orm) : [],
  };
}
