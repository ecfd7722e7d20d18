import { expect, test } from 'bun:test';
import { createTally } from '../../src/lib/tally.ts';

const byKey = (key: number) => key;

test('a tally adds the amounts of a key until they are taken', () => {
  const tally = createTally(byKey);
  for (const [key, amount] of [
    [1, 2],
    [2, 1],
    [1, 0.5],
  ] as const) {
    tally.add(key, amount);
  }
  expect([...tally.take(10)]).toEqual([
    [1, 2.5],
    [2, 1],
  ]);
  expect([...tally.take(10)]).toEqual([]);
});

test('if there are too many keys, those with the highest rank remain', () => {
  const tally = createTally(byKey);
  for (const key of [5, 1, 9, 3, 7]) tally.add(key, 1);
  expect([...tally.take(3).keys()].toSorted()).toEqual([5, 7, 9]);
});

test('if many keys have the same rank, exactly the maximum remains', () => {
  const tally = createTally((key) => (key === 4 ? 1 : 0));
  for (let key = 0; key < 10; key++) tally.add(key, 1);
  const keys = [...tally.take(3).keys()];
  expect(keys).toHaveLength(3);
  expect(keys).toContain(4);
});

test('a full tally drops the amounts of new keys, but not of known ones', () => {
  const tally = createTally(byKey);
  for (let key = 0; key < 20_000; key++) tally.add(key, 1);
  tally.add(0, 1);
  const taken = tally.take(100_000);
  expect(taken.size).toBe(16_384);
  expect(taken.get(0)).toBe(2);
  expect(taken.has(19_999)).toBe(false);
});
