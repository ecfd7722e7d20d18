/** Maximum time that claims wait for a larger group, in milliseconds. */
export const MAX_HOLD_MS = 25;
/** Size of one change of the hold time, in milliseconds. */
const STEP_MS = 5;
/** Number of commits whose median is compared with the shortest commit. */
const WINDOW = 16;
/**
 * The database is busy if the median exceeds this multiple of the shortest commit and the allowance, and calm below the second multiple.
 * In between, the hold time does not change.
 */
const BUSY_RATIO = 3;
const CALM_RATIO = 1.5;
/** In milliseconds. A group of 8 claims takes longer than a single claim, and so do some commits on an idle disk. */
const ALLOWANCE_MS = 1;
/** After this number of commits, the shortest duration is raised gradually, because the disk or the network may have become slower. */
const EPOCH = 512;
const FORGETTING = 1.5;
/** Number of calm windows before the hold time decreases, at first and at most. */
const [MIN_PATIENCE, MAX_PATIENCE] = [4, 256];

/**
 * Decides from the durations of a node's commits how long claims wait for a larger group. A commit takes longer than the shortest recent one
 * while the database is busy, even if other nodes cause its load. The hold time is 0 as long as the database responds as fast as usual.
 *
 * Holding claims can relieve the database so much that it seems calm. If the hold time increases again after it has decreased, the
 * next decrease needs twice as many calm windows, so the hold time changes less and less often instead of oscillating.
 */
export function createHoldTime() {
  const window = new Float64Array(WINDOW);
  let filled = 0;
  let commits = 0;
  let shortest = Number.POSITIVE_INFINITY;
  let shortestOfEpoch = Number.POSITIVE_INFINITY;
  let hold = 0;
  let calmWindows = 0;
  let patience = MIN_PATIENCE;
  let hasDecreased = false;

  function forget(): void {
    shortest = Math.max(shortest, Math.min(shortestOfEpoch, shortest * FORGETTING));
    shortestOfEpoch = Number.POSITIVE_INFINITY;
    commits = 0;
  }

  function increase(): void {
    calmWindows = 0;
    if (hasDecreased) patience = Math.min(2 * patience, MAX_PATIENCE);
    hasDecreased = false;
    hold = Math.min(hold + STEP_MS, MAX_HOLD_MS);
  }

  function relax(): void {
    if (++calmWindows < patience) return;
    calmWindows = 0;
    // It has been calm without holding claims, so the load has ended.
    if (hold === 0) {
      patience = MIN_PATIENCE;
      hasDecreased = false;
    } else {
      hold -= STEP_MS;
      hasDecreased = true;
    }
  }

  function decide(): void {
    const median = window.toSorted()[WINDOW / 2] as number;
    if (median > BUSY_RATIO * shortest + ALLOWANCE_MS) increase();
    else if (median < CALM_RATIO * shortest + ALLOWANCE_MS) relax();
    else calmWindows = 0;
  }

  return {
    /** Records a commit. @param milliseconds its duration, without the wait for a connection */
    observe(milliseconds: number): void {
      shortest = Math.min(shortest, milliseconds);
      shortestOfEpoch = Math.min(shortestOfEpoch, milliseconds);
      if (++commits === EPOCH) forget();
      window[filled++] = milliseconds;
      if (filled < WINDOW) return;
      filled = 0;
      decide();
    },
    /** How long claims wait for a larger group although a connection is free, in milliseconds: 0 to MAX_HOLD_MS. */
    milliseconds: (): number => hold,
  };
}

export type HoldTime = ReturnType<typeof createHoldTime>;
