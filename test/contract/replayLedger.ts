import { describe, expect, test } from 'bun:test';
import type { Claim, ReplayLedger } from '../../src/model/ports/replayLedger.ts';

/** The storage of a ledger. Opening it twice corresponds to two processes that share the counts. */
export type OpenLedger = () => { readonly open: () => Promise<ReplayLedger> };

const claimOf = (number: number, expiresAtSeconds = 1_800_000_000, keyFingerprint = 1): Claim => ({
  puzzleId: Uint8Array.of(number, number >> 8, number >> 16, 0, 0, 0, 0, 0xff),
  expiresAtSeconds,
  keyFingerprint,
});

const many = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, index) => make(index));
const upTo = (length: number) => many(length, (index) => index + 1);
const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

/** The contract of every replay ledger. */
export function describeReplayLedger(name: string, place: OpenLedger): void {
  describe(`replay ledger (${name})`, () => {
    test('counts the presentations of each puzzle from one', async () => {
      const ledger = await place().open();
      const counts = [];
      for (const number of [1, 2, 1, 1, 2, 3]) counts.push(await ledger.claim(claimOf(number)));
      expect(counts).toEqual([1, 1, 2, 3, 2, 1]);
      await ledger.close();
    });

    test('gives concurrent claims of one puzzle different numbers', async () => {
      const ledger = await place().open();
      const counts = await Promise.all(many(1000, () => ledger.claim(claimOf(1))));
      expect(inOrder(counts)).toEqual(upTo(1000));
      await ledger.close();
    });

    test('distinguishes many puzzles that are claimed at the same time', async () => {
      const ledger = await place().open();
      const counts = await Promise.all(many(6000, (number) => ledger.claim(claimOf(number))));
      expect(counts.every((count) => count === 1)).toBe(true);
      await ledger.close();
    });

    test('treats the same id with another expiration as another puzzle', async () => {
      const ledger = await place().open();
      for (const seconds of [0, 1, 0x7fffffff, 0x80000000, 0xffffffff]) {
        expect(await ledger.claim(claimOf(1, seconds))).toBe(1);
        expect(await ledger.claim(claimOf(1, seconds))).toBe(2);
      }
      await ledger.close();
    });

    test('distinguishes ids by each of their bytes', async () => {
      const ledger = await place().open();
      const ids = many(8, (at) => new Uint8Array(8).with(at, 1));
      const claims = [new Uint8Array(8), ...ids].map((puzzleId) => ({ ...claimOf(0, 5), puzzleId }));
      expect(await Promise.all(claims.map(ledger.claim))).toEqual(claims.map(() => 1));
      await ledger.close();
    });

    test('continues the counts when it is opened again', async () => {
      const { open } = place();
      const before = await open();
      await Promise.all(many(3, () => before.claim(claimOf(1))));
      await before.close();
      const after = await open();
      expect(await after.claim(claimOf(1))).toBe(4);
      await after.close();
    });

    test('never returns the same number twice, even if two processes share it', async () => {
      const { open } = place();
      const [one, other] = [await open(), await open()];
      const claims = many(400, (index) =>
        (index % 2 === 0 ? one : other).claim(claimOf(index % 4 < 2 ? 1 : 2)),
      );
      const counts = await Promise.all(claims);
      expect(inOrder(counts.filter((_, index) => index % 4 < 2))).toEqual(upTo(200));
      expect(inOrder(counts.filter((_, index) => index % 4 >= 2))).toEqual(upTo(200));
      await one.close();
      await other.close();
    });

    test('purges only what expired before a time', async () => {
      const ledger = await place().open();
      for (const seconds of [98, 99, 100, 101]) await ledger.claim(claimOf(1, seconds));
      expect(await ledger.purge(100, [])).toBe(2);
      expect(await ledger.purge(100, [])).toBe(0);
      const counts = [];
      for (const seconds of [98, 99, 100, 101]) counts.push(await ledger.claim(claimOf(1, seconds)));
      expect(counts).toEqual([1, 1, 2, 2]);
      await ledger.close();
    });

    test('purges many claims in several calls', async () => {
      const ledger = await place().open();
      await Promise.all(many(12_000, (number) => ledger.claim(claimOf(number, 99))));
      let [rows, calls] = [0, 0];
      for (let gone = -1; gone !== 0; calls++) {
        gone = await ledger.purge(100, []);
        expect(gone).toBeLessThanOrEqual(5000);
        rows += gone;
      }
      expect(rows).toBe(12_000);
      expect(calls).toBeLessThan(20);
      await ledger.close();
    });

    test('does not count puzzles that expired before a purge of their key if the clock was set back', async () => {
      const { open } = place();
      const ledger = await open();
      for (const seconds of [99, 100]) await ledger.claim(claimOf(1, seconds));
      await ledger.purge(100, [1, 0xffffffff]);
      const counts = async (from: ReplayLedger) => {
        const claims = [claimOf(1, 99), claimOf(2, 99), claimOf(3, 99, 0xffffffff), claimOf(1, 100)];
        return Promise.all(claims.map(from.claim));
      };
      expect(await counts(ledger)).toEqual([0, 0, 0, 2]);
      await ledger.close();
      const after = await open();
      expect(await counts(after)).toEqual([0, 0, 0, 3]);
      expect(await Promise.all([1, 0xffffffff, 2].map(after.purgedBefore))).toEqual([100, 100, 0]);
      // A key that is created after the purge signs new puzzles, even if the clock is behind.
      expect(await after.claim(claimOf(4, 50, 2))).toBe(1);
      await after.close();
    });

    test('stores the latest purge of each key, and deletes the purges of keys that no longer exist', async () => {
      const ledger = await place().open();
      await ledger.purge(100, [1, 2]);
      await ledger.purge(50, [2, 3]);
      expect(await Promise.all([1, 2, 3].map(ledger.purgedBefore))).toEqual([0, 100, 50]);
      await ledger.close();
    });

    test('keeps unexpired claims during a purge', async () => {
      const ledger = await place().open();
      const claims = many(500, () => ledger.claim(claimOf(1)));
      const purge = ledger.purge(100, []);
      const more = many(500, () => ledger.claim(claimOf(1)));
      expect(inOrder(await Promise.all([...claims, ...more]))).toEqual(upTo(1000));
      expect(await purge).toBe(0);
      await ledger.close();
    });

    test('is healthy while it works', async () => {
      const ledger = await place().open();
      await ledger.claim(claimOf(1));
      expect(ledger.isHealthy()).toBe(true);
      await ledger.close();
    });

    test('resolves every claim from before it was closed, and keeps the counts', async () => {
      const { open } = place();
      const ledger = await open();
      const claims = many(50, () => ledger.claim(claimOf(1)));
      await ledger.close();
      expect(inOrder(await Promise.all(claims))).toEqual(upTo(50));
      const after = await open();
      expect(await after.claim(claimOf(1))).toBe(51);
      await after.close();
    });

    test('rejects claims and purges after it is closed, and reports itself as unhealthy', async () => {
      const ledger = await place().open();
      await ledger.close();
      await expect(ledger.claim(claimOf(1))).rejects.toThrow();
      await expect(ledger.purge(1, [])).rejects.toThrow();
      expect(ledger.isHealthy()).toBe(false);
    });
  });
}
