import { describe, expect, test } from 'bun:test';
import { array, assert, asyncProperty, integer, record } from 'fast-check';
import { createReplayGuard } from '../../src/captcha/replay.ts';
import type { Claim } from '../../src/model/ports/replayLedger.ts';
import { createFakeLedger } from './fakes.ts';

const claimOf = (number: number, expiresAtSeconds = 100): Claim => ({
  puzzleId: Uint8Array.of(number, number >> 8, 0, 0, 0, 0, 0, 255),
  expiresAtSeconds,
  keyFingerprint: 1,
});

async function resultsOf(maxCount: number, claims: number): Promise<string[]> {
  const guard = createReplayGuard(createFakeLedger(), 10);
  const results: string[] = [];
  for (let i = 0; i < claims; i++) results.push(await guard.claim(claimOf(1), maxCount));
  return results;
}

describe('the replay guard', () => {
  test.each([
    [1, ['first', 'spent', 'spent', 'spent']],
    [2, ['first', 'repeat', 'spent', 'spent']],
    [1_000_000, ['first', 'repeat', 'repeat', 'repeat']],
  ])('with a maximum of %d', async (maxCount, expected) => {
    expect(await resultsOf(maxCount, 4)).toEqual(expected);
  });

  test('accepts one of a thousand simultaneous claims', async () => {
    const guard = createReplayGuard(createFakeLedger(), 10);
    const all = await Promise.all(Array.from({ length: 1000 }, () => guard.claim(claimOf(1), 1)));
    expect(all.filter((result) => result === 'first')).toHaveLength(1);
    expect(all.filter((result) => result === 'spent')).toHaveLength(999);
  });

  test('does not query the ledger for a puzzle that is known to be spent', async () => {
    const ledger = createFakeLedger();
    const guard = createReplayGuard(ledger, 10);
    for (let i = 0; i < 50; i++) await guard.claim(claimOf(1), 1);
    expect(ledger.claims).toBe(1);
  });

  test('caches the largest count, regardless of the order of results', async () => {
    const counts = [2, 1];
    const ledger = { ...createFakeLedger(), claim: async () => counts.shift() ?? Number.NaN };
    const guard = createReplayGuard(ledger, 10);
    const results = [await guard.claim(claimOf(1), 2), await guard.claim(claimOf(1), 3)];
    expect(results).toEqual(['repeat', 'first']);
    expect(await guard.claim(claimOf(1), 2)).toBe('spent');
  });

  test('distinguishes puzzles by id and by expiration', async () => {
    const guard = createReplayGuard(createFakeLedger(), 10);
    const claims = [claimOf(1), claimOf(2), claimOf(256), claimOf(1, 101), claimOf(1, 1), claimOf(1, 10)];
    for (const claim of claims) expect(await guard.claim(claim, 1)).toBe('first');
    for (const claim of claims) expect(await guard.claim(claim, 1)).toBe('spent');
  });

  test('accepts further claims up to the new maximum after the owner raises it', async () => {
    const guard = createReplayGuard(createFakeLedger(), 10);
    const results = [];
    for (const maxCount of [1, 1, 1, 3, 3, 3, 3]) results.push(await guard.claim(claimOf(1), maxCount));
    expect(results).toEqual(['first', 'spent', 'spent', 'repeat', 'repeat', 'spent', 'spent']);
  });

  test('rejects claims above the new maximum after the owner lowers it', async () => {
    const guard = createReplayGuard(createFakeLedger(), 10);
    const results = [];
    for (const maxCount of [5, 5, 2, 1]) results.push(await guard.claim(claimOf(1), maxCount));
    expect(results).toEqual(['first', 'repeat', 'spent', 'spent']);
  });

  test('does not accept a puzzle whose claims were purged, and does not cache it', async () => {
    const counts = [0, 1];
    const ledger = { ...createFakeLedger(), claim: async () => counts.shift() ?? Number.NaN };
    const guard = createReplayGuard(ledger, 10);
    expect(await guard.claim(claimOf(1), 2)).toBe('purged');
    expect(await guard.claim(claimOf(1), 2)).toBe('first');
  });

  test('fails while the ledger fails, and counts again after it recovers', async () => {
    const ledger = createFakeLedger();
    const guard = createReplayGuard(ledger, 10);
    ledger.failure = new Error('disk full');
    await expect(guard.claim(claimOf(1), 1)).rejects.toThrow('disk full');
    ledger.failure = undefined;
    expect(await guard.claim(claimOf(1), 1)).toBe('first');
  });

  test('rejects a puzzle that is known to be spent even while the ledger fails', async () => {
    const ledger = createFakeLedger();
    const guard = createReplayGuard(ledger, 10);
    await guard.claim(claimOf(1), 1);
    ledger.failure = new Error('disk full');
    expect(await guard.claim(claimOf(1), 1)).toBe('spent');
  });

  test('returns the same results for any cache capacity', async () => {
    const puzzle = integer({ min: 0, max: 29 });
    // The maximum depends on the puzzle: 1, 2, or 3.
    const runAll = async (puzzles: readonly number[], capacity: number) => {
      const guard = createReplayGuard(createFakeLedger(), capacity);
      const results = [];
      for (const puzzle of puzzles) results.push(await guard.claim(claimOf(puzzle), 1 + (puzzle % 3)));
      return results;
    };
    await assert(
      asyncProperty(array(puzzle, { maxLength: 200 }), async (puzzles) => {
        const small = await runAll(puzzles, 10);
        expect(small).toEqual(await runAll(puzzles, 100_000));
        expect(small).toEqual(await runAll(puzzles, 1));
      }),
      { numRuns: 50 },
    );
  });

  test('never accepts a puzzle more often than its maximum, regardless of evictions and changes', async () => {
    const step = record({ puzzle: integer({ min: 0, max: 4 }), maxCount: integer({ min: 1, max: 4 }) });
    await assert(
      asyncProperty(array(step, { maxLength: 100 }), integer({ min: 1, max: 6 }), async (steps, capacity) => {
        const guard = createReplayGuard(createFakeLedger(), capacity);
        const accepted = new Map<number, number>();
        for (const { puzzle, maxCount } of steps) {
          const result = await guard.claim(claimOf(puzzle), maxCount);
          if (result === 'spent') continue;
          const before = accepted.get(puzzle) ?? 0;
          expect(before).toBeLessThan(maxCount);
          expect(result).toBe(before === 0 ? 'first' : 'repeat');
          accepted.set(puzzle, before + 1);
        }
      }),
      { numRuns: 50 },
    );
  });
});
