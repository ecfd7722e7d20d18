import { lockStatement } from '../locks.ts';
import { type Executor, hasOtherOrigin } from './claims.ts';

/** Maximum number of rows of each table that one call deletes. */
const PURGE_SIZE = 5000;
/** The statement timeout of a purge, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Time limit for a purge, in milliseconds. */
export const PURGE_TIMEOUT_MS = 60_000;

/** No puzzle expires later: expirations are stored as u32. */
const LATEST_EXPIRATION = 2 ** 32 - 1;

/**
 * These settings make PostgreSQL delete a batch in the order of the index, which is also the order in which groups of claims are inserted.
 * Otherwise, a purge and a group could cause a deadlock. Other scans of the table would also be slower.
 */
const SETTINGS = [
  'SET LOCAL enable_seqscan = off',
  'SET LOCAL enable_bitmapscan = off',
  `SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
];
const LAST_OF_BATCH = `
SELECT expires_at, puzzle_id FROM claims WHERE expires_at < $1 ORDER BY expires_at, puzzle_id OFFSET ${PURGE_SIZE - 1} LIMIT 1`;
const DELETE_BATCH = 'DELETE FROM claims WHERE (expires_at, puzzle_id) <= ($1::bigint, $2::bytea)';
const DELETE_REST = 'DELETE FROM claims WHERE expires_at < $1';

const DELETE_REPEATS = `
DELETE FROM repeats WHERE hash = ANY (ARRAY(
  SELECT hash FROM repeats WHERE expires_at < $1 ORDER BY expires_at LIMIT ${PURGE_SIZE} FOR UPDATE SKIP LOCKED))`;

/** The keys that the caller specified, and all stored keys. A fingerprint is stored as 4 bytes, a little-endian u32. */
const KEYS = `
keys AS (
  SELECT unnest($1::text::bigint[]) AS fingerprint
  UNION
  SELECT get_byte(fingerprint, 0) + get_byte(fingerprint, 1) * 256 + get_byte(fingerprint, 2) * 65536
    + get_byte(fingerprint, 3) * 16777216::bigint
  FROM signing_keys
)`;
const RECORD = `
WITH ${KEYS}
INSERT INTO purged (fingerprint, expired_before) SELECT fingerprint, $2 FROM keys
ON CONFLICT (fingerprint) DO UPDATE SET expired_before = excluded.expired_before
WHERE excluded.expired_before > purged.expired_before`;
const FORGET = `WITH ${KEYS} DELETE FROM purged WHERE fingerprint NOT IN (SELECT fingerprint FROM keys)`;

/**
 * Deletes a batch of puzzles and records the time for each key in one transaction; see ReplayLedger.
 *
 * It reads the stored keys after it deletes claims, because the key of a deleted claim was stored before the claim. A node that does not
 * know a new key yet therefore still records the time for it, and never deletes that record. Only one purge runs at a time.
 *
 * Several nodes can start with a restored database and reject all puzzles. When one of them has added a new key, the others must not reject
 * the puzzles of that key.
 */
export function purge(
  connection: Bun.ReservedSQL,
  beforeSeconds: number,
  keyFingerprints: readonly number[],
): Promise<number> {
  const keys = `{${keyFingerprints.join(',')}}`;
  return connection.begin(async (sql) => {
    for (const setting of SETTINGS) await sql.unsafe(setting);
    await sql.unsafe(lockStatement('claims-purge'));
    if (beforeSeconds >= LATEST_EXPIRATION && !(await hasOtherOrigin(sql))) return 0;
    const claims = await deleteClaims(sql, beforeSeconds);
    const repeats = await sql.unsafe(DELETE_REPEATS, [beforeSeconds]);
    await sql.unsafe(RECORD, [keys, beforeSeconds]);
    await sql.unsafe(FORGET, [keys]);
    return claims + repeats.count;
  });
}

async function deleteClaims(sql: Executor, beforeSeconds: number): Promise<number> {
  const [last] = await sql.unsafe(LAST_OF_BATCH, [beforeSeconds]);
  const deleted = await (last === undefined
    ? sql.unsafe(DELETE_REST, [beforeSeconds])
    : sql.unsafe(DELETE_BATCH, [last.expires_at, last.puzzle_id]));
  return deleted.count;
}

/** @returns Unix seconds; 0 if there was no purge; see ReplayLedger */
export async function purgedBefore(sql: Executor, keyFingerprint: number): Promise<number> {
  const find = 'SELECT expired_before FROM purged WHERE fingerprint = $1';
  const [row] = await sql.unsafe(find, [keyFingerprint]);
  return Number(row?.expired_before ?? 0);
}
