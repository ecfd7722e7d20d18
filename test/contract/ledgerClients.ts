import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../src/model/account.ts';
import type { Claim, RepeatKey } from '../../src/model/ports/replayLedger.ts';
import type { ClaimCommit } from '../../src/model/readings.ts';
import type { LedgerOptions, ServerLedger } from '../../src/storage/storage.ts';
import { type ClientThread, createStartSignal, startClientThread } from '../support/ledgerClients.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** The storage of a ledger. */
export type OpenServerLedger = () => {
  readonly open: (options?: Partial<LedgerOptions>) => Promise<ServerLedger>;
};

const NOW = 1_800_000_000;

const claimOf = (number: number): Claim => ({
  puzzleId: Uint8Array.of(number, number >> 8, 0, 0, 0, 0, 0, 0xff),
  expiresAtSeconds: NOW + 600,
  keyFingerprint: 1,
});
const keyOf = (number: number): RepeatKey => ({
  hash: new Uint8Array(32).fill(number),
  nowSeconds: NOW,
  userId: 1 as AccountId,
});

const times = <T>(length: number, make: (index: number) => T) => Array.from({ length }, (_, i) => make(i));
const upTo = (length: number) => times(length, (index) => index + 1);
const inOrder = (numbers: readonly unknown[]) => numbers.toSorted((a, b) => Number(a) - Number(b));

const startThreads = (ledger: ServerLedger, count: number) =>
  Promise.all(times(count, () => startClientThread(ledger)));
const endThreads = (threads: readonly ClientThread[]) => {
  for (const thread of threads) thread.terminate();
};

/** The contract of `ServerLedger.connect` and `createLedgerClient`. */
export function describeLedgerClients(name: string, place: OpenServerLedger): void {
  describe(`ledger that several threads use (${name})`, () => {
    test('gives simultaneous claims of one puzzle on four threads different numbers', async () => {
      const ledger = await place().open();
      const threads = await startThreads(ledger, 4);
      const { start, go } = createStartSignal();
      const claims = times(500, () => claimOf(1));
      const running = threads.map((thread) => thread.claim(claims, start).results);
      go();
      const numbers = (await Promise.all(running)).flat();
      expect(inOrder(numbers)).toEqual(upTo(2000));
      endThreads(threads);
      await ledger.close();
    });

    test('distinguishes the puzzles of each thread, in the order of its claims', async () => {
      const ledger = await place().open();
      const threads = await startThreads(ledger, 2);
      await ledger.claim(claimOf(7));
      const claims = [7, 8, 7, 9, 7].map(claimOf);
      const one = await threads[0]?.claim(claims).results;
      const other = await threads[1]?.claim(claims).results;
      expect(one).toEqual([2, 1, 3, 1, 4]);
      expect(other).toEqual([5, 2, 6, 2, 7]);
      endThreads(threads);
      await ledger.close();
    });

    test('recognizes a repeated request on every thread', async () => {
      const ledger = await place().open();
      const [one, other] = (await startThreads(ledger, 2)) as [ClientThread, ClientThread];
      expect(await one.recall(keyOf(1))).toBeUndefined();
      const numbers = await Promise.all([
        one.claimOnce(claimOf(1), 1, keyOf(1)),
        other.claimOnce(claimOf(1), 1, keyOf(1)),
        ledger.claimOnce(claimOf(1), 1, keyOf(1)),
      ]);
      expect(numbers).toEqual([1, 1, 1]);
      expect(await other.claimOnce(claimOf(1), 1, keyOf(2))).toBe(2);
      expect([await one.recall(keyOf(1)), await one.recall(keyOf(2))]).toEqual([true, false]);
      endThreads([one, other]);
      await ledger.close();
    });

    test('reports the claims of all threads once', async () => {
      const commits: ClaimCommit[] = [];
      const ledger = await place().open({ onCommit: (commit) => commits.push(commit) });
      const threads = await startThreads(ledger, 2);
      const results = threads.map((thread, i) => thread.claim(times(100, () => claimOf(i))).results);
      await Promise.all([...results, ledger.claim(claimOf(5))]);
      await threads[0]?.claimOnce(claimOf(6), 1, keyOf(6));
      const sum = () => commits.reduce((total, { claims }) => total + claims, 0);
      await waitUntil('all claims are reported', () => sum() >= 202);
      endThreads(threads);
      await ledger.close();
      expect(sum()).toBe(202);
      expect(commits.every(({ milliseconds }) => milliseconds > 0)).toBe(true);
    });

    test('stores the claims of all threads before it closes, and rejects later ones', async () => {
      const { open } = place();
      const ledger = await open();
      const threads = await startThreads(ledger, 3);
      const running = threads.map((thread) => thread.claim(times(500, () => claimOf(1))));
      await Promise.all(running.map(({ sent }) => sent));
      await ledger.close();
      const numbers = await Promise.all(running.map(({ results }) => results));
      expect(inOrder(numbers.flat())).toEqual(upTo(1500));
      const late = await Promise.all(threads.map((thread) => thread.claim([claimOf(1)]).results));
      expect(late).toEqual(times(3, () => ['the ledger is closed']));
      endThreads(threads);
      const after = await open();
      expect(await after.claim(claimOf(1))).toBe(1501);
      await after.close();
    });

    test('serves the other threads after one of them has ended, and closes without it', async () => {
      const ledger = await place().open();
      const [ending, staying] = (await startThreads(ledger, 2)) as [ClientThread, ClientThread];
      await ending.claim(times(100, claimOf)).sent;
      ending.terminate();
      expect(await staying.claim([claimOf(1000), claimOf(1000)]).results).toEqual([1, 2]);
      await ledger.close();
      staying.terminate();
    });

    test('rejects the claims of a client that was closed', async () => {
      const ledger = await place().open();
      const thread = await startClientThread(ledger);
      await thread.close();
      expect(await thread.claim([claimOf(1)]).results).toEqual(['the ledger is closed']);
      expect(await thread.recall(keyOf(1))).toBe('the ledger is closed');
      expect(await ledger.claim(claimOf(1))).toBe(1);
      thread.terminate();
      await ledger.close();
    });
  });
}
