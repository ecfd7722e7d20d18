import type { Executor } from './claims.ts';

const FIND = 'SELECT EXISTS (SELECT FROM claims_origin WHERE identity = claims_identity()) AS is_same';
const ACCEPT = `
INSERT INTO claims_origin (identity) VALUES (claims_identity())
ON CONFLICT (is_only) DO UPDATE SET identity = excluded.identity`;

/**
 * Detects that the table of claims is a restored copy, which does not contain the claims since the copy was made: it belongs to another
 * cluster or database, or was created again. A physical copy (a base backup, or a snapshot of a disk) has the same identity, so the
 * operator has to rotate the signing key after restoring one.
 */
export async function hasOtherOrigin(sql: Executor): Promise<boolean> {
  const [row] = await sql.unsafe(FIND);
  return row?.is_same !== true;
}

/** Records the present identity, after all earlier puzzles have been rejected. */
export async function acceptOrigin(sql: Executor): Promise<void> {
  await sql.unsafe(ACCEPT);
}
