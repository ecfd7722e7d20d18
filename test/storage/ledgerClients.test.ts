import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Claim } from '../../src/model/ports/replayLedger.ts';
import { openLedger } from '../../src/storage/sqlite/ledger/ledger.ts';
import { startWorker } from '../../src/threads/worker.ts';
import { type ClientThread, startClientThread } from '../support/ledgerClients.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

const claimOf = (number: number): Claim => ({
  puzzleId: Uint8Array.of(number, number >> 8, 0, 0, 0, 0, 0, 0),
  expiresAtSeconds: 9,
  keyFingerprint: 1,
});

/** Opens a ledger for two threads. `end` ends the ledger thread, which no other thread replaces before `allowReplacement`. */
async function openForThreads(file: string) {
  const workers: Worker[] = [];
  const events: string[] = [];
  let isReplaceable = true;
  const start = () => {
    if (!isReplaceable) throw new Error('the test holds the replacement back');
    const worker = startWorker('ledger');
    workers.push(worker);
    return worker;
  };
  const onThread = (event: string) => events.push(event);
  const ledger = await openLedger({ file, durability: 'full', start, onThread });
  const threads = await Promise.all([startClientThread(ledger), startClientThread(ledger)]);
  return {
    ledger,
    events,
    threads: threads as [ClientThread, ClientThread],
    end() {
      isReplaceable = false;
      workers.at(-1)?.terminate();
    },
    allowReplacement() {
      isReplaceable = true;
    },
    async close() {
      await ledger.close();
      for (const thread of threads) thread.terminate();
    },
  };
}

const isNumber = (result: unknown): result is number => typeof result === 'number';

test('a ledger thread that ends rejects the claims of all threads, and all threads use its replacement', async () => {
  const { ledger, threads, events, end, allowReplacement, close } = await openForThreads(
    join(makeFolder(), 'claims'),
  );
  const accepted: number[] = [];
  const claims = Array.from({ length: 200 }, () => claimOf(1));
  const running = threads.map((thread) => thread.claim(claims));
  await Promise.all(running.map(({ sent }) => sent));
  end();
  for (const { results } of running) accepted.push(...(await results).filter(isNumber));
  await waitUntil('the ledger is unhealthy', () => !ledger.isHealthy());
  const failed = await Promise.all(threads.map((thread) => thread.claim([claimOf(2)]).results));
  expect(failed.flat()).toEqual(['the ledger thread ended', 'the ledger thread ended']);
  allowReplacement();
  await waitUntil('the ledger is healthy', ledger.isHealthy);
  expect(events).toEqual(['ended', 'replaced']);
  // The threads are connected before the ledger reports that it is healthy, but they receive the connection later.
  for (const thread of threads)
    await waitUntil('the thread can claim', async () =>
      isNumber((await thread.claim([claimOf(3)]).results)[0]),
    );
  const after = await Promise.all(threads.map((thread) => thread.claim(claims).results));
  const numbers = [...accepted, ...after.flat()];
  expect(numbers.every(isNumber)).toBe(true);
  expect(new Set(numbers).size).toBe(numbers.length);
  await close();
  expect(events).toHaveLength(2);
});

test('a ledger thread that ends rejects the claims that wait for it', async () => {
  const file = join(makeFolder(), 'claims');
  const { ledger, threads, events, end, allowReplacement, close } = await openForThreads(file);
  // Another process holds the write lock, so the claims cannot be answered before the thread ends.
  const other = new Database(file);
  other.run('BEGIN IMMEDIATE');
  const running = threads.map((thread) => thread.claim([claimOf(1), claimOf(1)]));
  await Promise.all(running.map(({ sent }) => sent));
  end();
  const results = await Promise.all(running.map((each) => each.results));
  expect(results.flat()).toEqual(Array(4).fill('the ledger thread ended'));
  other.run('ROLLBACK');
  other.close();
  allowReplacement();
  await waitUntil('the thread is replaced', () => events.includes('replaced') && ledger.isHealthy());
  await close();
});

test('claims of another thread that cannot be stored are rejected, and the ledger is unhealthy until it can store claims', async () => {
  const file = join(makeFolder(), 'claims');
  const { ledger, threads, close } = await openForThreads(file);
  const other = new Database(file);
  other.run("CREATE TRIGGER full BEFORE INSERT ON recent_claims BEGIN SELECT RAISE(ABORT, 'full'); END");
  const results = await Promise.all(threads.map((thread) => thread.claim([claimOf(1), claimOf(2)]).results));
  expect(results.flat()).toEqual(['full', 'full', 'full', 'full']);
  await waitUntil('the ledger is unhealthy', () => !ledger.isHealthy());
  other.run('DROP TRIGGER full');
  other.close();
  await waitUntil('the ledger is healthy', ledger.isHealthy);
  expect(await threads[0].claim([claimOf(1)]).results).toEqual([1]);
  await close();
});

test('a thread that is connected while the ledger thread is being replaced can claim afterward', async () => {
  const { ledger, end, allowReplacement, events, close } = await openForThreads(join(makeFolder(), 'claims'));
  end();
  await waitUntil('the thread has ended', () => events.length > 0);
  const starting = startClientThread(ledger);
  allowReplacement();
  const late = await starting;
  expect(events).toEqual(['ended', 'replaced']);
  expect(await late.claim([claimOf(1)]).results).toEqual([1]);
  await close();
  late.terminate();
});
