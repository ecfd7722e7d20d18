import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../src/lib/log.ts';
import { LATEST_EXPIRATION } from '../../src/model/ports/replayLedger.ts';
import { CLAIM_SIZE } from '../../src/storage/ledgerClient/claimProtocol.ts';
import { backupEngine } from '../../src/storage/sqlite/backup.ts';
import { keepLog } from '../../src/storage/sqlite/connection.ts';
import { openClaims } from '../../src/storage/sqlite/ledger/claims.ts';
import { openLedger } from '../../src/storage/sqlite/ledger/ledger.ts';
import { CLAIMS_FILE, openMain } from '../../src/storage/sqlite/open.ts';
import { startWorker } from '../../src/threads/worker.ts';
import { readStoredClaims } from '../support/storedClaims.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

/** Encodes a group of claims: pairs of expiration and puzzle number. */
function toGroup(...claims: readonly (readonly [number, number])[]): Uint8Array {
  const group = new Uint8Array(claims.length * CLAIM_SIZE);
  const view = new DataView(group.buffer);
  claims.forEach(([expiresAt, puzzle], index) => {
    view.setUint32(index * CLAIM_SIZE, expiresAt, true);
    view.setUint32(index * CLAIM_SIZE + 4, puzzle);
  });
  return group;
}

describe('the claims file', () => {
  test('counts a group in order, also if it contains the same puzzle twice', () => {
    const claims = openClaims({ file: join(makeFolder(), 'claims'), durability: 'full' });
    expect([...claims.count(toGroup([9, 1], [9, 2], [9, 1], [8, 1]))]).toEqual([1, 1, 2, 1]);
    expect([...claims.count(toGroup([9, 1]))]).toEqual([3]);
    expect([...claims.count(toGroup())]).toEqual([]);
    claims.close();
  });

  test('counts a group with an offset in its buffer', () => {
    const claims = openClaims({ file: join(makeFolder(), 'claims'), durability: 'full' });
    const buffer = Uint8Array.of(1, 2, 3, ...toGroup([9, 1]));
    expect([...claims.count(buffer.subarray(3))]).toEqual([1]);
    expect([...claims.count(toGroup([9, 1]))]).toEqual([2]);
    claims.close();
  });

  test('counts nothing if a part of the group cannot be stored', () => {
    const file = join(makeFolder(), 'claims');
    const claims = openClaims({ file, durability: 'full' });
    claims.count(toGroup([9, 1]));
    // A trigger rejects the group, like a disk that becomes full during the transaction.
    const other = new Database(file);
    other.run(`CREATE TRIGGER full BEFORE INSERT ON recent_claims
      BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
    expect(() => claims.count(toGroup([9, 1], [9, 2], [9, 3], [9, 4]))).toThrow('full');
    other.run('DROP TRIGGER full');
    expect([...claims.count(toGroup([9, 1], [9, 2], [9, 3], [9, 4]))]).toEqual([2, 1, 1, 1]);
    other.close();
    claims.close();
  });

  // A server that was killed before it had rejected the puzzles accepted them after its next start (docs/project/model.md).
  test('reports a loss at every start, until the counter is raised', () => {
    const file = join(makeFolder(), 'claims');
    const open = () => {
      const identity = { id: new Uint8Array(16), isFirst: false };
      return openClaims({ file, durability: 'full', identity });
    };
    const killed = open();
    const stopped = open();
    expect([killed.hasLostClaims, stopped.hasLostClaims]).toEqual([true, true]);
    stopped.close();
    const started = open();
    expect(started.hasLostClaims).toBe(true);
    started.purge(LATEST_EXPIRATION, [], 1);
    started.advanceCounter({ value: 1, base: 0 });
    const next = open();
    expect(next.hasLostClaims).toBe(false);
    for (const claims of [killed, started, next]) claims.close();
    const last = open();
    expect(last.hasLostClaims).toBe(false);
    last.close();
  });

  // A restore replaces the signing keys.
  test('reports a loss in a copy of the file, but not after a restore', () => {
    const folder = makeFolder();
    const file = join(folder, CLAIMS_FILE);
    const identity = { id: new Uint8Array(16), isFirst: false };
    const open = (path: string) => openClaims({ file: path, durability: 'full', identity });
    openMain(folder).raw.close();
    open(file).close();
    for (const name of ['copy', 'staging']) {
      mkdirSync(join(folder, name));
      backupEngine.copy(folder, join(folder, name));
    }
    const copied = open(join(folder, 'copy', CLAIMS_FILE));
    expect(copied.hasLostClaims).toBe(true);
    copied.close();
    const lock = backupEngine.lock(folder, 'restore');
    backupEngine.replace(folder, 'staging', 'old');
    lock.release();
    const restored = open(file);
    expect(restored.hasLostClaims).toBe(false);
    restored.close();
  });

  // The next start used to report a loss, because SQLite deletes the log when the last connection closes the file.
  test('keeps the log of a killed server if it cannot be opened', () => {
    const folder = makeFolder();
    const [running, file] = [join(folder, 'running'), join(folder, 'claims')];
    const identity = { id: new Uint8Array(16), isFirst: true };
    const claims = openClaims({ file: running, durability: 'full', identity });
    claims.count(toGroup([9, 1]));
    for (const end of ['', '-wal']) copyFileSync(running + end, file + end);
    claims.close();
    const run = (statement: string) => {
      const database = new Database(file);
      keepLog(database, true);
      database.run(statement);
      database.close(true);
    };
    const open = () => openClaims({ file, durability: 'full', identity: { ...identity, isFirst: false } });
    run("CREATE TRIGGER full BEFORE DELETE ON lifecycle BEGIN SELECT RAISE(ABORT, 'full'); END");
    expect(open).toThrow('full');
    expect(existsSync(`${file}-wal`)).toBe(true);
    run('DROP TRIGGER full');
    const next = open();
    expect(next.hasLostClaims).toBe(false);
    expect([...next.count(toGroup([9, 1]))]).toEqual([2]);
    next.close();
  });

  test('purges no more rows than the limit, the oldest first', () => {
    const claims = openClaims({ file: join(makeFolder(), 'claims'), durability: 'full' });
    claims.count(toGroup([1, 1], [2, 1], [3, 1], [4, 1]));
    expect(claims.purge(4, [], 2)).toBe(2);
    expect([...claims.count(toGroup([1, 1], [2, 1], [3, 1], [4, 1]))]).toEqual([1, 1, 2, 2]);
    claims.close();
  });

  test.each(['full', 'normal'] as const)(
    'uses a write-ahead log, and other connections see the counts: %s',
    (durability) => {
      const file = join(makeFolder(), 'claims');
      const claims = openClaims({ file, durability });
      claims.count(toGroup([9, 1]));
      const other = new Database(file);
      expect(other.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
      other.close();
      expect(readStoredClaims(file)).toEqual({ puzzles: 1, presentations: 1, most: 1 });
      claims.close();
    },
  );
});

describe('a ledger that cannot write its file', () => {
  test.each([
    ['is a folder', (file: string) => void mkdirSync(file)],
    ['is not a database', (file: string) => writeFileSync(file, 'not a database '.repeat(100))],
  ])('is not opened if its file %s', async (_, replace) => {
    const file = join(makeFolder(), 'claims');
    replace(file);
    await expect(openLedger({ file, durability: 'full' })).rejects.toThrow();
  });

  test('rejects claims and is unhealthy until it can write again', async () => {
    const file = join(makeFolder(), 'claims');
    const ledger = await openLedger({ file, durability: 'full' });
    const claim = { puzzleId: new Uint8Array(8), expiresAtSeconds: 9, keyFingerprint: 1 };
    const other = new Database(file);
    other.run(
      "CREATE TRIGGER full BEFORE INSERT ON recent_claims BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
    );
    const claims = await Promise.allSettled([ledger.claim(claim), ledger.claim(claim)]);
    expect(claims.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(ledger.isHealthy()).toBe(false);
    other.run('DROP TRIGGER full');
    other.close();
    expect(await ledger.claim(claim)).toBe(1);
    expect(ledger.isHealthy()).toBe(true);
    await ledger.close();
  });

  // After a full disk, a server behind a load balancer that checks /readyz stayed unhealthy, because it received no requests.
  test('recovers without requests, and stores nothing to find out', async () => {
    const file = join(makeFolder(), 'claims');
    const ledger = await openLedger({ file, durability: 'full' });
    const other = new Database(file);
    other.run("CREATE TRIGGER full BEFORE INSERT ON recent_claims BEGIN SELECT RAISE(ABORT, 'full'); END");
    const claim = ledger.claim({ puzzleId: new Uint8Array(8), expiresAtSeconds: 9, keyFingerprint: 1 });
    expect(await claim.catch(reasonOf)).toBe('full');
    other.run('DROP TRIGGER full');
    while (!ledger.isHealthy()) await Bun.sleep(10);
    other.close();
    expect(readStoredClaims(file).puzzles).toBe(0);
    await ledger.close();
  });

  const claim = { puzzleId: new Uint8Array(8), expiresAtSeconds: 9, keyFingerprint: 1 };

  /** @param isFirst see Identity @returns a ledger, the ends and replacements of its threads, and a function that ends its thread */
  async function openEndable(file: string, isFirst = true) {
    const workers: Worker[] = [];
    const events: string[] = [];
    const start = () => {
      const worker = startWorker('ledger');
      workers.push(worker);
      return worker;
    };
    const onThread = (event: string, reason = '') => void events.push(`${event} ${reason}`);
    const identity = { id: new Uint8Array(16), isFirst };
    const ledger = await openLedger({ file, durability: 'full', identity, start, onThread });
    return { ledger, events, end: () => workers.at(-1)?.terminate() };
  }

  test('whose thread ends rejects waiting claims, starts another thread, and keeps all counts', async () => {
    const { ledger, events, end } = await openEndable(join(makeFolder(), 'claims'));
    expect(await ledger.claim(claim)).toBe(1);
    end();
    while (ledger.isHealthy()) await Bun.sleep(5);
    expect(await ledger.claim(claim).catch(reasonOf)).toContain('thread ended');
    while (!ledger.isHealthy()) await Bun.sleep(10);
    expect(events.map((event) => event.split(' ')[0])).toEqual(['ended', 'replaced']);
    expect(await ledger.claim(claim)).toBe(2);
    await ledger.close();
    expect(events).toHaveLength(2);
  });

  // The new thread used to create a new file, and the server continued without the claims.
  test('stores no claims if another thread finds that claims are missing, until earlier puzzles are rejected', async () => {
    const file = join(makeFolder(), 'claims');
    const { ledger, events, end } = await openEndable(file);
    expect(await ledger.claim(claim)).toBe(1);
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    end();
    while (events.length < 2) await Bun.sleep(10);
    expect(await ledger.claim(claim).catch(reasonOf)).toContain('claims are missing');
    expect(await ledger.advanceCounter({ value: 1, base: 0 }).catch(reasonOf)).toContain(
      'claims are missing',
    );
    expect(ledger.isHealthy()).toBe(false);
    await ledger.purge(LATEST_EXPIRATION, [claim.keyFingerprint]);
    while (!ledger.isHealthy()) await Bun.sleep(10);
    expect(await ledger.claim(claim)).toBe(0);
    expect(await ledger.claim({ ...claim, keyFingerprint: 2 })).toBe(1);
    await ledger.close();
    const next = await openEndable(file, false);
    expect(next.ledger.hasLostClaims()).toBe(true);
    await next.ledger.close();
  });

  // SQLite deleted the log when the thread ended, so a server that was killed before the next thread opened the file reported a loss.
  test('has all claims if its server is killed after its thread has ended', async () => {
    const folder = makeFolder();
    const file = join(folder, 'claims');
    const { ledger, events, end } = await openEndable(file);
    expect(await ledger.claim(claim)).toBe(1);
    end();
    while (events.length === 0) await Bun.sleep(1);
    const losses: boolean[] = [];
    while (!ledger.isHealthy()) {
      const copy = makeFolder();
      cpSync(folder, copy, { recursive: true });
      const next = await openEndable(join(copy, 'claims'), false);
      losses.push(next.ledger.hasLostClaims());
      expect(await next.ledger.claim(claim)).toBe(2);
      await next.ledger.close();
    }
    expect(new Set(losses)).toEqual(new Set([false]));
    await ledger.close();
  });
});
