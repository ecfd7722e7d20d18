import { sql } from 'drizzle-orm';
import type { ClockOffset } from '../../model/clockOffset.ts';
import { selectRows } from '../queries.ts';
import type { Database } from './connect.ts';
import { hasSchema } from './migrate.ts';
import { type ListedNode, listNodes, measureClockOffset } from './nodes.ts';
import { readStandbys, type Standbys } from './standbys.ts';

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
