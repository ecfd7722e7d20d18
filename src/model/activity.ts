import { type Bucket, COUNTER, type Counts, type Hour } from './statistics.ts';

/** How much a property is used, for sorting lists and finding properties that need attention. At most a few minutes old. */
export type Activity = {
  /** The last hour that is included. */
  readonly hour: Hour;
  /** Puzzles in the 24 hours that end with this hour. */
  readonly issued: number;
  /** Puzzles in this hour or the hour before, whichever had more. */
  readonly recent: number;
  /** Whether `recent` is much more than usual. */
  readonly isSpike: boolean;
  /** The hour of the last verification; null if there has been none. */
  readonly verifiedHour: Hour | null;
};

/** Hours of the counts in lists, including the current one. */
export const ACTIVITY_HOURS = 24;
/** Hours before the recent ones that show what is usual: a week, because weekends differ from other days. */
export const USUAL_HOURS = 7 * 24;
/** Hours that count as recent: the current one and the one before. */
export const RECENT_HOURS = 2;

/** Minimum number of puzzles in an hour of a spike. Fewer puzzles may come from one visitor. */
const SPIKE_MIN = 120;
/** A spike has this many times as many puzzles as an average hour … */
const SPIKE_OVER_AVERAGE = 4;
/** … and this many times as many as the busiest hour of the week before, because most properties have a busy hour every day. */
const SPIKE_OVER_BUSIEST = 2;

/**
 * Computes the activity of a property. `isSpike` is only a first estimate: if it is true, check it with `isSpike`.
 *
 * @param hours its counts in the `ACTIVITY_HOURS` that end with `now`
 * @param verifiedBefore the hour of its last verification before these
 */
export function toActivity(now: Hour, hours: readonly Bucket<Hour>[], verifiedBefore: Hour | null): Activity {
  let [issued, recent, verifiedHour] = [0, 0, verifiedBefore];
  for (const { at, counts } of hours) {
    const puzzles = issuedIn(counts);
    issued += puzzles;
    if (at > now - RECENT_HOURS) recent = Math.max(recent, puzzles);
    if (hasVerification(counts)) verifiedHour = Math.max(at, verifiedHour ?? 0) as Hour;
  }
  const average = (issued - recent) / (ACTIVITY_HOURS - 1);
  const isSpike = recent >= SPIKE_MIN && recent > SPIKE_OVER_AVERAGE * average;
  return { hour: now, issued, recent, isSpike, verifiedHour };
}

/**
 * Whether the recent puzzles are many more than usual. The first day of a property is never a spike.
 *
 * @param before its counts in the `USUAL_HOURS` before the recent hours
 */
export function isSpike({ hour, recent }: Activity, before: readonly Bucket<Hour>[]): boolean {
  const isNew = before.every(({ at }) => at > hour - ACTIVITY_HOURS);
  if (isNew || recent < SPIKE_MIN) return false;
  const puzzles = before.map(({ counts }) => issuedIn(counts));
  const average = puzzles.reduce((sum, count) => sum + count, 0) / USUAL_HOURS;
  const busiest = Math.max(...puzzles);
  return recent > SPIKE_OVER_AVERAGE * average && recent > SPIKE_OVER_BUSIEST * busiest;
}

/** Whether a solution was verified. */
export function hasVerification(counts: Counts): boolean {
  return (counts[COUNTER.verified] ?? 0) > 0;
}

/**
 * Returns the usual number of puzzles in an hour: the median of the same hour on the days before, up to seven, starting with the first
 * counts.
 *
 * @param before the counts in the `USUAL_HOURS` before this hour
 * @returns undefined if the first counts are less than a day old
 */
export function usualPuzzles(hour: Hour, before: readonly Bucket<Hour>[]): number | undefined {
  const first = Math.min(...before.map(({ at }) => at));
  const puzzles = new Map(before.map(({ at, counts }) => [at, issuedIn(counts)]));
  const sameHours: number[] = [];
  for (let at = hour - 24; at >= first; at -= 24) sameHours.push(puzzles.get(at as Hour) ?? 0);
  if (sameHours.length === 0) return undefined;
  const sorted = sameHours.sort((a, b) => a - b);
  const [low, high] = [(sorted.length - 1) >> 1, sorted.length >> 1].map((middle) => sorted[middle]);
  return ((low as number) + (high as number)) / 2;
}

function issuedIn(counts: Counts): number {
  return counts[COUNTER.issued] ?? 0;
}
