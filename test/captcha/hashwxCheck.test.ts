import { describe, expect, test } from 'bun:test';
import { createHashwxWorkCheck, HASHWX_RESULTS } from '../../src/captcha/hashwxCheck.ts';
import { createPuzzleFailures } from '../../src/captcha/puzzleFailures.ts';
import type { Awaitable } from '../../src/lib/awaitable.ts';
import { createCounters } from '../../src/lib/counters.ts';
import type { CheckSolutions } from '../../src/puzzle/check.ts';
import { parsePuzzle, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';

/** A check whose result the test sets. */
function open(
  failures = createPuzzleFailures(),
  opened = (verify: CheckSolutions): Awaitable<CheckSolutions> => verify,
) {
  const state = { isValid: true, hashed: 0 };
  const counters = createCounters(HASHWX_RESULTS);
  const verify: CheckSolutions = (_, block, threshold) => {
    expect([block.length, block[0], threshold]).toEqual([128, 3, 2 ** 29 - 1]);
    state.hashed++;
    return state.isValid;
  };
  const check = createHashwxWorkCheck({
    open: () => opened(verify),
    failures,
    count: counters.add,
  });
  return { state, check, counted: () => Object.fromEntries(counters.read()) };
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
    const { state, check, counted } = open();
    state.isValid = false;
    for (let n = 0; n < 3; n++) expect(check(payloadOf(1))).toBe(false);
    state.isValid = true;
    expect(check(payloadOf(1))).toBe(false);
    expect(check(payloadOf(1))).toBe(false);
    expect(state.hashed).toBe(3);
    expect(check(payloadOf(2))).toBe(true);
    expect(counted()).toEqual({ valid: 1, invalid: 3, blocked: 2 });
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
    const { add, isBlocked } = createPuzzleFailures();
    // The keys belong to the same set, which has room for eight puzzles.
    const puzzles = Array.from({ length: 9 }, (_, n) => ({
      puzzleId: Uint8Array.of(1, 0, 0, 0, n, 0, 0, 0),
      expiresAtSeconds: n === 4 ? 1 : 1_800_000_000,
    }));
    for (const puzzle of puzzles.slice(0, 8)) for (let n = 0; n < 3; n++) add(puzzle);
    expect(puzzles.map(isBlocked)).toEqual(puzzles.map((_, n) => n < 8));
    for (const puzzle of puzzles.slice(8)) for (let n = 0; n < 3; n++) add(puzzle);
    expect(puzzles.map(isBlocked)).toEqual(puzzles.map((_, n) => n !== 4));
  });

  test('distinguishes puzzles by 52 bits of their ids', () => {
    const { add, isBlocked } = createPuzzleFailures();
    const puzzleId = new Uint8Array(8).fill(0xff);
    for (let n = 0; n < 3; n++) add({ puzzleId, expiresAtSeconds: 1_800_000_000 });
    for (let bit = 0; bit < 52; bit++) {
      const other = puzzleId.slice();
      other[bit >> 3] = 0xff ^ (1 << (bit & 7));
      expect(isBlocked({ puzzleId: other })).toBe(false);
    }
    expect(isBlocked({ puzzleId })).toBe(true);
  });
});
