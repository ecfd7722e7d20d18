/**
 * A bounded table of numbers by key in one flat array, which needs no garbage collection, allocates nothing, and can be in shared memory.
 * Keys are integers, 0..2^53 - 1. A key belongs to a set of eight rows, which its low bits determine (a set-associative cache: Hennessy and
 * Patterson, "Computer Architecture", appendix B), so keys should be random or consecutive in these bits. A new key in a full set replaces
 * the key with the lowest rank.
 */
export type FlatTable = {
  /** Finds the row of a key, or creates one with zeros. @returns the index of its first cell */
  readonly row: (key: number) => number;
  /** @returns the index of the first cell of a key's row; -1 if it has none */
  readonly peek: (key: number) => number;
  /** @returns the number of keys */
  readonly entries: () => number;
  /** Maximum number of keys. */
  readonly capacity: number;
};

export type FlatTableOptions = {
  /** As many cells as `cellsFor` returns. */
  readonly cells: Float64Array;
  /** Numbers per row. */
  readonly columns: number;
  /** Returns the rank of a row; called only to choose the key that a new key replaces. */
  readonly rankOf: (row: number) => number;
};

/** The keys of a set fill one cache line. */
const WAYS = 8;
/** The first cell is the number of keys; the others align the sets. */
const FIRST_SET = 8;
/** Only the bits of a key below this number can determine its set, because converting larger numbers to integers is slow. */
const LOW_BITS = 2 ** 30;

/**
 * @param capacity number of keys, rounded up to eight times a power of two
 * @param columns numbers per row
 * @returns the number of cells: one for each key, and one for each number
 */
export function cellsFor(capacity: number, columns: number): number {
  const sets = 2 ** Math.ceil(Math.log2(Math.max(capacity, WAYS) / WAYS));
  return FIRST_SET + sets * WAYS * (1 + columns);
}

/** @see FlatTable */
export function createFlatTable({ cells, columns, rankOf }: FlatTableOptions): FlatTable {
  const setSize = WAYS * (1 + columns);
  const sets = (cells.length - FIRST_SET) / setSize;
  const mask = sets - 1;
  /** @returns the position in the set of the row with the lowest rank */
  function victimIn(set: number): number {
    let victim = 0;
    let lowest = Number.POSITIVE_INFINITY;
    for (let way = 0; way < WAYS; way++) {
      const rank = rankOf(set + WAYS + way * columns);
      if (rank < lowest) {
        lowest = rank;
        victim = way;
      }
    }
    return victim;
  }

  /** Clears the row first: if the thread ends in the middle, the old key has an empty row, and no key has the row of another. */
  function replace(set: number, way: number, key: number): number {
    const row = set + WAYS + way * columns;
    for (let cell = row; cell < row + columns; cell++) cells[cell] = 0;
    cells[set + way] = key + 1;
    return row;
  }

  /** Keys fill a set in order. @returns the row of a key that is not in its set */
  function insert(set: number, key: number): number {
    for (let way = 0; way < WAYS; way++) {
      if (cells[set + way] !== 0) continue;
      cells[0] = (cells[0] as number) + 1;
      return replace(set, way, key);
    }
    return replace(set, victimIn(set), key);
  }

  return {
    capacity: sets * WAYS,
    entries: () => cells[0] as number,
    peek(key) {
      const set = FIRST_SET + (lowBitsOf(key) & mask) * setSize;
      const way = findIn(cells, set, key);
      return way < 0 ? -1 : set + WAYS + way * columns;
    },
    row(key) {
      const set = FIRST_SET + (lowBitsOf(key) & mask) * setSize;
      const way = findIn(cells, set, key);
      return way < 0 ? insert(set, key) : set + WAYS + way * columns;
    },
  };
}

function lowBitsOf(key: number): number {
  return key - Math.floor(key / LOW_BITS) * LOW_BITS;
}

/** Keys are stored plus one, because 0 means an unused row. @returns the position of a key's row in its set; -1 if it has none */
function findIn(cells: Float64Array, set: number, key: number): number {
  const stored = key + 1;
  for (let way = 0; way < WAYS; way++) {
    if (cells[set + way] === stored) return way;
  }
  return -1;
}
