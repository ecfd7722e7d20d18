import { expect, test } from 'bun:test';
import { runSteps } from '../../src/lib/pacer.ts';
import { sortIndexes } from '../../src/lib/sortIndexes.ts';

test('indexes are sorted like the items, and equal items keep their order', () => {
  for (const count of [0, 1, 2, 511, 512, 513, 1024, 5000]) {
    const items = Array.from({ length: count }, (_, index) => (index * 7919) % 331);
    const compare = (a: number, b: number) => (items[a] as number) - (items[b] as number);
    const expected = [...items.keys()].sort(compare);
    expect([...runSteps(sortIndexes(count, compare))]).toEqual(expected);
  }
});

test('sorting 20,000 items takes many steps', () => {
  let steps = 0;
  for (const _ of sortIndexes(20_000, (a, b) => b - a)) steps++;
  expect(steps).toBeGreaterThan(100);
});
