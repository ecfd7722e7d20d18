import { type Arena, OWN_MEMORY } from '../lib/sharedMemory.ts';
import type { UsageCounter } from './usage.ts';
import { VERDICT_CODES } from './verdict.ts';

/** Counts of the hot path since the start of the process. */
export type CaptchaTotals = {
  readonly puzzles: number;
  /** Number of these puzzles that are BLAKE2b only because the client announced an older version. */
  readonly downgraded: number;
  /** Number of verdicts by code. */
  readonly accepted: ArrayLike<number>;
  readonly rejected: ArrayLike<number>;
};

const CODES = Object.keys(VERDICT_CODES).length;

/** Counts all puzzles and verdicts, and forwards them. */
export function createCaptchaTotals(
  next: UsageCounter,
  { take }: Arena = OWN_MEMORY,
): UsageCounter & { readonly read: () => CaptchaTotals } {
  const accepted = take(CODES);
  const rejected = take(CODES);
  const puzzles = take(2);
  return {
    countPuzzle(property, now, isDowngraded) {
      puzzles[0] = (puzzles[0] as number) + 1;
      if (isDowngraded) puzzles[1] = (puzzles[1] as number) + 1;
      next.countPuzzle(property, now);
    },
    countVerdict(verdict, property, metadata) {
      const counts = verdict.success ? accepted : rejected;
      const code = VERDICT_CODES[verdict.name];
      counts[code] = (counts[code] as number) + 1;
      next.countVerdict(verdict, property, metadata);
    },
    read: () => ({ puzzles: puzzles[0] as number, downgraded: puzzles[1] as number, accepted, rejected }),
  };
}

/** @returns the sums of totals */
export function sumTotals(totals: readonly CaptchaTotals[]): CaptchaTotals {
  const sum = (numberIn: (one: CaptchaTotals) => number) =>
    totals.reduce((total, one) => total + numberIn(one), 0);
  const sumCodes = (countsOf: (one: CaptchaTotals) => ArrayLike<number>) =>
    Float64Array.from({ length: CODES }, (_, code) => sum((one) => countsOf(one)[code] ?? 0));
  return {
    puzzles: sum(({ puzzles }) => puzzles),
    downgraded: sum(({ downgraded }) => downgraded),
    accepted: sumCodes(({ accepted }) => accepted),
    rejected: sumCodes(({ rejected }) => rejected),
  };
}
