import type { UsageCounter } from './usage.ts';
import { VERDICT_CODES } from './verdict.ts';

/** Counts of the hot path since the start of the process. */
export type CaptchaTotals = {
  readonly puzzles: number;
  /** Number of verdicts by code. */
  readonly accepted: ArrayLike<number>;
  readonly rejected: ArrayLike<number>;
};

/** Counts all puzzles and verdicts, and forwards them. */
export function createCaptchaTotals(
  next: UsageCounter,
): UsageCounter & { readonly read: () => CaptchaTotals } {
  const codes = Object.keys(VERDICT_CODES).length;
  const accepted = new Float64Array(codes);
  const rejected = new Float64Array(codes);
  let puzzles = 0;
  return {
    countPuzzle(property, now) {
      puzzles++;
      next.countPuzzle(property, now);
    },
    countVerdict(verdict, property, metadata) {
      const counts = verdict.success ? accepted : rejected;
      const code = VERDICT_CODES[verdict.name];
      counts[code] = (counts[code] as number) + 1;
      next.countVerdict(verdict, property, metadata);
    },
    read: () => ({ puzzles, accepted, rejected }),
  };
}
