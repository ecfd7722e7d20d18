import { type Arena, OWN_MEMORY } from './sharedMemory.ts';

/** Counts of events by kind. */
export type Counters<Kind extends string> = {
  readonly add: (kind: Kind, count?: number) => void;
  /** All kinds in the order of their declaration, including those without events. */
  readonly read: () => ReadonlyMap<Kind, number>;
};

/** @param kinds all kinds; their number bounds the memory */
export function createCounters<const Kind extends string>(
  kinds: readonly Kind[],
  { take }: Arena = OWN_MEMORY,
): Counters<Kind> {
  const counts = take(kinds.length);
  return {
    add(kind, count = 1) {
      const at = kinds.indexOf(kind);
      counts[at] = (counts[at] as number) + count;
    },
    read: () => new Map(kinds.map((kind, at) => [kind, counts[at] as number])),
  };
}

/** @returns the sums of counters with the same kinds */
export function sumCounts<Kind extends string | number>(
  readings: readonly ReadonlyMap<Kind, number>[],
): ReadonlyMap<Kind, number> {
  const sums = new Map<Kind, number>();
  for (const reading of readings)
    for (const [kind, count] of reading) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return sums;
}

/** Counts of observations by range. */
export type Histogram = {
  readonly observe: (value: number) => void;
  readonly read: () => HistogramReading;
};

export type HistogramReading = {
  /** The upper bounds of the ranges, inclusive and ascending. */
  readonly bounds: readonly number[];
  /** Number of observations in each range; the last count is for values above all bounds. */
  readonly counts: ArrayLike<number>;
  readonly sum: number;
};

/**
 * Creates a histogram without observations. Observing allocates nothing and compares the value with the bounds in ascending order, so
 * small values are the cheapest.
 *
 * @param bounds ascending
 */
export function createHistogram(bounds: readonly number[], { take }: Arena = OWN_MEMORY): Histogram {
  const counts = take(bounds.length + 1);
  const sum = take(1);
  const last = bounds.length;
  return {
    observe(value) {
      let at = 0;
      while (at < last && value > (bounds[at] as number)) at++;
      counts[at] = (counts[at] as number) + 1;
      sum[0] = (sum[0] as number) + value;
    },
    read: () => ({ bounds, counts, sum: sum[0] as number }),
  };
}

/** @returns the sum of histograms with the same bounds, at least one */
export function sumHistograms(readings: readonly HistogramReading[]): HistogramReading {
  const [first, ...others] = readings;
  if (first === undefined) throw new RangeError('there is no histogram');
  const counts = Float64Array.from(first.counts);
  let { sum } = first;
  for (const other of others) {
    for (let at = 0; at < counts.length; at++) counts[at] = (counts[at] as number) + (other.counts[at] ?? 0);
    sum += other.sum;
  }
  return { bounds: first.bounds, counts, sum };
}
