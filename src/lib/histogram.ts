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
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  const last = bounds.length;
  let sum = 0;
  return {
    observe(value) {
      let at = 0;
      while (at < last && value > (bounds[at] as number)) at++;
      counts[at] = (counts[at] as number) + 1;
      sum += value;
    },
    read: () => ({ bounds, counts, sum }),
  };
}
