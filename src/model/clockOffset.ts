/** A measured difference between two clocks, in milliseconds. */
export type ClockOffset = {
  /** The time of this machine minus the time of the database. */
  readonly offsetMs: number;
  /** The largest error of `offsetMs`; at least 0. */
  readonly uncertaintyMs: number;
};

/** Puzzles, sessions, and codes tolerate differences between the clocks of nodes up to this limit. */
export const CLOCK_OFFSET_MAX_MS = 2000;

/** @returns whether the clocks differ by more than the limit, however large the error of the measurement is */
export function differsBy({ offsetMs, uncertaintyMs }: ClockOffset, limitMs: number): boolean {
  return Math.abs(offsetMs) - uncertaintyMs > limitMs;
}
