import {
  type Claim,
  type ClaimLedger,
  REPEAT_WINDOW_SECONDS,
  type RepeatKey,
} from '../../../model/ports/replayLedger.ts';
import { countGroup, type Executor } from './claims.ts';
import type { GroupsOptions } from './groups.ts';

type Repeat = { readonly presentations: number; readonly max_count: string; readonly is_known: boolean };

/** Ignores rows that expire implausibly late, because they were written before the clock was set back. */
const IS_KNOWN = 'presentations > 0 AND expires_at > $2::bigint AND expires_at <= $2::bigint + $3::bigint';

const FIND = `SELECT presentations, max_count, true AS is_known FROM repeats WHERE hash = $1 AND ${IS_KNOWN}`;

/** Locks the row of the request until the end of the transaction. A new row has no presentations. */
const LOCK = `
INSERT INTO repeats AS known (hash, expires_at, presentations, max_count) VALUES ($1, 0, 0, 0)
ON CONFLICT (hash) DO UPDATE SET hash = known.hash`;

const REMEMBER = 'UPDATE repeats SET expires_at = $2, presentations = $3, max_count = $4 WHERE hash = $1';

/** Thrown to roll back the claim of a puzzle whose earlier claims may have been purged. */
class PurgedError extends Error {}

/** Counts a claim unless a request with the same key was already counted; see ReplayLedger. */
async function countOnce(connection: Bun.ReservedSQL, claim: Claim, maxCount: number, key: RepeatKey) {
  try {
    return await connection.begin(async (sql) => {
      await sql.unsafe(LOCK, [key.hash]);
      const known = await find(sql, key);
      if (known !== undefined) return known.presentations;
      const { numbers } = await countGroup(sql, [claim]);
      const [presentations = 0] = numbers;
      if (presentations === 0) throw new PurgedError();
      const expiresAt = key.nowSeconds + REPEAT_WINDOW_SECONDS;
      await sql.unsafe(REMEMBER, [key.hash, expiresAt, presentations, maxCount]);
      return presentations;
    });
  } catch (error) {
    if (error instanceof PurgedError) return 0;
    throw error;
  }
}

/**
 * Locks the row, which makes the commit wait for the standby. After a restart of the primary, the row is visible before the standby has it.
 *
 * @returns whether the first request with this key was accepted; undefined if there was no such request
 */
export async function recall(sql: Executor, key: RepeatKey): Promise<boolean | undefined> {
  const known = await find(sql, key, `${FIND} FOR UPDATE`);
  return known && known.presentations <= Number(known.max_count);
}

async function find(
  sql: Executor,
  { hash, nowSeconds }: RepeatKey,
  statement = FIND,
): Promise<Repeat | undefined> {
  const rows: readonly Repeat[] = await sql.unsafe(statement, [hash, nowSeconds, 2 * REPEAT_WINDOW_SECONDS]);
  return rows[0];
}

type OnceOptions = Pick<GroupsOptions, 'onCommit' | 'run' | 'health' | 'now'>;

/** Stores claims of requests that may be repeated, each in a transaction of its own. */
export function createOnce({ onCommit, run, health, now }: OnceOptions) {
  /** Number of requests that wait for a connection. */
  let waiting = 0;

  const claim: ClaimLedger['claimOnce'] = async (claim, maxCount, key) => {
    const startedAt = now();
    let isWaiting = true;
    waiting++;
    function endWait(): void {
      if (isWaiting) waiting--;
      isWaiting = false;
    }
    const options = { group: String(key.userId), onGranted: endWait };
    try {
      const presentations = await health.observe(() =>
        run((sql) => countOnce(sql, claim, maxCount, key), options),
      );
      onCommit?.({ claims: 1, milliseconds: now() - startedAt });
      return presentations;
    } finally {
      endWait();
    }
  };

  return { claim, waiting: () => waiting };
}
