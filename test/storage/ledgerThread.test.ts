import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, jest, test } from 'bun:test';
import { join } from 'node:path';
import { reasonOf } from '../../src/lib/log.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { Claim, RepeatKey } from '../../src/model/ports/replayLedger.ts';
import type { ClaimCommit } from '../../src/model/readings.ts';
import { type ClaimMethods, countAt, toBytes, toText } from '../../src/storage/ledgerClient/claimProtocol.ts';
import type { LedgerMethods } from '../../src/storage/sqlite/ledger/ledgerThread.ts';
import { type Answer, connectThread, type RemoteThread } from '../../src/threads/protocol.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { useFolders } from './folder.ts';

/** The code of the ledger thread, in this thread: a port stands for the thread that has started it. claims.test.ts starts threads. */

const makeFolder = useFolders();
const events: unknown[] = [];
const durations: number[] = [];

/** Connects to the module, which reads `self` when it is loaded. */
async function load(): Promise<RemoteThread<LedgerMethods>> {
  const { port1, port2 } = new MessageChannel();
  const before = Object.getOwnPropertyDescriptor(globalThis, 'self');
  Object.defineProperty(globalThis, 'self', { value: port2, configurable: true, writable: true });
  try {
    await import('../../src/storage/sqlite/ledger/ledgerThread.ts');
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'self');
    else Object.defineProperty(globalThis, 'self', before);
  }
  const local = {
    report(commits: readonly ClaimCommit[]) {
      events.push(commits.map(({ claims }) => claims));
      durations.push(...commits.map(({ milliseconds }) => milliseconds));
    },
    reportFailure: () => void events.push('failure'),
  };
  return connectThread<LedgerMethods>(port1, local, 'ledger thread');
}

const main = await load();

const claimOf = (puzzle: number, expiresAtSeconds = 1000): Claim => ({
  puzzleId: Uint8Array.of(puzzle, 0, 0, 0, 0, 0, 0, 1),
  expiresAtSeconds,
  keyFingerprint: 7,
});
const keyOf = (byte: number): RepeatKey => ({
  hash: new Uint8Array(32).fill(byte),
  nowSeconds: 500,
  userId: 1 as AccountId,
});

type Sender = Pick<RemoteThread<ClaimMethods>, 'send' | 'call'>;

/** Sends a group. @returns the counts, or the reason */
function count(sender: Sender, ...puzzles: readonly number[]): Promise<readonly number[] | string> {
  return new Promise((resolve) => {
    const settle = (answer: Answer<string>, offset: number) =>
      resolve(
        'reason' in answer ? answer.reason : puzzles.map((_, at) => countAt(answer.result, offset + at)),
      );
    const text = toText(toBytes(puzzles.map((puzzle) => claimOf(puzzle))));
    sender.send('count', text, { size: puzzles.length, settle });
  });
}

async function open(file = join(makeFolder(), 'claims')) {
  events.length = 0;
  const opened = await main.call('open', { file, durability: 'normal' });
  return { file, opened };
}

/** A client, and whether its connection has ended. */
function connect() {
  const { port1, port2 } = new MessageChannel();
  main.notify('connect', port2, [port2]);
  const ends: string[] = [];
  const client = connectThread<ClaimMethods>(port1, {}, 'ledger thread', (reason) => ends.push(reason));
  return { ...client, ends };
}

afterEach(async () => {
  await main.call('close', undefined);
  for (const duration of durations.splice(0)) expect(duration).toBeGreaterThanOrEqual(0);
});

const once = (puzzle: number, byte: number, maxCount = 1) => ({
  claim: toBytes([claimOf(puzzle)]),
  maxCount,
  key: keyOf(byte),
});

describe('the ledger thread', () => {
  test('returns what the file contained when it was opened', async () => {
    const { file, opened } = await open();
    expect(opened).toEqual({ hasLostClaims: false, counter: { value: 0, base: 0 } });
    await main.call('advanceCounter', { value: 9, base: 8 });
    await main.call('close', undefined);
    expect((await open(file)).opened.counter).toEqual({ value: 9, base: 8 });
  });

  test('stores the groups of all threads that have arrived in one transaction, and answers each thread', async () => {
    await open();
    const [one, other] = [connect(), connect()];
    await Promise.all([count(one, 90), count(other, 91)]);
    await waitUntil('the transactions are reported', async () => events.length > 0);
    events.length = 0;
    const results = [count(one, 1, 2), count(other, 1), count(one, 1), count(main, 2, 3), count(other, 3, 3)];
    const counts = (await Promise.all(results)) as (readonly number[])[];
    const all = counts.flat();
    expect(all.toSorted()).toEqual([1, 1, 1, 2, 2, 2, 3, 3]);
    // The order of the groups of one thread is that of its calls.
    expect(counts[0]?.[0]).toBeLessThan(counts[2]?.[0] ?? 0);
    expect(counts[4]?.[0]).toBeLessThan(counts[4]?.[1] ?? 0);
    await waitUntil('the transactions are reported', async () => events.length > 0);
    expect(events.flat().reduce((sum: number, claims) => sum + Number(claims), 0)).toBe(8);
    expect(events.flat().length).toBeLessThan(5);
  });

  test('answers several groups of one thread with one message', async () => {
    await open();
    const results = await Promise.all([count(main, 1), count(main, 1, 2), count(main, 2, 1)]);
    expect(results).toEqual([[1], [2, 1], [2, 3]]);
  });

  test('stores the claims that have arrived before other calls', async () => {
    await open();
    const results = await Promise.all([
      count(main, 1),
      main.call('countOnce', once(1, 5, 2)),
      main.call('recall', keyOf(5)),
      main.call('recall', keyOf(6)),
      count(main, 1),
      main.call('purge', { beforeSeconds: 2000, keyFingerprints: [7] }),
      count(main, 1),
      main.call('purgedBefore', 7),
      main.call('purgedBefore', 8),
      main.call('probe', undefined),
    ]);
    expect(results).toEqual([[1], 2, true, undefined, [3], 2, [0], 2000, 0, undefined]);
  });

  test('reports transactions together, and those of its own thread before their results', async () => {
    await open();
    const startedAt = performance.now();
    await main.call('countOnce', once(1, 5));
    // In milliseconds. The call takes longer than its transaction.
    expect(durations[0]).toBeWithin(0, performance.now() - startedAt);
    expect(events).toEqual([[1]]);
    const client = connect();
    await count(main, 1, 2, 3);
    await count(client, 4, 5);
    await client.call('countOnce', once(6, 6));
    expect(events).toEqual([[1]]);
    await waitUntil('the transactions are reported', async () => events.length > 1);
    expect(events).toEqual([[1], [3, 2, 1]]);
    await client.call('countOnce', once(7, 7));
    await waitUntil('the transaction is reported', async () => events.length > 2);
    expect(events[2]).toEqual([1]);
    await main.call('recall', keyOf(5));
    expect(events).toHaveLength(3);
  });

  test('reports transactions with one timer', async () => {
    await open();
    const timers = jest.spyOn(globalThis, 'setTimeout').mockReturnValue(0 as never);
    try {
      await count(main, 1);
      await count(main, 2, 3);
      expect([timers.mock.calls.length, events.length]).toEqual([1, 0]);
      timers.mock.calls[0]?.[0]();
      await count(main, 4);
      expect([timers.mock.calls.length, events]).toEqual([2, [[1, 2]]]);
    } finally {
      timers.mockRestore();
    }
  });

  test('reports transactions when it is closed, at the latest', async () => {
    await open();
    await count(main, 1);
    await main.call('close', undefined);
    expect(events).toEqual([[1]]);
  });

  test('reports the failures of clients, and rejects their claims with the reason', async () => {
    const client = connect();
    events.length = 0;
    expect(await count(client, 1)).toBe('the claims file is not open');
    expect(await client.call('recall', keyOf(5)).catch(reasonOf)).toBe('the claims file is not open');
    expect(await client.call('countOnce', once(1, 5)).catch(reasonOf)).toBe('the claims file is not open');
    expect(events).toEqual(['failure', 'failure', 'failure']);
    expect(await count(main, 1)).toBe('the claims file is not open');
    expect(await main.call('countOnce', once(1, 5)).catch(reasonOf)).toBe('the claims file is not open');
    for (const name of ['purgedBefore', 'probe'] as const)
      expect(await main.call(name, 7 as never).catch(reasonOf)).toBe('the claims file is not open');
    expect(events).toEqual(['failure', 'failure', 'failure']);
  });

  test('disconnects its clients when it is closed', async () => {
    await open();
    const client = connect();
    expect(await count(client, 1)).toEqual([1]);
    const waiting = count(client, 1);
    await main.call('close', undefined);
    expect(await waiting).toEqual([2]);
    await waitUntil('the client is disconnected', async () => client.ends.length > 0);
    expect(await client.call('recall', keyOf(5)).catch(reasonOf)).toContain('ended');
    const { file } = await open();
    expect(await count(connect(), 1)).toEqual([1]);
    expect(file).not.toBe('');
  });

  test('moves all claims to their table when it is closed', async () => {
    const { file } = await open();
    await count(main, 1, 2);
    await main.call('close', undefined);
    const database = new Database(file, { readonly: true });
    expect(database.query('SELECT count(*) FROM recent_claims').values()).toEqual([[0]]);
    database.close();
  });

  test('keeps its counts when the file is closed and opened again', async () => {
    const { file } = await open();
    await count(main, 1, 2);
    await main.call('close', undefined);
    await open(file);
    expect(await count(main, 1, 3)).toEqual([2, 1]);
  });
});
