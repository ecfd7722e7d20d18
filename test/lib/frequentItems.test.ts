import { expect, test } from 'bun:test';
import { countFrequent, type FrequentItem, mergeFrequent } from '../../src/lib/frequentItems.ts';
import { createRandom } from '../support/random.ts';

const CAPACITY = 16;

type Counted = { readonly key: string; readonly weight: number; readonly isMarked: boolean };

/** A stream in which few values are frequent, and thousands are rare. */
function streamOf(seed: number, length = 5000): readonly Counted[] {
  const random = createRandom(seed);
  return Array.from({ length }, () => ({
    key: random(3) === 0 ? `rare ${random(4000)}` : `frequent ${Math.min(random(12), random(12))}`,
    weight: 1 + random(4),
    isMarked: random(3) === 0,
  }));
}

function countAll(stream: readonly Counted[]): readonly FrequentItem[] {
  const items: FrequentItem[] = [];
  for (const one of stream) countFrequent(items, CAPACITY, one);
  return items;
}

function trueCounts(
  stream: readonly Counted[],
  isCounted = (_: Counted) => true,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of stream.filter(isCounted)) counts.set(one.key, (counts.get(one.key) ?? 0) + one.weight);
  return counts;
}

test('up to the capacity, the counts are exact', () => {
  const stream = streamOf(1).map((one, index) => ({ ...one, key: `value ${index % CAPACITY}` }));
  const { items, maxError } = mergeFrequent([countAll(stream)]);
  expect(maxError).toBe(0);
  expect(new Map(items.map(({ key, count }) => [key, count]))).toEqual(new Map(trueCounts(stream)));
  const marked = trueCounts(stream, ({ isMarked }) => isMarked);
  expect(new Map(items.map((item) => [item.key, item.marked]))).toEqual(new Map(marked));
});

test.each([1, 2, 3, 4, 5])('above it, every count is within the stated error (seed %d)', (seed) => {
  const stream = streamOf(seed);
  const total = stream.reduce((sum, { weight }) => sum + weight, 0);
  const counted = countAll(stream);
  expect(counted).toHaveLength(CAPACITY);
  expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(total);
  const { items, maxError } = mergeFrequent([counted]);
  expect(maxError).toBeGreaterThan(0);
  expect(maxError).toBeLessThanOrEqual(total / CAPACITY);
  const least = new Map(items.map((item) => [item.key, item]));
  const marked = trueCounts(stream, ({ isMarked }) => isMarked);
  for (const [key, count] of trueCounts(stream)) {
    const { count: atLeast, marked: markedAtLeast } = least.get(key) ?? { count: 0, marked: 0 };
    expect(atLeast).toBeLessThanOrEqual(count);
    expect(count).toBeLessThanOrEqual(atLeast + maxError);
    expect(markedAtLeast).toBeLessThanOrEqual(marked.get(key) ?? 0);
    if (count > total / CAPACITY) expect(counted.map((item) => item.key)).toContain(key);
  }
});

test('the sum of several streams is within the sum of their errors', () => {
  const streams = [streamOf(6), streamOf(7, 300), streamOf(8, 5)];
  const { items, maxError } = mergeFrequent(streams.map(countAll));
  const least = new Map(items.map(({ key, count }) => [key, count]));
  for (const [key, count] of trueCounts(streams.flat())) {
    expect(least.get(key) ?? 0).toBeLessThanOrEqual(count);
    expect(count).toBeLessThanOrEqual((least.get(key) ?? 0) + maxError);
  }
  const counts = items.map(({ count }) => count);
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
});
