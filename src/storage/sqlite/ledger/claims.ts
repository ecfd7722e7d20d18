import type { Database } from 'bun:sqlite';
import type { Durability } from '../../storage.ts';
import { openFile } from '../open.ts';

/** Size of an encoded claim in bytes: the expiration in Unix seconds as a u32, then the puzzle id. */
export const CLAIM_SIZE = 12;

/** The claims file. Only one thread uses it. */
export type Claims = {
  /**
   * Counts a group of claims in one transaction.
   *
   * @param group n times CLAIM_SIZE bytes
   * @returns n counts, in the same order
   * @throws if the group cannot be stored; then none of it was counted
   */
  readonly count: (group: Uint8Array) => Uint32Array;
  /** Deletes at most `limit` rows that expired before `beforeSeconds`. @returns their number */
  readonly purge: (beforeSeconds: number, limit: number) => number;
  /** Writes and deletes a row that belongs to no puzzle. @throws if claims cannot be stored */
  readonly probe: () => void;
  readonly close: () => void;
};

/**
 * The key starts with the expiration, because puzzles that are presented at about the same time expire at about the same time.
 * Therefore, inserts touch adjacent pages, regardless of the number of claims, and a purge deletes from one end.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS claims (
  expires_at INTEGER NOT NULL,
  puzzle_id BLOB NOT NULL,
  presentations INTEGER NOT NULL,
  PRIMARY KEY (expires_at, puzzle_id)
) WITHOUT ROWID`;

// Two statements: the first one is nearly always enough, and takes 2.4 µs instead of the 3.3 µs of an upsert that returns a row
// (in a group of 32).
const COUNT_FIRST = `
INSERT INTO claims (expires_at, puzzle_id, presentations) VALUES (?, ?, 1) ON CONFLICT DO NOTHING`;
const COUNT_AGAIN = `
UPDATE claims SET presentations = presentations + 1 WHERE expires_at = ? AND puzzle_id = ? RETURNING presentations`;

/** Opens or creates the claims file. Its only table never changes, so it needs no migrations. */
export function openClaims(file: string, durability: Durability): Claims {
  const database = openFile(file);
  database.run(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
  database.run(SCHEMA);
  const purgeRows = database.query('DELETE FROM claims WHERE expires_at < ? LIMIT ?');
  return {
    count: createCount(database),
    purge: (beforeSeconds, limit) => purgeRows.run(beforeSeconds, limit).changes,
    probe: createProbe(database),
    close: () => database.close(),
  };
}

/** Only the test puzzle has the expiration 0, and it is never claimed. */
function createProbe(database: Database): Claims['probe'] {
  const write = database.query('INSERT OR REPLACE INTO claims VALUES (0, zeroblob(8), 0)');
  const erase = database.query('DELETE FROM claims WHERE expires_at = 0');
  const probe = database.transaction(() => {
    write.run();
    erase.run();
  });
  return () => probe.immediate();
}

function createCount(database: Database): Claims['count'] {
  const countFirst = database.query<unknown, [number, Uint8Array]>(COUNT_FIRST);
  const countAgain = database.query<unknown, [number, Uint8Array]>(COUNT_AGAIN);

  function countOne(expiresAt: number, puzzleId: Uint8Array): number {
    if (countFirst.run(expiresAt, puzzleId).changes === 1) return 1;
    return countAgain.values(expiresAt, puzzleId)[0]?.[0] as number;
  }

  const countAll = database.transaction((group: Uint8Array, counts: Uint32Array) => {
    const view = new DataView(group.buffer, group.byteOffset);
    for (let i = 0; i < counts.length; i++) {
      const at = i * CLAIM_SIZE;
      counts[i] = countOne(view.getUint32(at, true), group.subarray(at + 4, at + CLAIM_SIZE));
    }
  });
  return (group) => {
    const counts = new Uint32Array(group.length / CLAIM_SIZE);
    countAll.immediate(group, counts);
    return counts;
  };
}
