/** Amounts by key since the last call of `take`. */
export type Tally = {
  /** If the tally is full, the amount of a new key is dropped. */
  readonly add: (key: number, amount: number) => void;
  /** Adds amounts that another thread has collected. */
  readonly collect: (amounts: ReadonlyMap<number, number>) => void;
  /** Removes all amounts, and returns those of the `max` keys with the highest rank. */
  readonly take: (max: number) => ReadonlyMap<number, number>;
};

/** Maximum number of keys. */
const CAPACITY = 16_384;

/** @param rankOf the rank of a key; called only if more than `max` keys have an amount */
export function createTally(rankOf: (key: number, amount: number) => number): Tally {
  let amounts = new Map<number, number>();

  function add(key: number, amount: number): void {
    const known = amounts.get(key);
    if (known !== undefined) amounts.set(key, known + amount);
    else if (amounts.size < CAPACITY) amounts.set(key, amount);
  }

  return {
    add,
    collect(collected) {
      for (const [key, amount] of collected) add(key, amount);
    },
    take(max) {
      const taken = amounts;
      amounts = new Map();
      return taken.size <= max ? taken : highest(taken, max, rankOf);
    },
  };
}

/** Returns the `max` entries with the highest rank. Sorting numbers takes a quarter of the time of sorting entries. */
function highest(
  amounts: ReadonlyMap<number, number>,
  max: number,
  rankOf: (key: number, amount: number) => number,
): Map<number, number> {
  const ranks = Float64Array.from(amounts, ([key, amount]) => rankOf(key, amount));
  const sorted = ranks.toSorted();
  const threshold = sorted[sorted.length - max] as number;
  let ties = max - (sorted.length - 1 - sorted.lastIndexOf(threshold));
  const kept = new Map<number, number>();
  let index = 0;
  for (const [key, amount] of amounts) {
    const rank = ranks[index++] as number;
    if (rank > threshold || (rank === threshold && ties-- > 0)) kept.set(key, amount);
  }
  return kept;
}
