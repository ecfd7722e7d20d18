import { SECOND } from '../../lib/time.ts';
import { within } from '../../lib/timer.ts';
import type { CountExchange, ReceivedBatch } from '../../model/ports/cluster.ts';
import { StoreFailure } from '../../model/storeFailure.ts';
import type { Database } from './connect.ts';
import type { ConnectToPrimary } from './failover.ts';
import { toStoreFailure } from './failures.ts';

/** Time limit for a statement, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 2 * SECOND;
/** Time limit for a call, in milliseconds. If the network fails, PostgreSQL never answers, so the connection is then replaced. */
const TIMEOUT_MS = 5 * SECOND;
/** Maximum number of batches that one call returns. The next call returns the rest. */
const MAX_BATCHES = 200;

/** Opens the count exchange on a separate connection, so that counts do not wait for management data. @param timeoutMs for tests */
export function openCountExchange(connectTo: ConnectToPrimary, timeoutMs = TIMEOUT_MS): CountExchange {
  const parameters = { statement_timeout: String(STATEMENT_TIMEOUT_MS) };
  const open = () => connectTo({ max: 1, parameters });
  let database = open();

  async function limit<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const onExpired = () => {
      void database.sql.close({ timeout: 0 }).catch(() => {});
      database = open();
      return new StoreFailure(`no answer within ${timeoutMs / SECOND} s`);
    };
    try {
      return await within(timeoutMs, work(database), onExpired);
    } catch (error) {
      throw toStoreFailure(error);
    }
  }

  return {
    exchange: (batch, received) => limit(({ sql }) => exchangeBatches(sql, batch, received)),
    secret: (period, candidate) => limit(({ sql }) => agreeOnSecret(sql, period, candidate)),
    close: () => database.close(),
  };
}

type BatchRow = {
  readonly node: string;
  readonly sequence: string;
  readonly payload: Uint8Array;
  readonly age_ms: number;
};

/**
 * Stores a batch and reads the batches of other nodes in one statement. Nodes that delete the same rows do not wait for each other. The
 * transaction writes only to unlogged tables, so its commit does not wait for the disk or a standby.
 */
async function exchangeBatches(
  sql: Database['sql'],
  { node, sequence, payload }: Parameters<CountExchange['exchange']>[0],
  received: ReadonlyMap<string, number>,
): Promise<readonly ReceivedBatch[]> {
  const nodes = [...received.keys()].join(',');
  const sequences = [...received.values()].join(',');
  const rows: readonly BatchRow[] = await sql`
    WITH stored AS (
      INSERT INTO count_batches (node, sequence, payload)
      SELECT ${node}::uuid, ${sequence}::bigint, ${payload ?? null}::bytea WHERE ${payload !== undefined}::boolean
      ON CONFLICT DO NOTHING
    ), deleted AS (
      DELETE FROM count_batches WHERE (node, sequence) IN (
        SELECT node, sequence FROM count_batches WHERE stored_at < now() - interval '10 seconds' FOR UPDATE SKIP LOCKED
      )
    ), received AS (
      SELECT * FROM unnest(string_to_array(${nodes}, ',')::uuid[], string_to_array(${sequences}, ',')::bigint[])
        AS of_node (node, last_sequence)
    )
    SELECT node, sequence, payload, extract(epoch FROM now() - stored_at)::float8 * 1000 AS age_ms
    FROM count_batches LEFT JOIN received USING (node)
    WHERE node <> ${node}::uuid AND sequence > coalesce(last_sequence, 0)
      AND stored_at >= now() - interval '10 seconds'
    ORDER BY sequence, node LIMIT ${MAX_BATCHES}`;
  return rows.map(({ age_ms, ...row }) => ({
    ...row,
    sequence: Number(row.sequence),
    ageMs: Math.max(0, age_ms),
  }));
}

async function agreeOnSecret(sql: Database['sql'], period: number, candidate: Uint8Array) {
  const [row]: readonly { readonly secret: Uint8Array }[] = await sql`
    WITH deleted AS (
      DELETE FROM address_secrets WHERE period IN (
        SELECT period FROM address_secrets WHERE period < ${period}::bigint - 1 FOR UPDATE SKIP LOCKED
      )
    )
    INSERT INTO address_secrets AS known (period, secret) VALUES (${period}::bigint, ${candidate}::bytea)
    ON CONFLICT (period) DO UPDATE SET secret = known.secret
    RETURNING secret`;
  if (row === undefined) throw new Error('the database returned no secret');
  return row.secret;
}
