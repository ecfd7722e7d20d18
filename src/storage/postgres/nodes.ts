import { sql } from 'drizzle-orm';
import type { NodeReport, NodeStore } from '../../model/ports/node.ts';
import { selectRows } from './queries.ts';
import type { Executor } from './transact.ts';

/** A node that has not reported for this long is gone. */
const GONE_AFTER = '1 minute';

/** @see NodeStore */
export function createNodeStore(orm: Executor): NodeStore {
  return {
    async report({ id, name, version }, clock) {
      const clockOffsetMs = await measureClockOffset(orm, clock);
      await orm.execute(sql`
        WITH gone AS (DELETE FROM nodes WHERE seen_at < now() - ${GONE_AFTER}::interval AND id <> ${id})
        INSERT INTO nodes (id, name, version, clock_offset_ms, seen_at)
        VALUES (${id}, ${name}, ${version}, ${clockOffsetMs}, now())
        ON CONFLICT (id) DO UPDATE SET clock_offset_ms = excluded.clock_offset_ms, seen_at = excluded.seen_at`);
      return clockOffsetMs;
    },
  };
}

/**
 * @returns the time of this machine minus the time of the database, in milliseconds. The error is at most half the round-trip time
 *   (RFC 5905, section 8).
 */
export async function measureClockOffset(orm: Executor, clock: () => number): Promise<number> {
  const sentAt = clock();
  const [row] = await orm.execute<{ now: number }>(
    sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now`,
  );
  const receivedAt = clock();
  return Math.round((sentAt + receivedAt) / 2 - (row?.now ?? Number.NaN));
}

/** @returns the nodes that reported within the last minute, sorted by name */
export function listNodes(orm: Executor): Promise<readonly NodeReport[]> {
  return selectRows<NodeReport>(
    orm,
    sql`
    SELECT id, name, version, clock_offset_ms::integer AS "clockOffsetMs" FROM nodes
    WHERE seen_at >= now() - ${GONE_AFTER}::interval ORDER BY name, id`,
  );
}
