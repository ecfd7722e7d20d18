import { describe, expect, test } from 'bun:test';
import { createMovedPuzzles } from '../../src/storage/sqlite/ledger/movedPuzzles.ts';
import { createRandom } from '../support/random.ts';

/** Maximum number of puzzles in a filter that is full. */
const CAPACITY = 1000;
const expirationIn = (key: string) => key.charCodeAt(0) * 2 ** 16 + key.charCodeAt(1);

function randomKeys(count: number, expiration: (index: number) => number): string[] {
  const random = createRandom(1);
  return Array.from({ length: count }, (_, i) => {
    const expiresAt = expiration(i);
    const units = Array.from({ length: 4 }, () => random(2 ** 16));
    return String.fromCharCode(expiresAt >>> 16, expiresAt & 0xffff, ...units);
  });
}

test('every moved puzzle may be in the table, and few others', () => {
  const moved = createMovedPuzzles(expirationIn);
  const keys = randomKeys(40_000, () => 2_000_000_000);
  for (const key of keys.slice(0, 20_000)) moved.add(key);
  expect(keys.slice(0, 20_000).every(moved.mayContain)).toBe(true);
  // Two bits of 2^23 stand for each puzzle, so 0.1 others are expected; one bit would result in 48.
  expect(keys.slice(20_000).filter(moved.mayContain).length).toBeLessThan(10);
});

test('puzzles that expire later than all puzzles in the table are not in it', () => {
  const moved = createMovedPuzzles(expirationIn);
  const [early = '', late = ''] = randomKeys(2, (i) => 1000 + i);
  expect(moved.mayContain(early)).toBe(false);
  moved.reset(1000);
  expect([early, late].map(moved.mayContain)).toEqual([true, false]);
});

/** A key with this id. */
const keyOf = (expiresAt: number, id: number) =>
  String.fromCharCode(expiresAt >>> 16, expiresAt & 0xffff, id, id + 1, id + 2, id + 3);

test('a puzzle that expires later than all that were moved is not in the table, even if another one has its id', () => {
  const moved = createMovedPuzzles(expirationIn);
  moved.add(keyOf(1000, 7));
  expect([1000, 1001].map((expiresAt) => moved.mayContain(keyOf(expiresAt, 7)))).toEqual([true, false]);
});

test('puzzles that were moved before a reset are forgotten, unless they expire before those in the table', () => {
  const moved = createMovedPuzzles(expirationIn);
  moved.add(keyOf(1000, 7));
  moved.reset(0);
  expect(moved.mayContain(keyOf(1000, 7))).toBe(false);
  moved.add(keyOf(500, 8));
  expect([400, 500, 900, 1000].map((expiresAt) => moved.mayContain(keyOf(expiresAt, 8)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  moved.add(keyOf(1000, 9));
  expect([7, 8, 9].map((id) => moved.mayContain(keyOf(1000, id)))).toEqual([false, true, true]);
});

describe('a filter that is full', () => {
  /** @returns a filter to which one puzzle was added as often as it can hold puzzles */
  function createFull() {
    const moved = createMovedPuzzles(expirationIn, CAPACITY);
    for (let i = 0; i < CAPACITY; i++) moved.add(keyOf(1000, 7));
    return moved;
  }
  const containedIn = (moved: ReturnType<typeof createMovedPuzzles>, id: number) =>
    [900, 1000, 1001].map((expiresAt) => moved.mayContain(keyOf(expiresAt, id)));

  test('starts over, and puzzles that expire no later than its own may be in the table', () => {
    const moved = createFull();
    expect(containedIn(moved, 99)).toEqual([false, false, false]);
    moved.add(keyOf(900, 8));
    expect([7, 8, 99].map((id) => containedIn(moved, id))).toEqual(Array(3).fill([true, true, false]));
    moved.add(keyOf(1001, 50));
    expect([containedIn(moved, 50), containedIn(moved, 99)]).toEqual([
      [true, true, true],
      [true, true, false],
    ]);
  });

  test('has room again after a reset', () => {
    const moved = createFull();
    moved.reset(0);
    moved.add(keyOf(1000, 8));
    expect(containedIn(moved, 99)).toEqual([false, false, false]);
  });
});
