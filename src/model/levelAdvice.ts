import { COUNTER, type Counts, countSolveTimes, solveTimeRange, sumOf } from './statistics.ts';

/** The least number of solve times for advice: five of them are above the 95th percentile. */
export const ADVICE_MIN_SAMPLES = 100;

/** Days of solve times that the advice is based on. Their hours are stored for 30 days. */
export const ADVICE_DAYS = 28;

/** Eight levels double the work. */
const DOUBLING = 8;
const LEVEL_MAX = 255;

/** The part of a solve time that does not depend on the level, such as starting the workers, is assumed to be at most this. */
const OVERHEAD_MAX_MS = 250;

/** A wait up to this does not interrupt a visitor's train of thought. @see https://www.nngroup.com/articles/response-times-3-important-limits/ */
const SHORT_MS = 1000;
/** From here on, a lower level is suggested. */
const LONG_MS = 2000;

/** Whether visitors would hardly notice twice the work (`fast`), a level is about right (`fits`), or visitors wait long (`slow`). */
export type Assessment = 'fast' | 'fits' | 'slow';

/** The 95th percentile of the solve times that another level would have. */
export type OtherLevel = {
  readonly level: number;
  /** Whole milliseconds. For a higher level, 95% of the times are less than this; for a lower level, it is an estimate. */
  readonly p95: number;
};

/** What the solve times of real visitors say about the level. */
export type LevelAdvice = {
  /** The current level, to which all solve times belong. */
  readonly level: number;
  /** The number of solve times. */
  readonly samples: number;
  /** Undefined if there are too few solve times. */
  readonly result?: {
    /** 95% of the solve times are less than this: whole milliseconds. */
    readonly p95: number;
    readonly assessment: Assessment;
    /** Eight levels higher; undefined if the level cannot be that high, or if the challenge would be of another kind. */
    readonly higher: OtherLevel | undefined;
    /** The highest lower level with an acceptable time, in steps of eight; if there is none, the lowest. Undefined as for `higher`. */
    readonly lower: OtherLevel | undefined;
  };
};

/** Adds up the counts of the hours in which all solve times belong to the current settings. @param code the code of these settings */
export function sumOfSettings(hours: readonly { readonly counts: Counts }[], code: number): Counts {
  return sumOf(hours.filter(({ counts }) => counts[COUNTER.settings] === code * countSolveTimes(counts)));
}

/**
 * Returns advice on the level. Twice the work at most doubles each solve time. To predict shorter times, the part that does not depend
 * on the level is needed, which cannot be more than the shortest times. It is taken to be the first percentile, at most 250 ms.
 *
 * @param counts the counts of hours with the current settings
 * @param isComparable whether puzzles of another level are of the same kind; solve times say nothing about other kinds
 */
export function toLevelAdvice(
  level: number,
  counts: Counts,
  isComparable: (other: number) => boolean,
): LevelAdvice {
  const samples = countSolveTimes(counts);
  const p95 = solveTimeRange(0.95, counts)?.end;
  if (samples < ADVICE_MIN_SAMPLES || p95 === undefined) return { level, samples };
  const overhead = Math.min(solveTimeRange(0.01, counts)?.least ?? 0, OVERHEAD_MAX_MS);
  const canBe = (other: number) => other >= 1 && other <= LEVEL_MAX && isComparable(other);
  const at = (other: number) => ({ level: other, p95: predict(p95, overhead, other - level) });
  const higher = canBe(level + DOUBLING) ? at(level + DOUBLING) : undefined;
  let lower: OtherLevel | undefined;
  for (let other = level - DOUBLING; canBe(other); other -= DOUBLING) {
    lower = at(other);
    if (lower.p95 <= LONG_MS) break;
  }
  const isFast = higher !== undefined && higher.p95 <= SHORT_MS;
  const assessment = p95 > LONG_MS ? 'slow' : isFast ? 'fast' : 'fits';
  return { level, samples, result: { p95, assessment, higher, lower } };
}

/** @param overhead the part of the time that does not depend on the level @returns whole milliseconds */
function predict(time: number, overhead: number, levels: number): number {
  const factor = 2 ** (levels / DOUBLING);
  return Math.ceil(levels > 0 ? time * factor : overhead + (time - overhead) * factor);
}
