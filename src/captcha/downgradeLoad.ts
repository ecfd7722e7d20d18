import { cellsFor, createFlatTable } from '../lib/flatTable.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../lib/time.ts';
import { decay } from './clientLoad.ts';

/** The cells of a row. */
const COLUMN = {
  /** When the row was updated. */
  at: 0,
  /** When the first puzzle was counted. */
  since: 1,
  /** Puzzles in about the last WINDOW. */
  recent: 2,
  /** Those of them that were downgraded. */
  downgraded: 3,
  /** 1 minus the usual share of downgraded puzzles: 0 in a new row. */
  usualRest: 4,
  /** The version of puzzles that the property's kind of work needs. */
  version: 5,
} as const;
const COLUMNS = 6;

/** Recent puzzles decay by a factor of e in this time. */
const WINDOW = 15 * MINUTE;
/** Puzzles that are added to the recent ones, so that a few visitors with old widgets are not a high share of a small number. */
const MIN_RECENT = 40;
/** The usual share is averaged over the time for which the property is known, within these limits, like its usual rate. */
const USUAL_TIME = { min: HOUR, max: 7 * DAY };
/** The least usual share: a few visitors always have old widgets, or browsers that cannot solve newer kinds of puzzles. */
const MIN_USUAL_SHARE = 0.05;
/** The share must be this many times the usual share to have an effect. */
const FAR = 3;

/** @param capacity see createDowngradeLoad @returns the number of cells that its table needs */
export function downgradeCellsFor(capacity: number): number {
  return cellsFor(capacity, COLUMNS);
}

/**
 * Measures, for properties whose kind of work is not BLAKE2b, the share of puzzles that are issued as BLAKE2b because the client announced
 * an older version. docs/explanation/difficulty.md has the formula and the reason for each constant.
 *
 * A property in a full set of eight replaces the one that was used the longest ago.
 *
 * @param cells as many as downgradeCellsFor returns, for the maximum number of properties; 56 bytes each. Threads that share them call all
 *   functions with the same lock.
 */
export function createDowngradeLoad(cells: Float64Array) {
  const table = createFlatTable({ cells, columns: COLUMNS, rankOf: (row) => cells[row] as number });

  function shareIn(row: number): number {
    return (cells[row + COLUMN.downgraded] as number) / ((cells[row + COLUMN.recent] as number) + MIN_RECENT);
  }

  /**
   * Averages the share over time, and not over puzzles, so that a larger flood does not become usual sooner. A period without puzzles
   * counts as at most one window.
   */
  function learnUsual(row: number, elapsed: number, now: Instant): void {
    const known = now - (cells[row + COLUMN.since] as number);
    const time = Math.min(Math.max(known, USUAL_TIME.min), USUAL_TIME.max);
    const left = decay(Math.min(elapsed, WINDOW) / time);
    const rest = cells[row + COLUMN.usualRest] as number;
    cells[row + COLUMN.usualRest] = rest * left + (1 - shareIn(row)) * (1 - left);
  }

  /** Finds the row of a property, or creates one, and lets its counts decay until now. */
  function rowAt(property: number, now: Instant): number {
    const row = table.row(property);
    const at = cells[row + COLUMN.at] as number;
    if (at === 0) cells[row + COLUMN.since] = now;
    else {
      const elapsed = Math.max(0, now - at);
      learnUsual(row, elapsed, now);
      const left = decay(elapsed / WINDOW);
      cells[row + COLUMN.recent] = (cells[row + COLUMN.recent] as number) * left;
      cells[row + COLUMN.downgraded] = (cells[row + COLUMN.downgraded] as number) * left;
    }
    cells[row + COLUMN.at] = now;
    return row;
  }

  /** Another kind of work has another usual share, which must be learned again. */
  function forgetOtherVersion(row: number, version: number, now: Instant): void {
    if (cells[row + COLUMN.version] === version) return;
    cells.fill(0, row, row + COLUMNS);
    cells[row + COLUMN.at] = now;
    cells[row + COLUMN.since] = now;
    cells[row + COLUMN.version] = version;
  }

  return {
    /** Whether puzzles of a property were counted. */
    has: (property: number): boolean => table.peek(property) >= 0,
    /**
     * Returns how far the share of downgraded puzzles is above FAR times the usual share, as a multiple of it, and then adds puzzles.
     *
     * @param puzzles all puzzles, at least 0; a fraction for clients with a load
     * @param downgraded those of them that were downgraded
     * @param version the version of puzzles that the property's kind of work needs; undefined if it is not known
     * @returns 0 to 5.7
     */
    add(property: number, puzzles: number, downgraded: number, now: Instant, version?: number): number {
      const row = rowAt(property, now);
      if (version !== undefined) forgetOtherVersion(row, version, now);
      const usual = Math.max(1 - (cells[row + COLUMN.usualRest] as number), MIN_USUAL_SHARE);
      const excess = Math.max(0, shareIn(row) / (FAR * usual) - 1);
      cells[row + COLUMN.recent] = (cells[row + COLUMN.recent] as number) + puzzles;
      cells[row + COLUMN.downgraded] = (cells[row + COLUMN.downgraded] as number) + downgraded;
      return excess;
    },
  };
}
