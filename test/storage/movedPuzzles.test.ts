import { expect, test } from 'bun:test';
import { createMovedPuzzles } from '../../src/storage/sqlite/ledger/movedPuzzles.ts';
import { createRandom } from '../support/random.ts';

/** Maximum number of puzzles in the filter. */
const CAPACITY = 2 ** 20;
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
  expect(keys.slice(20_000).filter(moved.mayContain).length).toBeLessThan(1000);
});

test('puzzles that expire later than all puzzles in the table are not in it', () => {
  const moved = createMovedPuzzles(expirationIn);
  const [early = '', late = ''] = randomKeys(2, (i) => 1000 + i);
  expect(moved.mayContain(early)).toBe(false);
  moved.reset(1000);
  expect([early, late].map(moved.mayContain)).toEqual([true, false]);
});

test('a filter that is full starts over, and puzzles that expire no later than its own may be in the table', () => {
  const moved = createMovedPuzzles(expirationIn);
  const keys = randomKeys(CAPACITY + 1, (i) => (i < CAPACITY ? 1000 + (i % 7) : 900));
  for (const key of keys) moved.add(key);
  expect(keys.every(moved.mayContain)).toBe(true);
  const others = randomKeys(1000, (i) => (i < 500 ? 1006 : 1007));
  expect(others.map(moved.mayContain)).toEqual(others.map((_, i) => i < 500));
});
