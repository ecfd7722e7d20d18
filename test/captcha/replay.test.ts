import { describe, expect, test } from 'bun:test';
import { array, assert, asyncProperty, integer, record } from 'fast-check';
import { createReplayGuard } from '../../src/captcha/replay.ts';
import type { Claim } from '../../src/model/ports.ts';
import { createFakeLedger } from './fakes.ts';

const claimOf = (number: number, expiresAtSeconds = 100): Claim => ({
  puzzleId: Uint8Array.of(number, number >> 8, 0, 0, 0, 0, 0, 255),
  expiresAtSeconds,
});

async function admissions(allowance: number, presentations: number, capacity = 10): Promise<string[]> {
  const guard = createReplayGuard(createFakeLedger(), capacity);
  const all: string[] = [];
  for (let i = 0; i < presentations; i++) all.push(await guard.admit(claimOf(1), allowance));
  return all;
}

describe('the replay guard', () => {
  test.each([
    [1, ['first', 'spent', 'spent', 'spent']],
    [2, ['first', 'repeat', 'spent', 'spent']],
    [1_000_000, ['first', 'repeat', 'repeat', 'repeat']],
  ])('with an allowance of %d', async (allowance, expected) => {
    expect(await admissions(allowance, 4)).toEqual(expected);
  });

  test('admits one of a thousand that come at once', async () => {
    const guard = createReplayGuard(createFakeLedger(), 10);
    const all = await Promise.all(Array.from({ length: 1000 }, () => guard.admit(claimOf(1), 1)));
    expect(all.filter((admission) => admission === 'first')).toHaveLength(1);
    expect(all.filter((admission) => admission === 'spent')).toHaveLength(999);
  });

  test('does not ask the ledger about what it knows to be spent', async () => {
    const ledger = createFakeLedger();
    const guard = createReplayGuard(ledger, 10);
    for (let i = 0; i < 50; i++) await guard.admit(claimOf(1), 1);
    expect(ledger.claims).toBe(1);
  });

  test('remembers the largest count, in whatever order the answers come', async () => {
    const answers = [2, 1];
    const ledger = { ...createFakeLedger(), claim: async () => answers.shift() ?? Number.NaN };
    const guard = createReplayGuard(ledger, 10);
    const admissions = [await guard.admit(claimOf(1), 2), await guard.admit(claimOf(1), 3)];
    expect(admissions).toEqual(['repeat', 'first']);
    expect(await guard.admit(claimOf(1), 2)).toBe('spent');
  });

  test('tells puzzles apart by their id and by their expiration', async () => {
    const guard = createReplayGuard(createFakeLedger(), 10);
    const claims = [claimOf(1), claimOf(2), claimOf(256), claimOf(1, 101), claimOf(1, 1), claimOf(1, 10)];
    for (const claim of claims) expect(await guard.admit(claim, 1)).toBe('first');
    for (const claim of claims) expect(await guard.admit(claim, 1)).toBe('spent');
  });

  test('admits again once the owner has raised the allowance, and not once more than that', async () => {
    const guard = createReplayGuard(createFakeLedger(), 10);
    const given = [];
    for (const allowance of [1, 1, 1, 3, 3, 3, 3]) given.push(await guard.admit(claimOf(1), allowance));
    expect(given).toEqual(['first', 'spent', 'spent', 'repeat', 'repeat', 'spent', 'spent']);
  });

  test('says no at once when the owner has lowered the allowance', async () => {
    const guard = createReplayGuard(createFakeLedger(), 10);
    const given = [];
    for (const allowance of [5, 5, 2, 1]) given.push(await guard.admit(claimOf(1), allowance));
    expect(given).toEqual(['first', 'repeat', 'spent', 'spent']);
  });

  test('says nothing where the ledger cannot count, and counts once it can again', async () => {
    const ledger = createFakeLedger();
    const guard = createReplayGuard(ledger, 10);
    ledger.failure = new Error('disk full');
    await expect(guard.admit(claimOf(1), 1)).rejects.toThrow('disk full');
    ledger.failure = undefined;
    expect(await guard.admit(claimOf(1), 1)).toBe('first');
  });

  test('still refuses what it knows to be spent while the ledger fails', async () => {
    const ledger = createFakeLedger();
    const guard = createReplayGuard(ledger, 10);
    await guard.admit(claimOf(1), 1);
    ledger.failure = new Error('disk full');
    expect(await guard.admit(claimOf(1), 1)).toBe('spent');
  });

  test('gives the same verdicts however little it remembers', async () => {
    const presentation = integer({ min: 0, max: 29 });
    // Each puzzle has an allowance of its own: 1, 2 or 3.
    const runAll = async (puzzles: readonly number[], capacity: number) => {
      const guard = createReplayGuard(createFakeLedger(), capacity);
      const given = [];
      for (const puzzle of puzzles) given.push(await guard.admit(claimOf(puzzle), 1 + (puzzle % 3)));
      return given;
    };
    await assert(
      asyncProperty(array(presentation, { maxLength: 200 }), async (puzzles) => {
        const small = await runAll(puzzles, 10);
        expect(small).toEqual(await runAll(puzzles, 100_000));
        expect(small).toEqual(await runAll(puzzles, 1));
      }),
      { numRuns: 50 },
    );
  });

  test('never admits a puzzle more often than its largest allowance, whatever is forgotten and changed', async () => {
    const step = record({ puzzle: integer({ min: 0, max: 4 }), allowance: integer({ min: 1, max: 4 }) });
    await assert(
      asyncProperty(array(step, { maxLength: 100 }), integer({ min: 1, max: 6 }), async (steps, capacity) => {
        const guard = createReplayGuard(createFakeLedger(), capacity);
        const admitted = new Map<number, number>();
        for (const { puzzle, allowance } of steps) {
          const admission = await guard.admit(claimOf(puzzle), allowance);
          if (admission === 'spent') continue;
          const before = admitted.get(puzzle) ?? 0;
          expect(before).toBeLessThan(allowance);
          expect(admission).toBe(before === 0 ? 'first' : 'repeat');
          admitted.set(puzzle, before + 1);
        }
      }),
      { numRuns: 50 },
    );
  });
});
