import type { Database } from 'bun:sqlite';
import { CLAIM_SIZE, FINGERPRINT, PUZZLE_ID } from '../../ledgerClient/claimProtocol.ts';
import { createMovedPuzzles, type MovedPuzzles } from './movedPuzzles.ts';

/**
 * The counts of the puzzles that were presented most recently: a log of groups in the table `recent_claims`, and the same counts in memory.
 * A group adds one row at the end of the log, whereas in the table `claims`, almost every claim of a group would change a different page.
 * When the log has GENERATION puzzles, they are moved to `claims` in the order of their keys, in batches as claims arrive, while the next
 * generation fills. This is the method of log-structured merge trees (O'Neil et al., "The Log-Structured Merge-Tree", 1996).
 *
 * Call all functions except `forget` in a transaction that excludes other writers (`BEGIN IMMEDIATE`). If the transaction fails, call
 * `forget`.
 */
export type RecentClaims = ReturnType<typeof createRecentClaims>;

/** `presentations` has n times CLAIM_SIZE bytes: claims, but with the number of presentations instead of the fingerprint of the key. */
export const RECENT_SCHEMA = `
CREATE TABLE IF NOT EXISTS recent_claims (
  id INTEGER PRIMARY KEY,
  presentations BLOB NOT NULL
)`;

/** Number of puzzles that are moved together. A larger number changes fewer pages of `claims` per puzzle. They use 1.3 MB of memory. */
const GENERATION = 16_384;
/** Average number of puzzles that are moved for each new claim. More than 1, so that the move ends before the next generation is full. */
const MOVED_PER_CLAIM = 2;
/**
 * Minimum number of puzzles that are moved at a time, except for the last ones of a generation. A page of `claims` contains more than a
 * hundred puzzles, so each page changes in few transactions.
 */
const MIN_MOVED = 512;

const PRESENTATIONS = FINGERPRINT;

/**
 * How often puzzles were presented, by `keyAt`. A map takes as long as a hash table in a typed array (70 ns for each claim, and 70 instead of
 * 50 ns for each key to sort, Bun 1.4.5).
 */
type Counts = Map<string, number>;

/** @param at the position of a claim @returns six characters of 16 bits, which sort like the primary key of `claims` */
function keyAt(view: DataView, at: number): string {
  const [expiresAt, id] = [view.getUint32(at, true), at + PUZZLE_ID];
  return String.fromCharCode(
    expiresAt >>> 16,
    expiresAt & 0xffff,
    view.getUint16(id),
    view.getUint16(id + 2),
    view.getUint16(id + 4),
    view.getUint16(id + 6),
  );
}

function expirationIn(key: string): number {
  return key.charCodeAt(0) * 2 ** 16 + key.charCodeAt(1);
}

/** @see RecentClaims */
export function createRecentClaims(database: Database) {
  const sql = prepare(database);
  const moved = createMovedPuzzles(expirationIn);
  let mover = createMover(sql, moved);
  const lookUp = createLookup(sql, moved);
  let filling: Counts = new Map();
  let lastRow = 0;
  /** Number of puzzles to move in the next batch. */
  let due = 0;
  /** The value of `data_version` when the log was read; undefined if the log has to be read. */
  let version: number | undefined;

  function read(): void {
    filling = new Map();
    mover = createMover(sql, moved);
    moved.reset((sql.latest.values()[0]?.[0] as number | null) ?? 0);
    for (const { id, presentations } of sql.log.iterate()) {
      lastRow = id;
      addAll(presentations, filling);
    }
  }

  /** @param at the position of the claim in the group */
  function countOne(group: Uint8Array, view: DataView, at: number): number {
    const key = keyAt(view, at);
    const count = 1 + (filling.get(key) ?? mover.get(key) ?? lookUp(key, group, at));
    filling.set(key, count);
    return count;
  }

  function append(presentations: Uint8Array): void {
    lastRow = Number(sql.append.run(presentations).lastInsertRowid);
    due += (MOVED_PER_CLAIM * presentations.length) / CLAIM_SIZE;
    if (due >= MIN_MOVED) {
      mover.move(due);
      due = 0;
    }
    if (filling.size >= GENERATION) startMove();
  }

  /** The move of the previous generation has usually ended; see MOVED_PER_CLAIM. */
  function startMove(): void {
    mover.move(Number.POSITIVE_INFINITY);
    mover.start(filling, lastRow);
    filling = new Map();
  }

  function moveAll(): void {
    startMove();
    mover.move(Number.POSITIVE_INFINITY);
  }

  return {
    /** Reads the log if another connection may have changed it. Call this first. */
    refresh(): void {
      const current = sql.version.values()[0]?.[0] as number;
      if (current !== version) read();
      version = current;
    },
    /**
     * Counts and stores a group of presentations.
     *
     * @param group n times CLAIM_SIZE bytes
     * @param purged the time of the last purge for each signing key
     * @returns n counts, in the same order; 0 for claims that were purged
     */
    count(group: Uint8Array, purged: ReadonlyMap<number, number>): Uint32Array {
      const counts = new Uint32Array(group.length / CLAIM_SIZE);
      const presentations = group.slice();
      const view = new DataView(presentations.buffer);
      let size = 0;
      for (let i = 0; i < counts.length; i++) {
        const at = i * CLAIM_SIZE;
        if (view.getUint32(at, true) < (purged.get(view.getUint32(at + FINGERPRINT, true)) ?? 0)) continue;
        const count = countOne(presentations, view, at);
        counts[i] = count;
        view.setUint32(at + PRESENTATIONS, count, true);
        if (size < at) presentations.copyWithin(size, at, at + CLAIM_SIZE);
        size += CLAIM_SIZE;
      }
      if (size > 0) append(presentations.subarray(0, size));
      return counts;
    },
    /** Moves all counts to `claims` if one of the puzzles expired before this time, in Unix seconds. */
    moveExpired(beforeSeconds: number): void {
      if (mover.hasExpired(beforeSeconds) || hasExpired(filling, beforeSeconds)) moveAll();
    },
    /** Moves all counts to `claims`. */
    moveAll,
    /** Discards the counts in memory. */
    forget(): void {
      version = undefined;
    },
  };
}

/** @returns a function that returns the count of a claim in the table `claims`; 0 if it is new */
function createLookup({ find }: Pick<ReturnType<typeof prepare>, 'find'>, { mayContain }: MovedPuzzles) {
  return (key: string, group: Uint8Array, at: number): number => {
    if (!mayContain(key)) return 0;
    const [found] = find.values(expirationIn(key), group.subarray(at + PUZZLE_ID, at + FINGERPRINT));
    return (found?.[0] as number | undefined) ?? 0;
  };
}

/** Adds the presentations of a row of the log. A later row has a higher count. */
function addAll(presentations: Uint8Array, counts: Counts): void {
  const view = new DataView(presentations.buffer, presentations.byteOffset);
  for (let at = 0; at < presentations.length; at += CLAIM_SIZE)
    counts.set(keyAt(view, at), view.getUint32(at + PRESENTATIONS, true));
}

function hasExpired(counts: Counts, beforeSeconds: number): boolean {
  return counts.keys().some((key) => expirationIn(key) < beforeSeconds);
}

/** Moves a generation from the log to the table `claims`. */
function createMover(sql: Pick<ReturnType<typeof prepare>, 'move' | 'erase'>, moved: MovedPuzzles) {
  let counts: Counts = new Map();
  /** In the order of `claims`. Empty if no generation is being moved. */
  let keys: readonly string[] = [];
  /** Index of the next key. */
  let next = 0;
  /** The last row of the log that belongs to the generation. */
  let lastRow = 0;
  const id = new Uint8Array(8);
  const idView = new DataView(id.buffer);

  return {
    get: (key: string) => counts.get(key),
    hasExpired: (beforeSeconds: number) => hasExpired(counts, beforeSeconds),
    start(generation: Counts, ofRow: number): void {
      counts = generation;
      keys = [...generation.keys()].sort();
      next = 0;
      lastRow = ofRow;
    },
    /** @param limit maximum number of puzzles */
    move(limit: number): void {
      // The rows up to `lastRow` have already been erased, and SQLite can reuse their numbers.
      if (keys.length === 0) return;
      for (const end = Math.min(next + limit, keys.length); next < end; next++) {
        const key = keys[next] as string;
        for (let unit = 0; unit < 4; unit++) idView.setUint16(2 * unit, key.charCodeAt(2 + unit));
        sql.move.run(expirationIn(key), id, counts.get(key) as number);
        moved.add(key);
      }
      if (next < keys.length) return;
      sql.erase.run(lastRow);
      counts = new Map();
      keys = [];
    },
  };
}

function prepare(database: Database) {
  return {
    /** Changes after a commit by another connection (https://sqlite.org/pragma.html#pragma_data_version). */
    version: database.query('PRAGMA data_version'),
    log: database.query<{ id: number; presentations: Uint8Array }, []>(
      'SELECT id, presentations FROM recent_claims ORDER BY id',
    ),
    find: database.query<unknown, [number, Uint8Array]>(
      'SELECT presentations FROM claims WHERE expires_at = ? AND puzzle_id = ?',
    ),
    latest: database.query<unknown, []>('SELECT max(expires_at) FROM claims'),
    append: database.query<unknown, [Uint8Array]>('INSERT INTO recent_claims (presentations) VALUES (?)'),
    // After a crash, the thread moves some puzzles again.
    move: database.query<unknown, [number, Uint8Array, number]>(`
      INSERT INTO claims (expires_at, puzzle_id, presentations) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET presentations = max(presentations, excluded.presentations)`),
    erase: database.query<unknown, [number]>('DELETE FROM recent_claims WHERE id <= ?'),
  };
}
