import { describe, expect, test } from 'bun:test';
import { createHashwxWorkCheck } from '../../src/captcha/hashwxCheck.ts';
import { createPuzzleFailures } from '../../src/captcha/puzzleFailures.ts';
import type { Awaitable } from '../../src/lib/awaitable.ts';
import type { CheckSolutions } from '../../src/puzzle/check.ts';
import { parsePuzzle, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';

/** A check whose result the test sets. */
function open(
  failures = createPuzzleFailures(),
  opened = (verify: CheckSolutions): Awaitable<CheckSolutions> => verify,
) {
  const state = { isValid: true, hashed: 0, counted: [] as string[] };
  const verify: CheckSolutions = (_, block, threshold) => {
    expect([block.length, block[0], threshold]).toEqual([128, 3, 2 ** 29 - 1]);
    state.hashed++;
    return state.isValid;
  };
  const check = createHashwxWorkCheck({
    open: () => opened(verify),
    failures,
    count: (result) => state.counted.push(result),
  });
  return { state, check };
}

/** @param id the first byte of the puzzle id, which is the start of its key */
function payloadOf(id: number, rest = 1) {
  const puzzleBytes = toPuzzleBytes({
    version: 3,
    challenge: 'hashwx',
    propertyId: new Uint8Array(16),
    puzzleId: Uint8Array.of(id & 0xff, id >> 8, 0, 0, 0, 0, 0, rest),
    difficulty: 24,
    solutionCount: 8,
    expiresAtSeconds: 1_800_000_000,
    userData: new Uint8Array(16),
  });
  const puzzle = parsePuzzle(puzzleBytes);
  if (puzzle === undefined) throw new Error('not a puzzle');
  return { puzzle, puzzleBytes, solutions: new Uint8Array(64) };
}

describe('the check of HashWX solutions', () => {
  test('rejects a puzzle without hashing after three wrong payloads, even with a right one', () => {
    const { state, check } = open();
    state.isValid = false;
    for (let n = 0; n < 3; n++) expect(check(payloadOf(1))).toBe(false);
    state.isValid = true;
    expect(check(payloadOf(1))).toBe(false);
    expect(check(payloadOf(1))).toBe(false);
    expect(state.hashed).toBe(3);
    expect(check(payloadOf(2))).toBe(true);
    expect(state.counted).toEqual(['invalid', 'invalid', 'invalid', 'blocked', 'blocked', 'valid']);
  });

  test('rejects a puzzle after three wrong payloads that arrived before the kernel was open', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { state, check } = open(createPuzzleFailures(), (verify) => promise.then(() => verify));
    state.isValid = false;
    const checks = Array.from({ length: 9 }, () => check(payloadOf(1)));
    expect(state.hashed).toBe(0);
    resolve();
    expect(await Promise.all(checks)).toEqual(Array(9).fill(false));
    expect(state.hashed).toBe(3);
  });

  test('accepts a right payload after two wrong ones', () => {
    const { state, check } = open();
    state.isValid = false;
    for (let n = 0; n < 2; n++) expect(check(payloadOf(1))).toBe(false);
    state.isValid = true;
    for (let n = 0; n < 5; n++) expect(check(payloadOf(1))).toBe(true);
  });

  test('counts the wrong payloads of all threads', () => {
    const buffer = new SharedArrayBuffer(1_000_000);
    const threads = [1, 2].map(() => open(createPuzzleFailures(() => buffer)));
    for (const { state } of threads) state.isValid = false;
    for (const { check } of [...threads, ...threads]) void check(payloadOf(1));
    expect(threads.map(({ state }) => state.hashed)).toEqual([2, 1]);
  });

  test('remembers a bounded number of puzzles, and forgets those that expire first', () => {
    const failures = createPuzzleFailures();
    const { state, check } = open(failures);
    state.isValid = false;
    const early = payloadOf(7);
    const first = { ...early, puzzle: { ...early.puzzle, expiresAtSeconds: 1 } };
    for (let n = 0; n < 3; n++) void check(first);
    expect(failures.isBlocked(first.puzzle)).toBe(true);
    // Eight more puzzles whose keys belong to the same set.
    for (let n = 2; n <= 9; n++)
      void check({ ...early, puzzle: { ...early.puzzle, puzzleId: Uint8Array.of(7, 0, 0, 0, n) } });
    expect(failures.isBlocked(first.puzzle)).toBe(false);
  });
});
