import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AccountId } from '../../src/model/account.ts';
import {
  LATEST_EXPIRATION,
  REPEAT_WINDOW_SECONDS,
  type RepeatKey,
} from '../../src/model/ports/replayLedger.ts';
import {
  CLAIM_SIZE,
  claimsFrom,
  countAt,
  encodeCounts,
  fromText,
  toBytes,
  toText,
} from '../../src/storage/ledgerClient/claimProtocol.ts';
import { keepLog } from '../../src/storage/sqlite/connection.ts';
import { type Claims, type ClaimsOptions, openClaims } from '../../src/storage/sqlite/ledger/claims.ts';
import { hasLostLog, isMarkedOpen } from '../../src/storage/sqlite/ledger/lifecycle.ts';
import { openFilesIn } from '../support/openFiles.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();
const START = 2_000_000_000;
/** Number of puzzles that are moved from the log to the table together. */
const GENERATION = 16_384;

/** A claim of a puzzle that expires some seconds after START. @param key fingerprint of the signing key */
function claim(puzzle: number, seconds = 0, key = 7) {
  const puzzleId = new Uint8Array(8);
  new DataView(puzzleId.buffer).setUint32(4, puzzle);
  puzzleId[0] = puzzle;
  return { puzzleId, expiresAtSeconds: START + seconds, keyFingerprint: key };
}

const group = (puzzles: readonly number[], seconds = 0, key = 7) =>
  toBytes(puzzles.map((puzzle) => claim(puzzle, seconds, key)));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

function open(options: Partial<ClaimsOptions> = {}): Claims & { readonly file: string } {
  const file = options.file ?? join(makeFolder(), 'claims');
  return { ...openClaims({ file, durability: 'normal', ...options }), file };
}

/** Another connection, which keeps the write-ahead log when it is closed. */
function run(file: string, ...statements: readonly string[]): void {
  const database = new Database(file);
  keepLog(database, true);
  for (const statement of statements) database.run(statement);
  database.close(true);
}

/** @returns a copy of the files, as a killed server leaves them */
function copyOf({ file }: { readonly file: string }): string {
  const copy = join(makeFolder(), 'claims');
  for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
  return copy;
}

const count = (claims: Claims, ...args: Parameters<typeof group>) => [...claims.count(group(...args))];

/** The rows of the log and the puzzles of the table, as another connection sees them. */
function stored(file: string) {
  const database = new Database(file, { readonly: true });
  const [[rows, puzzles, bytes] = []] = database
    .query(
      'SELECT (SELECT count(*) FROM recent_claims), (SELECT count(*) FROM claims), (SELECT total(length(presentations)) FROM recent_claims)',
    )
    .values() as [number, number, number][];
  database.close();
  return { rows, puzzles, logged: (bytes ?? 0) / CLAIM_SIZE };
}

function repeat(byte: number, nowSeconds: number): RepeatKey {
  return { hash: new Uint8Array(32).fill(byte), nowSeconds, userId: 1 as AccountId };
}

describe('a purge', () => {
  test('rejects puzzles of its keys that expired before its time, and no others', () => {
    const claims = open();
    count(claims, [1, 2], 0);
    expect([7, 8].map(claims.purgedBefore)).toEqual([0, 0]);
    expect(claims.purge(START + 10, [7], 100)).toBe(2);
    expect([7, 8].map(claims.purgedBefore)).toEqual([START + 10, 0]);
    expect(count(claims, [1, 3], 9)).toEqual([0, 0]);
    expect(count(claims, [1, 3], 10)).toEqual([1, 1]);
    expect(count(claims, [1, 3], 9, 8)).toEqual([1, 1]);
    claims.close();
  });

  test('counts the puzzles between rejected ones of a group', () => {
    const claims = open();
    claims.purge(START + 10, [7], 100);
    const mixed = toBytes([claim(1, 5), claim(2, 20), claim(3, 5), claim(2, 20), claim(4, 20, 9)]);
    expect([...claims.count(mixed)]).toEqual([0, 1, 0, 2, 1]);
    expect(stored(claims.file).logged).toBe(3);
    // Another connection reads the log.
    const other = open({ file: claims.file });
    expect([...other.count(toBytes([claim(2, 20), claim(4, 20, 9), claim(3, 20)]))]).toEqual([3, 2, 1]);
    expect(stored(claims.file)).toMatchObject({ rows: 2, logged: 6 });
    expect([...claims.count(toBytes([claim(1, 5)]))]).toEqual([0]);
    expect(stored(claims.file).rows).toBe(2);
    expect(count(claims, [2, 4], 20)).toEqual([4, 3]);
    other.close();
    claims.close();
  });

  test('is never taken back, and forgets keys that no longer sign', () => {
    const claims = open();
    claims.purge(START + 10, [7, 8], 100);
    claims.purge(START + 5, [7, 8], 100);
    expect([7, 8].map(claims.purgedBefore)).toEqual([START + 10, START + 10]);
    claims.purge(START + 20, [8, 9], 100);
    expect([7, 8, 9].map(claims.purgedBefore)).toEqual([0, START + 20, START + 20]);
    claims.close();
  });

  test('leaves recent claims in the log if none of them has expired', () => {
    const claims = open();
    count(claims, [1, 2], 10);
    expect(claims.purge(START + 10, [7], 100)).toBe(0);
    expect(stored(claims.file)).toEqual({ rows: 1, puzzles: 0, logged: 2 });
    expect(claims.purge(START + 11, [7], 1)).toBe(1);
    expect(stored(claims.file)).toEqual({ rows: 0, puzzles: 1, logged: 0 });
    expect(claims.purge(START + 11, [7], 1)).toBe(1);
    expect(claims.purge(START + 11, [7], 1)).toBe(0);
    claims.close();
  });

  test('keeps the counts of puzzles that have not expired', () => {
    const claims = open();
    count(claims, [1, 1, 1], 20);
    count(claims, [2], 0);
    expect(claims.purge(START + 10, [7], 100)).toBe(1);
    expect(count(claims, [1], 20)).toEqual([4]);
    claims.close();
  });

  test('deletes the results of repeated requests after their time', () => {
    const claims = open();
    claims.countOnce(toBytes([claim(1, 900)]), 1, repeat(1, START));
    expect(claims.purge(START + REPEAT_WINDOW_SECONDS, [7], 100)).toBe(0);
    expect(claims.purge(START + REPEAT_WINDOW_SECONDS + 1, [7], 100)).toBe(1);
    claims.close();
  });
});

describe('a repeated request', () => {
  test('is counted once within its time, whatever it presents', () => {
    const claims = open();
    const once = (byte: number, puzzle: number, now: number, max = 1) =>
      claims.countOnce(toBytes([claim(puzzle)]), max, repeat(byte, now));
    expect(count(claims, [1])).toEqual([1]);
    expect(once(1, 1, START)).toBe(2);
    expect(once(1, 1, START + REPEAT_WINDOW_SECONDS - 1)).toBe(2);
    expect(once(1, 5, START)).toBe(2);
    expect(once(2, 1, START)).toBe(3);
    expect(once(1, 1, START + REPEAT_WINDOW_SECONDS)).toBe(4);
    claims.close();
  });

  test('can be recalled with its result', () => {
    const claims = open();
    const once = (byte: number, max: number) =>
      claims.countOnce(toBytes([claim(1)]), max, repeat(byte, START));
    expect(claims.recall(repeat(1, START))).toBeUndefined();
    expect([once(1, 1), once(2, 2), once(3, 2)]).toEqual([1, 2, 3]);
    expect([1, 2, 3].map((byte) => claims.recall(repeat(byte, START)))).toEqual([true, true, false]);
    expect(claims.recall(repeat(1, START + REPEAT_WINDOW_SECONDS - 1))).toBe(true);
    expect(claims.recall(repeat(1, START + REPEAT_WINDOW_SECONDS))).toBeUndefined();
    // The clock was set back by more than the time for which results are kept.
    expect(claims.recall(repeat(1, START - REPEAT_WINDOW_SECONDS))).toBe(true);
    expect(claims.recall(repeat(1, START - REPEAT_WINDOW_SECONDS - 1))).toBeUndefined();
    claims.close();
  });

  test('of a purged puzzle has no result', () => {
    const claims = open();
    claims.purge(START + 10, [7], 100);
    expect(claims.countOnce(toBytes([claim(1)]), 1, repeat(1, START))).toBe(0);
    expect(claims.recall(repeat(1, START))).toBeUndefined();
    claims.close();
  });
});

describe('the log of recent claims', () => {
  test('is moved to the table in batches of at least 512 puzzles, two for each claim, after 16,384 puzzles', () => {
    const claims = open();
    count(claims, range(0, GENERATION - 1));
    expect(stored(claims.file)).toEqual({ rows: 1, puzzles: 0, logged: GENERATION - 1 });
    count(claims, [GENERATION]);
    expect(stored(claims.file).puzzles).toBe(0);
    count(claims, range(20_000, 20_254));
    expect(stored(claims.file).puzzles).toBe(0);
    count(claims, [20_254]);
    expect(stored(claims.file).puzzles).toBe(512);
    count(claims, range(20_256, 20_756));
    expect(stored(claims.file).puzzles).toBe(1512);
    // Counts are the same wherever they are stored.
    expect(count(claims, [0, 5, 511, 512, GENERATION - 2, GENERATION, 20_755, 30_000])).toEqual([
      2, 2, 2, 2, 2, 2, 2, 1,
    ]);
    count(claims, range(40_000, 48_192));
    const { puzzles, logged } = stored(claims.file);
    expect(puzzles).toBe(GENERATION);
    expect(logged).toBe(255 + 500 + 8 + 8192);
    expect(count(claims, [0, 5, 7, 48_191])).toEqual([3, 3, 2, 2]);
    claims.close();
  });

  test('is moved completely when the file is closed, in the middle of a generation or after a restart', () => {
    const claims = open();
    count(claims, range(0, GENERATION));
    count(claims, range(20_000, 20_300));
    const { puzzles = 0 } = stored(claims.file);
    expect([puzzles > 0, puzzles < GENERATION]).toEqual([true, true]);
    const copy = copyOf(claims);
    claims.close();
    open({ file: copy }).close();
    for (const file of [claims.file, copy]) {
      expect(stored(file)).toEqual({ rows: 0, puzzles: GENERATION + 300, logged: 0 });
      const next = open({ file });
      expect(count(next, [0, 600, GENERATION - 1, 20_299, 30_000])).toEqual([2, 2, 2, 2, 1]);
      next.close();
    }
  });

  test('is moved in one generation after the other', () => {
    const claims = open();
    for (let from = 0; from < 2.6 * GENERATION; from += 1024) count(claims, range(from, from + 1024));
    expect(stored(claims.file).puzzles).toBeGreaterThan(1.2 * GENERATION);
    expect(stored(claims.file).logged).toBeLessThan(2 * GENERATION);
    const some = [
      0,
      1,
      GENERATION - 1,
      GENERATION,
      GENERATION + 1,
      1.5 * GENERATION,
      2 * GENERATION - 1,
      2 * GENERATION,
    ];
    expect(count(claims, some)).toEqual(some.map(() => 2));
    claims.close();
    const next = open({ file: claims.file });
    expect(count(next, some)).toEqual(some.map(() => 3));
    next.close();
  });

  test('is purged in the middle of a generation, too', () => {
    const claims = open();
    count(claims, range(0, GENERATION));
    count(claims, range(20_000, 20_300), 900);
    expect(stored(claims.file).puzzles).toBeLessThan(GENERATION);
    expect(claims.purge(START + 1, [7], 100_000)).toBe(GENERATION);
    expect(count(claims, [20_299, 20_300], 900)).toEqual([2, 1]);
    claims.close();
  });

  test('is read again if a group could not be stored', () => {
    const claims = open();
    count(claims, [1]);
    const other = new Database(claims.file);
    other.run("CREATE TRIGGER full BEFORE INSERT ON recent_claims BEGIN SELECT RAISE(ABORT, 'full'); END");
    expect(() => count(claims, [1, 2, 2])).toThrow('full');
    other.run('DROP TRIGGER full');
    expect(count(claims, [1, 2, 3])).toEqual([2, 1, 1]);
    other.close();
    claims.close();
    expect(existsSync(`${claims.file}-wal`)).toBe(false);
  });

  test('is read again if a group could not be stored, also if no other connection changed it', () => {
    const claims = open();
    run(
      claims.file,
      `CREATE TRIGGER full BEFORE INSERT ON recent_claims WHEN length(NEW.presentations) > ${CLAIM_SIZE}
        BEGIN SELECT RAISE(ABORT, 'full'); END`,
    );
    expect(count(claims, [1])).toEqual([1]);
    expect(() => count(claims, [1, 2])).toThrow('full');
    expect([1, 2].map((puzzle) => count(claims, [puzzle])[0])).toEqual([2, 1]);
    claims.close();
  });

  test('is complete if the server is killed after a purge, which has moved all of it', () => {
    const claims = open();
    count(claims, [1]);
    expect(claims.purge(START + 1, [], 100)).toBe(1);
    const groups = [range(0, 200), range(200, 300)];
    for (const puzzles of groups) count(claims, puzzles);
    const next = open({ file: copyOf(claims) });
    for (const puzzles of groups) expect(new Set(count(next, puzzles))).toEqual(new Set([2]));
    next.close();
    claims.close();
  });

  test('is complete if the server is killed after a failure in the middle of a move', () => {
    const claims = open();
    run(
      claims.file,
      `CREATE TRIGGER full BEFORE INSERT ON claims WHEN (SELECT count(*) FROM claims) = 100
        BEGIN SELECT RAISE(ABORT, 'full'); END`,
    );
    count(claims, range(0, GENERATION));
    expect(() => count(claims, range(20_000, 20_300))).toThrow('full');
    run(claims.file, 'DROP TRIGGER full');
    // The first puzzles in the order of the table are 0, 256, 512.
    const some = [0, 256, 100, GENERATION - 1, 20_000];
    expect(count(claims, some)).toEqual([2, 2, 2, 2, 1]);
    const next = open({ file: copyOf(claims) });
    expect(count(next, [...some, 512])).toEqual([3, 3, 3, 3, 2, 2]);
    next.close();
    claims.close();
  });

  test('does not change the claims that it receives', () => {
    const claims = open();
    const given = group([1, 2]);
    const before = given.slice();
    claims.count(given);
    claims.count(given);
    expect(given).toEqual(before);
    claims.close();
  });

  test('is read again after a restart, also by a server that finds the files of a killed one', () => {
    const claims = open();
    count(claims, range(0, 50));
    count(claims, [3, 3]);
    const copy = copyOf(claims);
    claims.close();
    for (const file of [copy, claims.file]) {
      const next = open({ file });
      expect(count(next, [3, 4, 50])).toEqual([4, 2, 1]);
      next.close();
    }
  });

  test('is shared by two processes', () => {
    const one = open();
    const other = open({ file: one.file });
    expect([count(one, [1]), count(other, [1]), count(one, [1]), count(one, [1])]).toEqual([
      [1],
      [2],
      [3],
      [4],
    ]);
    expect(other.purge(START + 1, [7], 100)).toBe(1);
    expect(count(one, [1, 2], 5)).toEqual([1, 1]);
    one.close();
    expect(count(other, [1], 5)).toEqual([2]);
    other.close();
  });
});

describe('a claims file', () => {
  test('can be probed without a trace', () => {
    const claims = open();
    claims.probe();
    expect(stored(claims.file)).toEqual({ rows: 0, puzzles: 0, logged: 0 });
    const other = new Database(claims.file);
    other.run("CREATE TRIGGER full BEFORE INSERT ON recent_claims BEGIN SELECT RAISE(ABORT, 'full'); END");
    expect(claims.probe).toThrow('full');
    other.run('DROP TRIGGER full');
    other.run("CREATE TRIGGER full BEFORE DELETE ON recent_claims BEGIN SELECT RAISE(ABORT, 'full'); END");
    expect(claims.probe).toThrow('full');
    other.run('DROP TRIGGER full');
    other.close();
    claims.probe();
    claims.close();
  });

  test.each(['full', 'normal'] as const)(
    'keeps the greatest counters, with the durability %s',
    (durability) => {
      const claims = open({ durability });
      expect(claims.counter).toEqual({ value: 0, base: 0 });
      claims.advanceCounter({ value: 5, base: 4 });
      claims.advanceCounter({ value: 3, base: 2 });
      claims.close();
      const next = open({ file: claims.file, durability });
      expect(next.counter).toEqual({ value: 5, base: 4 });
      next.close();
    },
  );

  test('whose log was deleted has lost claims, unless it was closed', () => {
    const identity = { id: new Uint8Array(16).fill(1), isFirst: true };
    const later = { ...identity, isFirst: false };
    const claims = open({ identity });
    expect(claims.hasLostClaims).toBe(false);
    count(claims, [1]);
    const copy = join(makeFolder(), 'claims');
    copyFileSync(claims.file, copy);
    claims.close();
    const lossy = open({ file: copy, identity: later });
    expect(lossy.hasLostClaims).toBe(true);
    lossy.close();
    const closed = open({ file: claims.file, identity: later });
    expect(closed.hasLostClaims).toBe(false);
    closed.close();
  });

  test('of another installation, or a new one after the first start, has lost claims', () => {
    const identity = { id: new Uint8Array(16).fill(1), isFirst: true };
    const claims = open({ identity });
    claims.close();
    const other = { id: new Uint8Array(16).fill(2), isFirst: false };
    const opened = open({ file: claims.file, identity: other });
    expect(opened.hasLostClaims).toBe(true);
    opened.close();
    const missing = open({ identity: { ...identity, isFirst: false } });
    expect(missing.hasLostClaims).toBe(true);
    missing.close();
    const unknown = open({ file: claims.file });
    expect(unknown.hasLostClaims).toBe(false);
    unknown.close();
  });

  test('that a running server opens again must have its claims', () => {
    const identity = { id: new Uint8Array(16).fill(1), isFirst: true };
    const claims = open({ identity });
    const again = open({ file: claims.file, identity, isReopened: true });
    expect([count(claims, [1]), count(again, [1])]).toEqual([[1], [2]]);
    again.close();
    claims.close();
    for (const end of ['', '-wal', '-shm']) rmSync(claims.file + end, { force: true });
    const lossy = open({ file: claims.file, identity, isReopened: true });
    expect(lossy.hasLostClaims).toBe(true);
    lossy.close();
  });

  test('that has lost claims counts none, and stays marked, until all earlier puzzles are rejected', () => {
    const identity = { id: new Uint8Array(16).fill(1), isFirst: false };
    const claims = open({ identity });
    const works = [
      () => count(claims, [1]),
      () => claims.countOnce(toBytes([claim(1)]), 1, repeat(1, START)),
      () => claims.probe(),
      () => claims.advanceCounter({ value: 2, base: 1 }),
    ];
    for (const work of works) expect(work).toThrow('claims are missing');
    claims.purge(START, [7], 10);
    for (const work of works) expect(work).toThrow('claims are missing');
    claims.purge(LATEST_EXPIRATION, [7], 10);
    for (const work of works) expect(work).not.toThrow();
    expect(count(claims, [1])).toEqual([0]);
    claims.close();
    const next = open({ file: claims.file, identity });
    expect(next.hasLostClaims).toBe(false);
    next.close();
  });

  // A version without a mark would have replaced it, and the loss would have been forgotten.
  test('with a mark of a later version has lost claims', () => {
    const identity = { id: new Uint8Array(16).fill(1), isFirst: true };
    const claims = open({ identity });
    claims.close();
    const database = new Database(claims.file);
    database.run('UPDATE lifecycle SET is_open = 3');
    database.close(true);
    const next = open({ file: claims.file, identity: { ...identity, isFirst: false } });
    expect(next.hasLostClaims).toBe(true);
    next.close();
  });

  test('cannot be closed if its claims cannot be moved, and keeps them', () => {
    const claims = open();
    count(claims, [1, 2]);
    run(claims.file, "CREATE TRIGGER full BEFORE INSERT ON claims BEGIN SELECT RAISE(ABORT, 'full'); END");
    expect(claims.close).toThrow('full');
    expect(existsSync(`${claims.file}-wal`)).toBe(true);
    expect(openFilesIn(dirname(claims.file))).toEqual([]);
    run(claims.file, 'DROP TRIGGER full');
    const next = open({ file: claims.file });
    expect(count(next, [1, 3])).toEqual([2, 1]);
    next.close();
  });

  test('that cannot be opened keeps its log, and is not kept open', () => {
    const claims = open({ identity: { id: new Uint8Array(16).fill(1), isFirst: true } });
    count(claims, [1]);
    const file = copyOf(claims);
    claims.close();
    run(file, 'DROP INDEX repeats_by_expiration', 'CREATE TABLE repeats_by_expiration (other)');
    expect(() => open({ file })).toThrow('repeats_by_expiration');
    expect(existsSync(`${file}-wal`)).toBe(true);
    expect(openFilesIn(dirname(file))).toEqual([]);
    run(file, 'DROP TABLE repeats_by_expiration');
    const next = open({ file });
    expect(count(next, [1])).toEqual([2]);
    next.close();
  });

  test('is not opened, and not changed, if its structure is damaged', () => {
    const claims = open();
    count(claims, range(0, 100));
    claims.close();
    const damaged = readFileSync(claims.file);
    // The second page is the root of the table `claims`.
    damaged.fill(0xff, 4096, 2 * 4096);
    writeFileSync(claims.file, damaged);
    expect(() => open({ file: claims.file })).toThrow('the file is damaged, and nothing was changed');
    expect(readFileSync(claims.file).equals(damaged)).toBe(true);
  });

  test('is complete without its log after it was closed, even if another connection has it open', () => {
    const claims = open();
    count(claims, [1, 2]);
    const other = new Database(claims.file, { readonly: true });
    expect(other.query('SELECT count(*) FROM claims').values()).toEqual([[0]]);
    claims.close();
    expect(statSync(`${claims.file}-wal`).size).toBe(0);
    other.close(true);
  });

  test('is opened again by its server after its log was moved', () => {
    const identity = { id: new Uint8Array(16).fill(1), isFirst: true };
    const claims = open({ identity });
    const copy = join(makeFolder(), 'claims');
    copyFileSync(claims.file, copy);
    const again = open({ file: copy, identity, isReopened: true });
    expect(again.hasLostClaims).toBe(false);
    again.close();
    claims.close();
  });

  test('shows whether a server is using it, and whether its log is missing', () => {
    const file = join(makeFolder(), 'claims');
    const marked = () => {
      const database = new Database(file);
      keepLog(database, true);
      const found = [
        isMarkedOpen(database),
        database.query('SELECT count(*) FROM lifecycle').values()[0]?.[0],
      ];
      database.close(true);
      return found;
    };
    const other = new Database(':memory:');
    expect(isMarkedOpen(other)).toBe(false);
    other.close();
    expect(hasLostLog(file)).toBe(false);
    const damaged = join(makeFolder(), 'claims');
    writeFileSync(damaged, 'not a database '.repeat(100));
    expect(hasLostLog(damaged)).toBe(false);
    expect(hasLostLog(makeFolder())).toBe(false);
    const claims = open({ file, identity: { id: new Uint8Array(16).fill(1), isFirst: true } });
    expect([marked(), hasLostLog(file)]).toEqual([[true, 1], false]);
    const copy = join(makeFolder(), 'claims');
    copyFileSync(file, copy);
    expect(hasLostLog(copy)).toBe(true);
    expect(openFilesIn(dirname(copy))).toEqual([]);
    claims.close();
    expect([marked(), hasLostLog(file)]).toEqual([[false, 1], false]);
    const next = open({ file, identity: { id: new Uint8Array(16).fill(2), isFirst: true } });
    expect(marked()).toEqual([true, 1]);
    next.close();
  });
});

describe('the messages to the thread of the ledger', () => {
  test('contain claims and counts unchanged', () => {
    const claims = [claim(1, 5, 2 ** 32 - 1), claim(2, 0, 0)];
    const bytes = toBytes(claims);
    expect(bytes).toHaveLength(2 * CLAIM_SIZE);
    const padded = Uint8Array.of(9, 9, 9, 9, ...bytes).subarray(4);
    for (const each of [bytes, padded, fromText(toText(bytes)), fromText(toText(padded))])
      expect(claimsFrom(each)).toEqual(claims);
    const counts = Uint32Array.of(0, 1, 255, 256, 65_536, 2 ** 31, 2 ** 32 - 1);
    const encoded = encodeCounts(counts);
    expect(Array.from(counts, (_, index) => countAt(encoded, index))).toEqual([...counts]);
  });
});
