import { sql } from 'drizzle-orm';
import type { ClockOffset, NodeReport, NodeStore } from '../../model/ports/cluster.ts';
import type { Builders } from '../executor.ts';
import { selectRows } from '../queries.ts';

/** A node that has not reported for this long is gone. */
const GONE_AFTER = '1 minute';
/** A node that has not reported for this long may have ended, so its clock no longer counts. Nodes report every five seconds. */
const SILENT_AFTER = '30 seconds';

/** Maximum number of measurements for one report. */
const MEASUREMENTS = 5;
/** A measurement with at most this error is good enough. */
const SMALL_ERROR_MS = 25;

/** @see NodeStore */
export function createNodeStore(orm: Builders): NodeStore {
  return {
    async report({ id, name, version }, clock, isFirst) {
      const measured = await measureClockOffset(orm, clock);
      const others = await selectRows<{ offsetMs: number }>(
        orm,
        sql`
        WITH gone AS (
          DELETE FROM nodes
          WHERE id <> ${id} AND (seen_at < now() - ${GONE_AFTER}::interval OR (${isFirst} AND name = ${name}))),
        own AS (
          INSERT INTO nodes (id, name, version, clock_offset_ms, seen_at)
          VALUES (${id}, ${name}, ${version}, ${measured.offsetMs}, now())
          ON CONFLICT (id) DO UPDATE SET clock_offset_ms = excluded.clock_offset_ms, seen_at = excluded.seen_at)
        SELECT clock_offset_ms::double precision AS "offsetMs" FROM nodes
        WHERE id <> ${id} AND seen_at >= now() - ${SILENT_AFTER}::interval
          AND NOT (${isFirst} AND name = ${name})`,
      );
      return { ...measured, otherOffsetsMs: others.map(({ offsetMs }) => offsetMs) };
    },
    async remove(id) {
      await orm.execute(sql`DELETE FROM nodes WHERE id = ${id}`);
    },
  };
}

/**
 * Measures until the error is small, at most five times, and returns the measurement with the smallest error. The first one can take
 * seconds if the database was slow or frozen, and the next one is usually fast.
 */
export async function measureClockOffset(orm: Builders, clock: () => number): Promise<ClockOffset> {
  let best = await measureOnce(orm, clock);
  for (let count = 1; count < MEASUREMENTS && best.uncertaintyMs > SMALL_ERROR_MS; count++) {
    const next = await measureOnce(orm, clock);
    if (next.uncertaintyMs < best.uncertaintyMs) best = next;
  }
  return best;
}

/**
 * The error is at most half the round-trip time (RFC 5905, section 8). The duration comes from a monotonic clock, so a step of the clock
 * during the measurement does not distort it.
 */
async function measureOnce(orm: Builders, clock: () => number): Promise<ClockOffset> {
  const sentAt = performance.now();
  const [row] = await orm.execute<{ now: number }>(
    sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now`,
  );
  const halfMs = (performance.now() - sentAt) / 2;
  const offsetMs = Math.round(clock() - halfMs - (row?.now ?? Number.NaN));
  return { offsetMs, uncertaintyMs: Math.ceil(halfMs) };
}

/** A node that has reported within the last minute. It may have ended since then without deleting its report. */
export type ListedNode = NodeReport & {
  /** Seconds since its last report. */
  readonly silentSeconds: number;
};

/** @returns the nodes that reported within the last minute, sorted by name */
export function listNodes(orm: Builders): Promise<readonly ListedNode[]> {
  return selectRows<ListedNode>(
    orm,
    sql`
    SELECT id, name, version, clock_offset_ms::integer AS "clockOffsetMs",
      extract(epoch FROM now() - seen_at)::integer AS "silentSeconds"
    FROM nodes
    WHERE seen_at >= now() - ${GONE_AFTER}::interval ORDER BY name, id`,
  );
}
