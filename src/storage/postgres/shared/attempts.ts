import { type SQL, sql } from 'drizzle-orm';
import { type Instant, later, MINUTE } from '../../../lib/time.ts';
import { ATTEMPTS_EXPIRE_AFTER, delayAfter } from '../../../model/account.ts';
import type { AttemptLimit, AttemptStore } from '../../../model/ports/session.ts';
import type { Builders } from '../../executor.ts';
import type { Database } from '../connect.ts';

/** Maximum number of rows that one call deletes. */
const PURGE_SIZE = 1000;
/** Larger counts make no difference: the delay reaches its maximum after a few failures. */
const MAX_FAILURES = 1_000_000;
/**
 * Maximum tolerated difference between the clocks of two nodes. If a stored failure is further in the future, the clock was set back, and
 * the failure is treated as one that happens now. Otherwise, its delay would not end until the clock caught up.
 */
const CLOCK_SLACK = MINUTE;

type Failures = { readonly keyHash: string; readonly count: number; readonly at: Instant };

/** Runs a query that returns the columns `key_hash`, `failures`, and `at`. */
async function readFailures(orm: Builders, query: SQL): Promise<readonly Failures[]> {
  const rows = await orm.execute<{ key_hash: string; failures: number; at: string }>(query);
  return rows.map((row) => ({ keyHash: row.key_hash, count: row.failures, at: Number(row.at) as Instant }));
}

/** Thrown to roll back an attempt that is delayed. */
class DelayedError extends Error {
  override readonly name = 'DelayedError';
  readonly delay: number;

  constructor(delay: number) {
    super(`the attempt is delayed by ${delay} ms`);
    this.delay = delay;
  }
}

/**
 * The attempt store that all nodes share, in a table. The store checks and counts an attempt while it holds the locks of the rows of all
 * keys. It always locks them in the order of the keys, which prevents deadlocks.
 *
 * Only an attempt that is checked adds rows, at most three. Nodes check a limited number of passwords per second, so an attack on one node
 * adds about a million rows of 100 bytes before the first ones expire.
 */
export function createAttemptStore({ orm }: Database): AttemptStore {
  /** Sets the time of failures that are too far in the future to the present. */
  async function correctTimes(limits: readonly AttemptLimit[], now: Instant): Promise<void> {
    const isTooLate = sql`AND attempts.at > ${later(now, CLOCK_SLACK)}::bigint`;
    await updateLocked(orm, limits, sql`at = ${now}::bigint`, isTooLate);
  }

  return {
    async delay(limits, now) {
      const query = sql`
        SELECT key_hash, failures, at FROM failed_attempts WHERE key_hash = ANY(${keysOf(limits)})`;
      const stored = await readFailures(orm, query);
      if (stored.some(({ at }) => at > later(now, CLOCK_SLACK))) await correctTimes(limits, now);
      return delayOf(limits, stored, now);
    },
    async begin(limits, now) {
      if (limits.length === 0) return 0;
      try {
        await orm.transaction((tx) => begin(tx, limits, now));
        return 0;
      } catch (error) {
        const delayed = error instanceof DelayedError ? error : undefined;
        if (delayed === undefined) throw error;
        // Otherwise, a clock that was set back could extend the delay.
        await correctTimes(limits, now);
        return delayed.delay;
      }
    },
    async takeBack(limits) {
      await updateLocked(orm, limits, sql`failures = attempts.failures - 1`, sql`AND attempts.failures > 0`);
    },
    async clear(limits) {
      await updateLocked(orm, limits, sql`failures = 0`);
    },
    async purge(now) {
      const rows = await orm.execute(sql`
        DELETE FROM failed_attempts WHERE key_hash IN (
          SELECT key_hash FROM failed_attempts WHERE failures = 0 OR at <= ${later(now, -ATTEMPTS_EXPIRE_AFTER)}::bigint
          ORDER BY at LIMIT ${PURGE_SIZE} FOR UPDATE SKIP LOCKED)
        RETURNING 1`);
      return rows.length;
    },
  };
}

/** Locks the rows of the keys, and counts an attempt. @throws DelayedError if a key is delayed */
async function begin(tx: Builders, limits: readonly AttemptLimit[], now: Instant): Promise<void> {
  // Creates missing rows. Locks existing rows with an update that changes nothing.
  const query = sql`
    INSERT INTO failed_attempts AS attempts (key_hash, failures, at)
    SELECT key_hash, 0, ${now}::bigint FROM unnest(${keysOf(limits)}) AS given (key_hash) ORDER BY key_hash
    ON CONFLICT (key_hash) DO UPDATE SET at = attempts.at
    RETURNING key_hash, failures, at`;
  const stored = await readFailures(tx, query);
  const delay = delayOf(limits, stored, now);
  if (delay > 0) throw new DelayedError(delay);
  const counts = stored.map((failures) => Math.min(countLive(failures, now) + 1, MAX_FAILURES));
  const keys = stored.map(({ keyHash }) => keyHash);
  await tx.execute(sql`
    UPDATE failed_attempts AS attempts SET failures = given.failures, at = ${now}::bigint
    FROM unnest(${sql.param(keys)}::text[], ${sql.param(counts)}::integer[]) AS given (key_hash, failures)
    WHERE attempts.key_hash = given.key_hash`);
}

/** Locks the rows in the order of their keys, and then updates them. */
async function updateLocked(
  orm: Builders,
  limits: readonly AttemptLimit[],
  assignment: SQL,
  condition: SQL = sql``,
): Promise<void> {
  await orm.execute(sql`
    WITH locked AS (
      SELECT key_hash FROM failed_attempts WHERE key_hash = ANY(${keysOf(limits)}) ORDER BY key_hash FOR UPDATE
    )
    UPDATE failed_attempts AS attempts SET ${assignment}
    FROM locked WHERE attempts.key_hash = locked.key_hash ${condition}`);
}

function keysOf(limits: readonly AttemptLimit[]): SQL {
  return sql`${sql.param(limits.map(({ keyHash }) => keyHash))}::text[]`;
}

/** @returns the longest delay of the limits, in milliseconds; 0 if there is none */
function delayOf(limits: readonly AttemptLimit[], stored: readonly Failures[], now: Instant): number {
  const byKey = new Map(stored.map((failures) => [failures.keyHash, failures]));
  const delays = limits.map(({ rule, keyHash }) => {
    const failures = byKey.get(keyHash);
    if (failures === undefined) return 0;
    return Math.min(failures.at, now) + delayAfter(countLive(failures, now), rule) - now;
  });
  return Math.max(0, ...delays);
}

/** @returns the number of failures that have not expired */
function countLive({ count, at }: Failures, now: Instant): number {
  return now < at + ATTEMPTS_EXPIRE_AFTER ? count : 0;
}
