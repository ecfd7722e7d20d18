import type { Executor } from './claims.ts';

const FIND = 'SELECT EXISTS (SELECT FROM claims_origin WHERE identity = claims_identity()) AS is_same';

/** Records the current identity, after all earlier puzzles were rejected. Returns a row if another one was recorded. */
export const ACCEPT_ORIGIN = `
INSERT INTO claims_origin AS known (identity) VALUES (claims_identity())
ON CONFLICT (is_only) DO UPDATE SET identity = excluded.identity WHERE known.identity <> excluded.identity
RETURNING identity`;

/**
 * Detects whether the table of claims was restored from a dump, which does not contain the claims since the dump was made: the table then
 * belongs to another cluster or database, or was created again. A physical copy (a base backup or a disk snapshot) has the same identity,
 * so the operator has to rotate the signing key after restoring it.
 */
export async function hasOtherOrigin(sql: Executor): Promise<boolean> {
  const [row] = await sql.unsafe(FIND);
  return row?.is_same !== true;
}
