import type { Database } from 'bun:sqlite';
import {
  LATEST_EXPIRATION,
  REPEAT_WINDOW_SECONDS,
  type RepeatKey,
} from '../../../model/ports/replayLedger.ts';
import type { Durability } from '../../storage.ts';
import { emptyLog, keepLog } from '../connection.ts';
import { toFileError } from '../content.ts';
import { type ClaimsCounter, COUNTER_SCHEMA, createAdvanceCounter, readCounter } from '../dataCounter.ts';
import { openFile } from '../open.ts';
import { createLifecycle, hasLostLog, type Identity, LIFECYCLE_SCHEMA } from './lifecycle.ts';
import { createRecentClaims, RECENT_SCHEMA, type RecentClaims } from './recentClaims.ts';

/**
 * The claims file. Only one thread uses it. If claims are missing, `count`, `countOnce`, `probe`, and `advanceCounter` throw until a purge
 * has rejected all earlier puzzles.
 */
export type Claims = {
  /**
   * Counts a group of claims in one transaction.
   *
   * @param group n times CLAIM_SIZE bytes
   * @returns n counts, in the same order; 0 for claims that were purged
   * @throws if the group cannot be stored; then none of it was counted
   */
  readonly count: (group: Uint8Array) => Uint32Array;
  /** Counts one claim, unless a request with the same key was counted before. @param claim CLAIM_SIZE bytes */
  readonly countOnce: (claim: Uint8Array, maxCount: number, key: RepeatKey) => number;
  /** @returns whether the first request with this key was accepted; undefined if there is none */
  readonly recall: (key: RepeatKey) => boolean | undefined;
  /** Deletes at most `limit` rows of each table that expired before `beforeSeconds`; see ReplayLedger. @returns their number */
  readonly purge: (beforeSeconds: number, keyFingerprints: readonly number[], limit: number) => number;
  /** @see ReplayLedger */
  readonly purgedBefore: (keyFingerprint: number) => number;
  /** Writes and deletes a row that belongs to no puzzle. @throws if claims cannot be stored */
  readonly probe: () => void;
  /** @see ReplayLedger */
  readonly hasLostClaims: boolean;
  /** The counters when the file was opened. */
  readonly counter: ClaimsCounter;
  /**
   * Raises the counters, unless they are greater already, and records that the puzzles whose claims are missing were rejected. Durable, and
   * so are all earlier claims.
   */
  readonly advanceCounter: (to: ClaimsCounter) => void;
  /** @throws if the file cannot be written; the data is then in its write-ahead log */
  readonly close: () => void;
};

/**
 * The key starts with the expiration, because puzzles that are presented at about the same time expire at about the same time. Moving
 * them from the log in this order touches adjacent pages, regardless of the number of claims, and a purge deletes from one end.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS claims (
  expires_at INTEGER NOT NULL,
  puzzle_id BLOB NOT NULL,
  presentations INTEGER NOT NULL,
  PRIMARY KEY (expires_at, puzzle_id)
) WITHOUT ROWID`;

/** The results of requests with an idempotency key. */
const REPEATS_SCHEMA = `
CREATE TABLE IF NOT EXISTS repeats (
  hash BLOB NOT NULL PRIMARY KEY,
  expires_at INTEGER NOT NULL,
  presentations INTEGER NOT NULL,
  max_count INTEGER NOT NULL
) WITHOUT ROWID`;
/**
 * The time of the last purge for each signing key. The ledger rejects puzzles that expire before this time, because their claims may
 * be deleted; this matters only if the clock is set back. A key that is not listed was created after the last purge.
 */
const PURGED_SCHEMA = `
CREATE TABLE IF NOT EXISTS purged (
  fingerprint INTEGER NOT NULL PRIMARY KEY,
  expired_before INTEGER NOT NULL
)`;
const REPEATS_INDEX = 'CREATE INDEX IF NOT EXISTS repeats_by_expiration ON repeats (expires_at)';

const SCHEMAS = [
  SCHEMA,
  RECENT_SCHEMA,
  REPEATS_SCHEMA,
  REPEATS_INDEX,
  PURGED_SCHEMA,
  LIFECYCLE_SCHEMA,
  COUNTER_SCHEMA,
];

export type ClaimsOptions = {
  readonly file: string;
  readonly durability: Durability;
  readonly identity?: Identity | undefined;
  /** Whether the server has opened the file before. */
  readonly isReopened?: boolean;
};

/** Opens or creates the claims file. Existing tables never change, so it needs no migrations. */
export function openClaims({ file, durability, identity, isReopened = false }: ClaimsOptions): Claims {
  // When a thread ends, Bun closes its connection, and SQLite moves the log into the file. Another program may then delete it.
  const isLogLost = !isReopened && hasLostLog(file);
  const database = openFile(file, 'claims', true);
  try {
    // Keeps the log until `close`, because the file may be marked as open. If a thread ends and the server is killed before another thread
    // opens the file, the log still exists.
    keepLog(database, true);
    database.run(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
    for (const statement of SCHEMAS) database.run(statement);
    const lifecycle = createLifecycle(database);
    const recent = createRecentClaims(database);
    const transact = createTransact(database, recent);
    const isFirst = identity?.isFirst === true && !isReopened;
    const hasLostClaims = identity !== undefined && lifecycle.open({ ...identity, isFirst }, isLogLost);
    return {
      ...rejectFirst(hasLostClaims, {
        ...createCounts(database, recent, transact),
        ...createPurge(database, recent, transact),
        probe: createProbe(database),
        advanceCounter: createAdvanceCounter(database, durability),
      }),
      hasLostClaims,
      counter: readCounter(database),
      close() {
        try {
          // If this fails, for example on a full disk, the file remains marked as open, and the write-ahead log must stay.
          lifecycle.close(transact(recent.moveAll));
          keepLog(database, false);
          emptyLog(database, file);
        } catch (error) {
          throw toFileError(file, error);
        } finally {
          database.close();
        }
      },
    };
  } catch (error) {
    database.close();
    throw toFileError(file, error);
  }
}

type Work = Omit<Claims, 'hasLostClaims' | 'counter' | 'close'>;

/** If claims are missing, counts none before a purge has rejected all earlier puzzles, even if the caller fails to reject them. */
function rejectFirst(hasLostClaims: boolean, work: Work): Work {
  if (!hasLostClaims) return work;
  let areRejected = false;
  function afterRejection<Parameters extends unknown[], Result>(run: (...parameters: Parameters) => Result) {
    return (...parameters: Parameters): Result => {
      if (areRejected) return run(...parameters);
      throw new Error('claims are missing, and the earlier puzzles have not been rejected yet');
    };
  }
  return {
    ...work,
    count: afterRejection(work.count),
    countOnce: afterRejection(work.countOnce),
    probe: afterRejection(work.probe),
    advanceCounter: afterRejection(work.advanceCounter),
    purge(beforeSeconds, ...rest) {
      const purged = work.purge(beforeSeconds, ...rest);
      areRejected ||= beforeSeconds === LATEST_EXPIRATION;
      return purged;
    },
  };
}

type Transact = <Parameters extends unknown[], Result>(
  work: (...parameters: Parameters) => Result,
) => (...parameters: Parameters) => Result;

/** Creates functions that run in a transaction, after the recent counts are refreshed. */
function createTransact(database: Database, recent: RecentClaims): Transact {
  return (work) => {
    const { immediate } = database.transaction((...parameters: Parameters<typeof work>) => {
      recent.refresh();
      return work(...parameters);
    });
    return (...parameters) => {
      try {
        return immediate(...parameters);
      } catch (error) {
        recent.forget();
        throw error;
      }
    };
  };
}

function createPurge(
  database: Database,
  recent: RecentClaims,
  transact: Transact,
): Pick<Claims, 'purge' | 'purgedBefore'> {
  const deleteClaims = database.query('DELETE FROM claims WHERE expires_at < ? LIMIT ?');
  const deleteRepeats = database.query('DELETE FROM repeats WHERE expires_at < ? LIMIT ?');
  const deleteUnknown = database.query(
    'DELETE FROM purged WHERE fingerprint NOT IN (SELECT value FROM json_each(?))',
  );
  const record = database.query(`
    INSERT INTO purged SELECT value, ?2 FROM json_each(?1) WHERE true
    ON CONFLICT DO UPDATE SET expired_before = excluded.expired_before
    WHERE excluded.expired_before > purged.expired_before`);
  const find = database.query<{ expired_before: number }, [number]>(
    'SELECT expired_before FROM purged WHERE fingerprint = ?',
  );
  const purge = transact((beforeSeconds: number, keys: readonly number[], limit: number) => {
    const known = JSON.stringify(keys);
    recent.moveExpired(beforeSeconds);
    deleteUnknown.run(known);
    record.run(known, beforeSeconds);
    return deleteClaims.run(beforeSeconds, limit).changes + deleteRepeats.run(beforeSeconds, limit).changes;
  });
  return {
    purge,
    purgedBefore: (keyFingerprint) => find.get(keyFingerprint)?.expired_before ?? 0,
  };
}

function createProbe(database: Database): Claims['probe'] {
  const write = database.query("INSERT INTO recent_claims (presentations) VALUES (x'')");
  const erase = database.query('DELETE FROM recent_claims WHERE id = last_insert_rowid()');
  const probe = database.transaction(() => {
    write.run();
    erase.run();
  });
  return () => probe.immediate();
}

function createCounts(
  database: Database,
  recent: RecentClaims,
  transact: Transact,
): Pick<Claims, 'count' | 'countOnce' | 'recall'> {
  const selectPurged = database.query<unknown, []>('SELECT fingerprint, expired_before FROM purged');
  const findPurged = () => new Map(selectPurged.values() as [number, number][]);
  const { find, remember } = createRepeats(database);
  const countOnce = transact((claim: Uint8Array, maxCount: number, key: RepeatKey) => {
    const known = find(key);
    if (known !== undefined) return known.presentations;
    const [presentations] = recent.count(claim, findPurged()) as unknown as [number];
    if (presentations > 0) remember(key, presentations, maxCount);
    return presentations;
  });

  return {
    count: transact((group: Uint8Array) => recent.count(group, findPurged())),
    countOnce,
    recall(key) {
      const known = find(key);
      return known && known.presentations <= known.maxCount;
    },
  };
}

type Repeat = { readonly presentations: number; readonly maxCount: number };

function createRepeats(database: Database) {
  // Ignores rows that expire too late: they were written before the clock was set back.
  const select = database.query<Repeat, [Uint8Array, number, number]>(
    'SELECT presentations, max_count AS maxCount FROM repeats WHERE hash = ? AND expires_at > ? AND expires_at <= ?',
  );
  const insert = database.query<unknown, [Uint8Array, number, number, number]>(
    'INSERT OR REPLACE INTO repeats (hash, expires_at, presentations, max_count) VALUES (?, ?, ?, ?)',
  );
  return {
    find: ({ hash, nowSeconds }: RepeatKey): Repeat | undefined =>
      select.get(hash, nowSeconds, nowSeconds + 2 * REPEAT_WINDOW_SECONDS) ?? undefined,
    remember({ hash, nowSeconds }: RepeatKey, presentations: number, maxCount: number): void {
      insert.run(hash, nowSeconds + REPEAT_WINDOW_SECONDS, presentations, maxCount);
    },
  };
}
