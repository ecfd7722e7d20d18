import type { Instant } from '../lib/time.ts';

/**
 * A bounded table of networks in one flat array of numbers, which needs no garbage collection and no allocation per request, and which
 * threads could share. A network is an integer, 0..2^53 - 2, that is random in its low 32 bits, such as a keyed hash.
 */
export type ClientTable = {
  /** Contains the cells of all rows: four numbers per row, see COLUMN. */
  readonly cells: Float64Array;
  /**
   * Finds the row of a network, or creates one with zeros. A new network replaces the one in its set that was updated the longest ago, where
   * each recent puzzle counts as a minute. A flood of networks with one puzzle each therefore replaces itself, and not the busy ones.
   *
   * @returns the index of its first cell
   */
  readonly row: (network: number, now: Instant) => number;
  /** @returns the index of the first cell of a network's row; -1 if it has none */
  readonly peek: (network: number) => number;
};

/** The cells of a row. */
export const COLUMN = {
  /** When the row was updated. */
  at: 0,
  /** Puzzles that were not verified. */
  open: 1,
  /** Puzzles that were verified. */
  verified: 2,
  /** All puzzles in about an hour. */
  recent: 3,
} as const;

const COLUMNS = 4;
/** A set is eight keys, which fill one cache line, and their rows. */
const WAYS = 8;
const SET_SIZE = WAYS + WAYS * COLUMNS;
/** One recent puzzle protects a row for this long. */
const PUZZLE_AGE_MS = 60_000;

/** @param capacity number of rows, rounded up to eight times a power of two; 40 bytes each */
export function createClientTable(capacity: number): ClientTable {
  const sets = 2 ** Math.ceil(Math.log2(Math.max(capacity, WAYS) / WAYS));
  // Keys are networks plus one, so that 0 means an empty row.
  const cells = new Float64Array(sets * SET_SIZE);
  const mask = sets - 1;

  /** @returns the number in its set of the row that a new network replaces */
  function victimIn(rows: number): number {
    let victim = 0;
    let lowest = Number.POSITIVE_INFINITY;
    for (let way = 0; way < WAYS; way++) {
      const row = rows + way * COLUMNS;
      const rank =
        (cells[row + COLUMN.at] as number) + PUZZLE_AGE_MS * (cells[row + COLUMN.recent] as number);
      if (rank < lowest) {
        lowest = rank;
        victim = way;
      }
    }
    return victim;
  }

  function peek(network: number): number {
    const first = ((network >>> 0) & mask) * SET_SIZE;
    const key = network + 1;
    for (let way = 0; way < WAYS; way++) {
      if (cells[first + way] === key) return first + WAYS + way * COLUMNS;
    }
    return -1;
  }

  return {
    cells,
    peek,
    row(network, now) {
      const found = peek(network);
      if (found >= 0) return found;
      const first = ((network >>> 0) & mask) * SET_SIZE;
      const victim = victimIn(first + WAYS);
      const row = first + WAYS + victim * COLUMNS;
      cells[first + victim] = network + 1;
      cells[row + COLUMN.at] = now;
      cells[row + COLUMN.open] = 0;
      cells[row + COLUMN.verified] = 0;
      cells[row + COLUMN.recent] = 0;
      return row;
    },
  };
}
