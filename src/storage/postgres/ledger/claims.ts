import type { Claim } from '../../../model/ports/replayLedger.ts';

/** A connection or a transaction, which runs statements. */
export type Executor = Pick<Bun.SQL, 'unsafe'>;

/** The row that the function in migrations/postgres returns. `.values()` avoids an object for each group. */
type CountedGroup = readonly [counted: string, repeated: string | null, purges: string | null];

// One call of a function needs less processor time than two pipelined statements; docs/project/experiments.md has the figures.
const COUNT = 'SELECT counted, repeated, purges FROM claim_puzzles($1::text::bigint[], $2)';

const ID_SIZE = 8;

/** The times before which expired puzzles were purged, in Unix seconds, by the fingerprint of the signing key. They only increase. */
export type Purges = ReadonlyMap<number, number>;

export type CountedClaims = {
  /** The number of presentations of each claim's puzzle, in the order of the claims; 0 if earlier claims may have been purged. */
  readonly numbers: readonly number[];
  readonly purges: Purges;
};

/**
 * Counts a group of claims in a transaction of its own, or as a part of the transaction of `sql`.
 *
 * A puzzle is never accepted again after a purge deleted its claim, even if the clocks of the nodes differ. The function inserts the claims
 * first, and then reads the table `purged` with a newer snapshot (with `read committed`, a VOLATILE function takes a snapshot for each
 * statement: PostgreSQL 15 documentation, section 38.7). A purge deletes a claim and records its time for the claim's signing key in one transaction.
 * While that transaction runs, the insert of the same puzzle waits for it. So if the insert does not find an earlier claim that existed,
 * the purge that deleted it has committed, the newer snapshot contains its time, and the claim gets the number 0. If the purge has not
 * deleted the earlier claim yet, the insert finds it, and the number is greater than 1.
 *
 * @throws if the group cannot be stored, or if it is unknown whether it was stored
 */
export async function countGroup(sql: Executor, claims: readonly Claim[]): Promise<CountedClaims> {
  const expirations = `{${claims.map(({ expiresAtSeconds }) => expiresAtSeconds).join(',')}}`;
  const rows: readonly CountedGroup[] = await sql.unsafe(COUNT, [expirations, idsOf(claims)]).values();
  const [row] = rows;
  if (row === undefined) throw new Error('the database did not count the claims');
  const [counted, repeated, purgesText] = row;
  const numbers = numbersOf(claims, Number(counted), parseRepeated(repeated));
  const purges = parsePurges(purgesText);
  if (purges.size > 0)
    for (let i = 0; i < claims.length; i++) if (isPurged(claims[i] as Claim, purges)) numbers[i] = 0;
  return { numbers, purges };
}

/** Whether a purge may have deleted earlier claims of the same puzzle. */
export function isPurged({ keyFingerprint, expiresAtSeconds }: Claim, purges: Purges): boolean {
  return expiresAtSeconds < (purges.get(keyFingerprint) ?? 0);
}

function idsOf(claims: readonly Claim[]): Buffer {
  const ids = Buffer.allocUnsafe(claims.length * ID_SIZE);
  for (let i = 0; i < claims.length; i++) ids.set((claims[i] as Claim).puzzleId, i * ID_SIZE);
  return ids;
}

/** @throws if the server did not store all claims, for example because of a trigger */
function numbersOf(claims: readonly Claim[], counted: number, repeated: ReadonlyMap<string, number>) {
  const numbers: number[] = new Array(claims.length).fill(1);
  let different = claims.length;
  if (repeated.size > 0) {
    const remaining = new Map(repeated);
    // In reverse order, because the last presentation of a puzzle in the group has the highest number.
    for (let i = claims.length - 1; i >= 0; i--) {
      const key = keyOf(claims[i] as Claim);
      const number = remaining.get(key);
      if (number === undefined) continue;
      if (number !== repeated.get(key)) different--;
      numbers[i] = number;
      remaining.set(key, number - 1);
    }
  }
  if (counted !== different) throw new Error(`the database stored ${counted} of ${different} claims`);
  return numbers;
}

function keyOf({ expiresAtSeconds, puzzleId }: Claim): string {
  return `${expiresAtSeconds}:${puzzleId.toHex()}`;
}

/** @returns the number of presentations by key */
function parseRepeated(text: string | null): ReadonlyMap<string, number> {
  if (text === null) return new Map();
  return new Map(
    text.split(',').map((entry) => {
      const end = entry.lastIndexOf(':');
      return [entry.slice(0, end), Number(entry.slice(end + 1))];
    }),
  );
}

function parsePurges(text: string | null): Purges {
  if (text === null) return new Map();
  return new Map(
    text.split(',').map((entry) => {
      const [fingerprint, expiredBefore] = entry.split(':');
      return [Number(fingerprint), Number(expiredBefore)];
    }),
  );
}

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
