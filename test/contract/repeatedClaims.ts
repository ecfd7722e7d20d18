import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../src/model/account.ts';
import type { Claim, RepeatKey } from '../../src/model/ports/replayLedger.ts';
import type { OpenLedger } from './replayLedger.ts';

const NOW = 1_800_000_000;

const claimOf = (number: number): Claim => ({
  puzzleId: Uint8Array.of(number, 0, 0, 0, 0, 0, 0, 0xff),
  expiresAtSeconds: NOW + 600,
  keyFingerprint: 1,
});
const keyOf = (number: number, nowSeconds = NOW): RepeatKey => ({
  hash: new Uint8Array(32).fill(number),
  nowSeconds,
  userId: 1 as AccountId,
});

/** The contract of `claimOnce` and `recall`. */
export function describeRepeatedClaims(name: string, place: OpenLedger): void {
  describe(`repeated claims (${name})`, () => {
    test('get the number of the first claim, and are counted once', async () => {
      const ledger = await place().open();
      expect(await ledger.recall(keyOf(1))).toBeUndefined();
      expect(await ledger.claimOnce(claimOf(1), 1, keyOf(1))).toBe(1);
      expect(await ledger.claimOnce(claimOf(1), 1, keyOf(1))).toBe(1);
      expect(await ledger.claimOnce(claimOf(1), 1, keyOf(2))).toBe(2);
      expect(await ledger.claimOnce(claimOf(1), 1, keyOf(2))).toBe(2);
      expect(await ledger.claim(claimOf(1))).toBe(3);
      await ledger.close();
    });

    test('are recalled as accepted or rejected, according to the maximum of the first claim', async () => {
      const ledger = await place().open();
      for (const number of [1, 2, 3]) await ledger.claimOnce(claimOf(1), 2, keyOf(number));
      const recalled = await Promise.all([1, 2, 3, 4].map((number) => ledger.recall(keyOf(number))));
      expect(recalled).toEqual([true, true, false, undefined]);
      await ledger.close();
    });

    test('are counted once if they are concurrent', async () => {
      const { open } = place();
      const [one, other] = [await open(), await open()];
      const claims = Array.from({ length: 100 }, (_, i) =>
        (i % 2 === 0 ? one : other).claimOnce(claimOf(1), 1, keyOf(1)),
      );
      expect(new Set(await Promise.all(claims))).toEqual(new Set([1]));
      expect(await one.claim(claimOf(1))).toBe(2);
      await one.close();
      await other.close();
    });

    test('are recognized after the ledger is reopened', async () => {
      const { open } = place();
      const before = await open();
      await before.claimOnce(claimOf(1), 1, keyOf(1));
      await before.close();
      const after = await open();
      expect(await after.recall(keyOf(1))).toBe(true);
      expect(await after.claimOnce(claimOf(1), 1, keyOf(1))).toBe(1);
      await after.close();
    });

    test('are recognized for five minutes', async () => {
      const ledger = await place().open();
      await ledger.claimOnce(claimOf(1), 1, keyOf(1));
      expect(await ledger.recall(keyOf(1, NOW + 299))).toBe(true);
      expect(await ledger.recall(keyOf(1, NOW + 300))).toBeUndefined();
      expect(await ledger.claimOnce(claimOf(1), 1, keyOf(1, NOW + 300))).toBe(2);
      expect(await ledger.recall(keyOf(1, NOW + 300))).toBe(false);
      await ledger.close();
    });

    test('are not recognized if the clock is set back by more than five minutes', async () => {
      const ledger = await place().open();
      await ledger.claimOnce(claimOf(1), 1, keyOf(1));
      expect(await ledger.recall(keyOf(1, NOW - 300))).toBe(true);
      expect(await ledger.recall(keyOf(1, NOW - 301))).toBeUndefined();
      expect(await ledger.claimOnce(claimOf(1), 1, keyOf(1, NOW - 301))).toBe(2);
      await ledger.close();
    });

    test('are not accepted after the claims of their puzzle are purged', async () => {
      const ledger = await place().open();
      await ledger.claim(claimOf(1));
      await ledger.purge(NOW + 700, [1]);
      expect(await ledger.claimOnce(claimOf(1), 1, keyOf(1))).toBe(0);
      expect(await ledger.recall(keyOf(1))).toBeUndefined();
      await ledger.close();
    });

    test('are purged after they expire', async () => {
      const ledger = await place().open();
      await ledger.claimOnce(claimOf(1), 1, keyOf(1));
      expect(await ledger.purge(NOW + 300, [])).toBe(0);
      expect(await ledger.purge(NOW + 301, [])).toBe(1);
      expect(await ledger.purge(NOW + 601, [])).toBe(1);
      await ledger.close();
    });

    test('are rejected after the ledger is closed', async () => {
      const ledger = await place().open();
      await ledger.close();
      expect(await ledger.claimOnce(claimOf(1), 1, keyOf(1)).catch(() => 'rejected')).toBe('rejected');
      expect(await ledger.recall(keyOf(1)).catch(() => 'rejected')).toBe('rejected');
      expect(ledger.isHealthy()).toBe(false);
    });
  });
}
