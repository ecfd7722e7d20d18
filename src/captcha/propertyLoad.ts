import { cellsFor, createFlatTable } from '../lib/flatTable.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../lib/time.ts';
import { decay } from './clientLoad.ts';

/** The cells of a row. */
const COLUMN = {
  /** When the row was updated. */
  at: 0,
  /** Puzzles in the bucket. */
  fill: 1,
  /** Puzzles per millisecond, averaged over up to a week; 0 in a new row. */
  usualRate: 2,
  /** When the property's first puzzle was counted. */
  since: 3,
} as const;
const COLUMNS = 4;

/**
 * The usual rate is averaged over the time for which the property is known, within these limits. Long enough that an attack of hours does
 * not become usual, and that every hour of the week is a part of it.
 */
const USUAL_TIME = { min: HOUR, max: 7 * DAY };
/** A property's bucket leaks at four times the usual rate, because busy hours have two to three times the usual traffic. */
const LEAK_FACTOR = 4;
/** Its fill is a multiple of the usual traffic in this window. */
const WINDOW = 5 * MINUTE;
/** Maximum fill: it is empty 15 minutes after an attack. */
const MAX_FILL = 12;
/** Minimum usual rate, so that the first visitors of a rarely used property do not count as a surge. */
const MIN_USUAL_RATE = 1 / (6 * SECOND);

/** @param capacity see createPropertyLoad @returns the number of cells that its table needs */
export function propertyCellsFor(capacity: number): number {
  return cellsFor(capacity, COLUMNS);
}

/**
 * Measures the load of properties. docs/explanation/difficulty.md has the reason for each constant.
 *
 * A new property in a full set of eight replaces the one that was used the longest ago. Ids are consecutive, so none is replaced while the
 * ids are below the capacity.
 *
 * @param cells as many as propertyCellsFor returns, for the maximum number of properties; 40 bytes each. Threads that share them call all
 *   functions with the same lock.
 */
export function createPropertyLoad(cells: Float64Array) {
  const table = createFlatTable({ cells, columns: COLUMNS, rankOf: (row) => cells[row] as number });

  /** @returns the current fill in puzzles */
  function fillAt(row: number, now: Instant): number {
    const elapsed = now - (cells[row + COLUMN.at] as number);
    const leaked = elapsed * LEAK_FACTOR * (cells[row + COLUMN.usualRate] as number);
    return Math.max(0, (cells[row + COLUMN.fill] as number) - leaked);
  }

  /**
   * An exponentially weighted moving average of an event rate: it decays with the time since the last event, and each event adds
   * 1 / time, so that the average of a constant rate is that rate.
   */
  function usualRateAfter(row: number, events: number, now: Instant): number {
    const known = now - (cells[row + COLUMN.since] as number);
    const time = Math.min(Math.max(known, USUAL_TIME.min), USUAL_TIME.max);
    const left = decay((now - (cells[row + COLUMN.at] as number)) / time);
    return Math.max(MIN_USUAL_RATE, (cells[row + COLUMN.usualRate] as number) * left + events / time);
  }

  return {
    /** @returns the row of a property; -1 if it is not in memory */
    peek: table.peek,
    /** Finds the row of a property, or creates one. */
    row(property: number, now: Instant): number {
      const row = table.row(property);
      if (cells[row + COLUMN.usualRate] === 0) {
        cells[row + COLUMN.at] = now;
        cells[row + COLUMN.since] = now;
        cells[row + COLUMN.usualRate] = MIN_USUAL_RATE;
      }
      return row;
    },
    /** @returns the current fill of the bucket in a row, as a multiple of the usual traffic in five minutes; 0 for row -1 */
    signal(row: number, now: Instant): number {
      const usualRate = row < 0 ? 0 : (cells[row + COLUMN.usualRate] as number);
      return usualRate === 0 ? 0 : fillAt(row, now) / (usualRate * WINDOW);
    },
    /** Adds puzzles to a row. */
    add(row: number, puzzles: number, now: Instant): void {
      const fill = fillAt(row, now) + puzzles;
      const usualRate = usualRateAfter(row, puzzles, now);
      cells[row + COLUMN.at] = now;
      cells[row + COLUMN.usualRate] = usualRate;
      cells[row + COLUMN.fill] = Math.min(fill, MAX_FILL * usualRate * WINDOW);
    },
  };
}
