import { afterEach, describe, expect, jest, test } from 'bun:test';
import { reasonOf } from '../../src/lib/log.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { Claim, RepeatKey } from '../../src/model/ports/replayLedger.ts';
import type { ClaimCommit } from '../../src/model/readings.ts';
import { encodeCounts, fromText } from '../../src/storage/ledgerClient/claimProtocol.ts';
import { createLedgerClient } from '../../src/storage/ledgerClient/client.ts';
import { RETRY_MS } from '../../src/storage/ledgerHealth.ts';
import { openLedger } from '../../src/storage/sqlite/ledger/ledger.ts';
import type { LedgerMethods, LedgerReports } from '../../src/storage/sqlite/ledger/ledgerThread.ts';
import { connectThread, type RemoteThread } from '../../src/threads/protocol.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** The ledger of a claims file with threads that a test plays. claims.test.ts has real ones. */

const FILE = {
  file: '/data/claims.sqlite',
  durability: 'full',
  identity: { id: new Uint8Array(16), isFirst: true },
} as const;
const claimOf = (number: number): Claim => ({
  puzzleId: Uint8Array.of(number, 0, 0, 0, 0, 0, 0, 1),
  expiresAtSeconds: 1000,
  keyFingerprint: 7,
});
const KEY: RepeatKey = { hash: new Uint8Array(32), nowSeconds: 1, userId: 1 as AccountId };

type Thread = { readonly main: RemoteThread<LedgerReports>; readonly end: () => void; isTerminated: boolean };

/** Starts threads, each of which answers calls and numbers claims. */
function createThreads() {
  const threads: Thread[] = [];
  const calls: unknown[][] = [];
  const state = {
    openFailure: undefined as Error | undefined,
    failure: undefined as Error | undefined,
    hasLostClaims: true,
  };
  const note = (name: string) => (argument: unknown) => {
    calls.push(argument === undefined ? [name] : [name, argument]);
  };
  function counted(group: string): string {
    note('count')(fromText(group).length / 16);
    if (state.failure !== undefined) throw state.failure;
    return encodeCounts(Uint32Array.from({ length: fromText(group).length / 16 }, () => 5));
  }
  function start(): Worker {
    const { port1, port2 } = new MessageChannel();
    const methods = {
      open(options) {
        note('open')(options);
        if (state.openFailure !== undefined) throw state.openFailure;
        return { hasLostClaims: state.hasLostClaims, counter: { value: 3, base: 2 } };
      },
      connect(port) {
        calls.push(['connect']);
        connectThread(port, { count: counted, countOnce: () => 6, recall: () => true });
      },
      count: counted,
      countOnce(given) {
        note('countOnce')(given.maxCount);
        if (state.failure !== undefined) throw state.failure;
        return 6;
      },
      recall: () => true,
      purge(given) {
        note('purge')(given);
        return 12;
      },
      purgedBefore(key) {
        note('purgedBefore')(key);
        return 34;
      },
      probe() {
        note('probe')(undefined);
        if (state.failure !== undefined) throw state.failure;
      },
      advanceCounter: note('advanceCounter'),
      close: note('close'),
    } satisfies LedgerMethods;
    const main = connectThread<LedgerReports>(port2, methods, 'main thread');
    const thread: Thread = { main, end: () => port2.close(), isTerminated: false };
    threads.push(thread);
    const terminate = () => {
      thread.isTerminated = true;
    };
    return Object.assign(port1, { terminate }) as unknown as Worker;
  }
  return { threads, calls, state, start };
}

async function open(onLoss?: () => Promise<void>) {
  const fake = createThreads();
  const events: unknown[] = [];
  const commits: ClaimCommit[] = [];
  const ledger = await openLedger({
    ...FILE,
    start: fake.start,
    ...(onLoss && { onLoss }),
    onThread: (...event) => events.push(event),
    onCommit: (commit) => commits.push(commit),
  });
  return { ...fake, ledger, events, commits };
}

afterEach(() => void jest.useRealTimers());

const namesOf = (calls: readonly unknown[][]) => calls.map(([name]) => name);

describe('the ledger of a file', () => {
  test('is opened by its thread', async () => {
    const { ledger, calls } = await open();
    expect(calls).toEqual([['open', { ...FILE, isReopened: false }]]);
    expect(ledger.hasLostClaims()).toBe(true);
    expect(ledger.claimsCounter).toEqual({ value: 3, base: 2 });
    expect([ledger.isHealthy(), ledger.load]).toEqual([true, undefined]);
    await ledger.close();
  });

  test('passes calls to its thread', async () => {
    const { ledger, calls } = await open();
    expect(await Promise.all([ledger.claim(claimOf(1)), ledger.claim(claimOf(2))])).toEqual([5, 5]);
    expect(await ledger.claimOnce(claimOf(1), 3, KEY)).toBe(6);
    expect(await ledger.recall(KEY)).toBe(true);
    expect(await ledger.purge(2000, [7, 8])).toBe(12);
    expect(await ledger.purgedBefore(7)).toBe(34);
    await ledger.advanceCounter({ value: 9, base: 8 });
    expect(calls.slice(1)).toEqual([
      ['count', 2],
      ['countOnce', 3],
      ['purge', { beforeSeconds: 2000, keyFingerprints: [7, 8] }],
      ['purgedBefore', 7],
      ['advanceCounter', { value: 9, base: 8 }],
    ]);
    await ledger.close();
  });

  test('sends up to 32 groups that have no answer', async () => {
    const { ledger, calls } = await open();
    const claims = Array.from({ length: 34 * 24 }, (_, n) => ledger.claim(claimOf(n)));
    expect(await Promise.all(claims)).toEqual(claims.map(() => 5));
    const sizes = calls.slice(1).map(([, size]) => Number(size));
    expect(sizes.slice(0, 32)).toEqual(Array(32).fill(24));
    expect(sizes.slice(32).reduce((sum, size) => sum + size, 0)).toBe(48);
    await ledger.close();
  });

  test('reports the transactions of its thread', async () => {
    const { ledger, threads, commits } = await open();
    const reported = [
      { claims: 3, milliseconds: 1 },
      { claims: 1, milliseconds: 2 },
    ];
    threads[0]?.main.notify('report', reported);
    await waitUntil('the transactions are reported', async () => commits.length > 1);
    expect(commits).toEqual(reported);
    await ledger.close();
  });

  test('is unhealthy after a failure, until the thread can store claims again', async () => {
    const { ledger, state, calls } = await open();
    state.failure = new Error('the disk is full');
    expect(await ledger.claim(claimOf(1)).catch(reasonOf)).toBe('the disk is full');
    expect(ledger.isHealthy()).toBe(false);
    await waitUntil('the thread is probed', async () => namesOf(calls).includes('probe'));
    expect(ledger.isHealthy()).toBe(false);
    state.failure = undefined;
    await waitUntil('the ledger is healthy', async () => ledger.isHealthy());
    await ledger.close();
  });

  test('is unhealthy after a failure of a client, or a delay', async () => {
    const { ledger, threads } = await open();
    threads[0]?.main.notify('reportFailure', undefined);
    await waitUntil('the ledger is unhealthy', async () => !ledger.isHealthy());
    expect(await ledger.claim(claimOf(1))).toBe(5);
    expect(ledger.isHealthy()).toBe(true);
    ledger.reportDelay();
    expect(ledger.isHealthy()).toBe(false);
    await ledger.close();
  });

  test('connects clients to its thread', async () => {
    const { ledger, calls } = await open();
    const client = await createLedgerClient(ledger.connect());
    expect(await client.claim(claimOf(1))).toBe(5);
    expect(namesOf(calls)).toEqual(['open', 'connect', 'count']);
    client.close();
    await ledger.close();
  });

  test('replaces a thread that ends, which opens the file again', async () => {
    const { ledger, threads, calls, events } = await open();
    const client = await createLedgerClient(ledger.connect());
    threads[0]?.end();
    await waitUntil('the end is noticed', async () => events.length > 0);
    expect(events).toEqual([['ended', 'the ledger thread ended']]);
    expect(ledger.isHealthy()).toBe(false);
    expect(await ledger.claim(claimOf(1)).catch(reasonOf)).toContain('ended');
    expect(await client.claim(claimOf(1)).catch(reasonOf)).toContain('ended');
    await waitUntil('the thread is replaced', async () => events.length > 1);
    expect(events.slice(1)).toEqual([['replaced']]);
    await waitUntil('the ledger is healthy', async () => ledger.isHealthy());
    expect(await ledger.claim(claimOf(1))).toBe(5);
    await waitUntil(
      'the client uses the new thread',
      async () => (await client.claim(claimOf(1)).catch(() => 0)) === 5,
    );
    const opened = calls.filter(([name]) => name === 'open');
    expect(opened).toEqual([
      ['open', { ...FILE, isReopened: false }],
      ['open', { ...FILE, isReopened: true }],
    ]);
    client.close();
    await ledger.close();
    expect(threads).toHaveLength(2);
  });

  test('rejects no puzzles if a new thread finds all claims', async () => {
    let losses = 0;
    const { ledger, state, threads, events } = await open(async () => void losses++);
    state.hasLostClaims = false;
    threads[0]?.end();
    await waitUntil('the thread is replaced', async () => events.length > 1);
    expect([events.length, losses]).toEqual([2, 0]);
    await ledger.close();
  });

  test('rejects earlier puzzles before a new thread serves clients if claims are missing, until it succeeds', async () => {
    let failures = 1;
    const opened = await open(async () => {
      calls.push(['onLoss']);
      if (failures-- > 0) throw new Error('the disk is full');
    });
    const { ledger, threads, calls, events } = opened;
    const client = await createLedgerClient(ledger.connect());
    threads[0]?.end();
    await waitUntil(
      'the client is connected again',
      async () => events.length > 2 && namesOf(calls).at(-1) === 'connect',
    );
    expect(namesOf(calls).filter((name) => name !== 'probe')).toEqual([
      ...['open', 'connect', 'open', 'onLoss', 'open', 'onLoss', 'connect'],
    ]);
    expect(events).toEqual([
      ['ended', 'the ledger thread ended'],
      ['ended', 'the disk is full'],
      ['replaced'],
    ]);
    expect(threads.map(({ isTerminated }) => isTerminated)).toEqual([false, true, false]);
    client.close();
    await ledger.close();
  });

  test('replaces a thread without a listener, too', async () => {
    const { start, threads } = createThreads();
    const ledger = await openLedger({ ...FILE, start });
    threads[0]?.main.notify('report', [{ claims: 1, milliseconds: 1 }]);
    threads[0]?.end();
    await waitUntil('the thread is replaced', async () => threads.length > 1);
    await waitUntil('the ledger is healthy', async () => ledger.isHealthy());
    expect(await ledger.claim(claimOf(1))).toBe(5);
    await ledger.close();
  });

  test('is not opened if its thread cannot open the file, and no other thread tries', async () => {
    const { start, state, threads } = createThreads();
    state.openFailure = new Error('the file is damaged');
    jest.useFakeTimers();
    const events: unknown[] = [];
    const opening = openLedger({ ...FILE, start, onThread: (...event) => events.push(event) });
    expect(await opening.then(String, reasonOf)).toBe('the file is damaged');
    jest.advanceTimersByTime(2 * RETRY_MS);
    expect([events, threads.length, threads[0]?.isTerminated]).toEqual([[], 1, true]);
  });
});

describe('the end of the ledger of a file', () => {
  test('closes the file after the last claims, and ends the thread', async () => {
    const { ledger, calls, threads } = await open();
    const last = ledger.claim(claimOf(1));
    await ledger.close();
    expect(await last).toBe(5);
    expect(namesOf(calls)).toEqual(['open', 'count', 'close']);
    expect([threads.length, threads[0]?.isTerminated]).toEqual([1, true]);
    expect(ledger.isHealthy()).toBe(false);
    expect(await ledger.claim(claimOf(1)).catch(reasonOf)).toBe('the ledger is closed');
  });

  test('starts no other thread if the last one has ended', async () => {
    jest.useFakeTimers();
    const ended = Promise.withResolvers<void>();
    const { start, threads } = createThreads();
    const ledger = await openLedger({ ...FILE, start, onThread: () => ended.resolve() });
    threads[0]?.end();
    await ended.promise;
    expect(await ledger.close().then(String, reasonOf)).toBe('the ledger thread ended');
    jest.advanceTimersByTime(2 * RETRY_MS);
    expect(threads).toHaveLength(1);
  });

  test('waits for the claims of clients, which send no others', async () => {
    const { ledger, calls } = await open();
    const client = await createLedgerClient(ledger.connect());
    const last = client.claim(claimOf(1));
    await ledger.close();
    expect(await last).toBe(5);
    expect(namesOf(calls)).toEqual(['open', 'connect', 'count', 'close']);
    expect(await client.claim(claimOf(1)).catch(reasonOf)).toBe('the ledger is closed');
  });
});
