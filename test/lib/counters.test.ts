import { expect, test } from 'bun:test';
import { createHistogram, sumHistograms } from '../../src/lib/counters.ts';

test('a histogram counts each value in the first range whose upper bound is not smaller', () => {
  const { observe, read } = createHistogram([1, 2, 4]);
  for (const value of [0, 1, 1.5, 2, 3, 5, 100]) observe(value);
  const { bounds, counts, sum } = read();
  expect(bounds).toEqual([1, 2, 4]);
  expect([...Array.from(counts)]).toEqual([2, 2, 1, 2]);
  expect(sum).toBe(112.5);
});

test('a histogram without observations has zeros', () => {
  const { counts, sum } = createHistogram([1]).read();
  expect([Array.from(counts), sum]).toEqual([[0, 0], 0]);
});

test('histograms with the same bounds can be added', () => {
  const [a, b] = [createHistogram([1, 2]), createHistogram([1, 2])];
  for (const value of [0.5, 3]) a.observe(value);
  for (const value of [0.25, 1.5]) b.observe(value);
  const { bounds, counts, sum } = sumHistograms([a.read(), b.read()]);
  expect([bounds, Array.from(counts), sum]).toEqual([[1, 2], [2, 1, 1], 5.25]);
  expect(Array.from(a.read().counts)).toEqual([1, 0, 1]);
});
