import type { Database } from 'bun:sqlite';
import { REPEAT_WINDOW_SECONDS, type RepeatKey } from '../../../model/ports/replayLedger.ts';
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
  /** Counts one claim, unless a request with the same key was counted before. @param claim CLAIM_SIZE bytes */
  readonly countOnce: (claim: Uint8Array, maxCount: number, key: RepeatKey) => number;
  /** @returns whether a request with this key was accepted; undefined if there is none */
  readonly recall: (key: RepeatKey) => boolean | undefined;
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

/** The results of requests that may be repeated. */
const REPEATS_SCHEMA = `
CREATE TABLE IF NOT EXISTS repeats (
  hash BLOB NOT NULL PRIMARY KEY,
  expires_at INTEGER NOT NULL,
  presentations INTEGER NOT NULL,
  max_count INTEGER NOT NULL
) WITHOUT ROWID`;
const REPEATS_INDEX = 'CREATE INDEX IF NOT EXISTS repeats_by_expiration ON repeats (expires_at)';

// Two statements: the first one is nearly always enough, and takes 2.4 µs instead of the 3.3 µs of an upsert that returns a row
// (in a group of 32).
const COUNT_FIRST = `
INSERT INTO claims (expires_at, puzzle_id, presentations) VALUES (?, ?, 1) ON CONFLICT DO NOTHING`;
const COUNT_AGAIN = `
UPDATE claims SET presentations = presentations + 1 WHERE expires_at = ? AND puzzle_id = ? RETURNING presentations`;

/** Opens or creates the claims file. Its tables never change, so it needs no migrations. */
export function openClaims(file: string, durability: Durability): Claims {
  const database = openFile(file);
  database.run(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
  for (const statement of [SCHEMA, REPEATS_SCHEMA, REPEATS_INDEX]) database.run(statement);
  const purgeRows = database.query('DELETE FROM claims WHERE expires_at < ? LIMIT ?');
  const purgeRepeats = database.query('DELETE FROM repeats WHERE expires_at < ? LIMIT ?');
  return {
    ...createCounts(database),
    purge: (beforeSeconds, limit) =>
      purgeRows.run(beforeSeconds, limit).changes + purgeRepeats.run(beforeSeconds, limit).changes,
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

function createCounts(database: Database): Pick<Claims, 'count' | 'countOnce' | 'recall'> {
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
  function count(group: Uint8Array): Uint32Array {
    const counts = new Uint32Array(group.length / CLAIM_SIZE);
    countAll.immediate(group, counts);
    return counts;
  }

  const { find, remember } = createRepeats(database);
  const countOnce = database.transaction((claim: Uint8Array, maxCount: number, key: RepeatKey) => {
    const known = find(key);
    if (known !== undefined) return known.presentations;
    const expiresAt = new DataView(claim.buffer, claim.byteOffset).getUint32(0, true);
    const presentations = countOne(expiresAt, claim.subarray(4, CLAIM_SIZE));
    remember(key, presentations, maxCount);
    return presentations;
  });

  return {
    count,
    countOnce: countOnce.immediate,
    recall(key) {
      const known = find(key);
      return known && known.presentations <= known.maxCount;
    },
  };
}

type Repeat = { readonly presentations: number; readonly maxCount: number };

function createRepeats(database: Database) {
  const select = database.query<Repeat, [Uint8Array, number]>(
    'SELECT presentations, max_count AS maxCount FROM repeats WHERE hash = ? AND expires_at > ?',
  );
  const insert = database.query<unknown, [Uint8Array, number, number, number]>(
    'INSERT OR REPLACE INTO repeats (hash, expires_at, presentations, max_count) VALUES (?, ?, ?, ?)',
  );
  return {
    find: ({ hash, nowSeconds }: RepeatKey): Repeat | undefined => select.get(hash, nowSeconds) ?? undefined,
    remember({ hash, nowSeconds }: RepeatKey, presentations: number, maxCount: number): void {
      insert.run(hash, nowSeconds + REPEAT_WINDOW_SECONDS, presentations, maxCount);
    },
  };
}
