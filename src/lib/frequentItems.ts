/** A value with its count, which is too high by at most `error`. */
export type FrequentItem = {
  key: string;
  count: number;
  error: number;
  /** How much of the count was marked: a lower bound. */
  marked: number;
};

/**
 * Counts a value among the most frequent ones of a stream in bounded memory, with the algorithm Space-Saving (Metwally, Agrawal, and El
 * Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams", ICDT 2005): a new value replaces the one with the
 * lowest count, and inherits this count as its error. With a sum N of all weights and a capacity of k, no error exceeds N/k, and each
 * value with a count above N/k is in the list.
 *
 * @param items changed by the call; a linear search, because a list has at most some dozen items
 * @param capacity maximum number of items
 */
export function countFrequent(
  items: FrequentItem[],
  capacity: number,
  { key, weight, isMarked }: { readonly key: string; readonly weight: number; readonly isMarked: boolean },
): void {
  const item = items.find((one) => one.key === key) ?? makeRoom(items, capacity, key);
  item.count += weight;
  if (isMarked) item.marked += weight;
}

function makeRoom(items: FrequentItem[], capacity: number, key: string): FrequentItem {
  if (items.length < capacity) {
    const added = { key, count: 0, error: 0, marked: 0 };
    items.push(added);
    return added;
  }
  const rarest = items.reduce((least, one) => (one.count < least.count ? one : least));
  return Object.assign(rarest, { key, error: rarest.count, marked: 0 });
}

/**
 * Adds up the counts of several streams (Agarwal et al., "Mergeable Summaries", PODS 2012).
 *
 * @returns the values with lower bounds of their counts, the largest first, without those that have none, and the largest difference
 *   between a true count, also of a value that is missing, and its lower bound
 */
export function mergeFrequent(streams: readonly (readonly FrequentItem[])[]) {
  const least = new Map<string, { count: number; marked: number }>();
  for (const { key, count, error, marked } of streams.flat()) {
    const sum = least.get(key) ?? { count: 0, marked: 0 };
    least.set(key, { count: sum.count + count - error, marked: sum.marked + marked });
  }
  const items = Array.from(least, ([key, sum]) => ({ key, ...sum }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  // As long as no value was replaced, all counts are exact.
  const errors = streams.map((stream) =>
    stream.some(({ error }) => error > 0) ? Math.min(...stream.map(({ count }) => count)) : 0,
  );
  return { items, maxError: errors.reduce((sum, error) => sum + error, 0) };
}
