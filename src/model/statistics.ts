import type { Brand } from '../lib/outcome.ts';
import { DAY, HOUR, type Instant } from '../lib/time.ts';
import type { ApiKeyId } from './apiKey.ts';
import type { PropertyId, Sitekey } from './property.ts';
import { type PropertySettings, SETTING_FIELDS } from './propertyFields.ts';

/** The counts of a property or of the installation in one hour or day, by position. They contain no data about individual visitors. */
export type Counts = ArrayLike<number>;

/** Whole hours since 1970-01-01T00:00Z. */
export type Hour = Brand<number, 'Hour'>;

/** Whole days since 1970-01-01, UTC. */
export type Day = Brand<number, 'Day'>;

/**
 * The position of each count. The positions are stored on disk, so their meaning never changes. A new count gets the last unused
 * position of the verdict codes, or a position after all others.
 */
export const COUNTER = {
  /** Puzzles issued. */
  issued: 0,
  /** Solutions that were accepted for the first time. */
  verified: 1,
  /** Repeated verifications that the property allows. */
  repeated: 2,
  /** Solutions in `verified` that were computed with WebAssembly, as the widget reports. */
  usedWasm: 3,
  /** Failed verifications by verdict code: this position and the 15 after it. */
  failed: 4,
  /** Solve times of the solutions in `verified`, by bucket: this position and the 128 after it. */
  solved: 20,
  /** The sum of the settings' codes (`settingsCode`) over the solutions with a solve time. */
  settings: 149,
} as const;

/** The positions in the counts of an API key. Each request has one outcome. */
export const KEY_COUNTER = {
  accepted: 0,
  /** The solution was invalid, or the request failed for any other reason. */
  rejected: 1,
  /** The request exceeded the rate limit of the key. */
  limited: 2,
} as const;

/** The outcome of a request with an API key. */
export type KeyOutcome = keyof typeof KEY_COUNTER;

/** The positions in the counts of a rule. */
export const RULE_COUNTER = { hits: 0 } as const;

/** Number of verdict codes that have a position. */
export const FAILURE_POSITIONS = COUNTER.solved - COUNTER.failed;

/** Number of buckets for solve times from 2^n to 2^(n+1) ms. */
const BUCKETS_PER_DOUBLING = 4;
/** One bucket for zero, then the buckets of all doublings of a u32. */
const BUCKETS = 1 + 32 * BUCKETS_PER_DOUBLING;

/** The number of positions. */
export const COUNTS_SIZE = COUNTER.settings + 1;

/** Counts of one property or API key in one hour or a part of it. */
export type UsageRecord = {
  /** Undefined for events without a known property, which are counted for the installation. */
  readonly sitekey: Sitekey | undefined;
  /** The API key that the counts belong to; undefined for those of a property or of the installation. */
  readonly key?: ApiKeyId | undefined;
  /** The property with this sitekey, as far as it is known. */
  readonly id?: PropertyId | undefined;
  readonly hour: Hour;
  /** Trailing zeros may be omitted. */
  readonly counts: readonly number[];
};

/** Identifies records that a process writes together, and writes again if it does not know whether they were stored. */
export type UsageBatch = {
  /** Unique for each run of a process: 32 hexadecimal digits. */
  readonly writer: string;
  /** Greater than the numbers of the writer's earlier batches. */
  readonly number: number;
};

/** The counts of one hour or day. */
export type Bucket<At extends Hour | Day> = { readonly at: At; readonly counts: Counts };

/**
 * Returns a number for the settings that determine how much work a puzzle is; it is stored on disk, so the order of the kinds of work
 * never changes. If the sum of the codes of n solutions is n times the
 * code of a property, all n were verified while the property had these settings. (Other sums with this result need three
 * settings within an hour.)
 */
export function settingsCode({ level, challenge }: Pick<PropertySettings, 'level' | 'challenge'>): number {
  return 256 * SETTING_FIELDS.challenge.choices.indexOf(challenge) + level;
}

/** Returns the hour that contains an instant. */
export function toHour(instant: Instant): Hour {
  return Math.floor(instant / HOUR) as Hour;
}

/** Returns the day, in UTC, that contains an instant. */
export function toDay(instant: Instant): Day {
  return Math.floor(instant / DAY) as Day;
}

/** Returns the day that contains an hour. */
export function dayFromHour(hour: Hour): Day {
  return Math.floor(hour / 24) as Day;
}

export function firstHourOf(day: Day): Hour {
  return (day * 24) as Hour;
}

/**
 * Returns the bucket of a solve time. Each doubling has four buckets of the same width, a quarter of its lowest time, so the
 * middle of a bucket differs from any of its times by at most 12.5%.
 *
 * @param milliseconds integer, u32
 */
export function toBucket(milliseconds: number): number {
  if (milliseconds === 0) return 0;
  const doubling = 31 - Math.clz32(milliseconds);
  const quarter =
    doubling >= 2 ? (milliseconds >>> (doubling - 2)) & 3 : (milliseconds << (2 - doubling)) & 3;
  return 1 + doubling * BUCKETS_PER_DOUBLING + quarter;
}

/** Returns the least time of a bucket and the least time of the next one, in milliseconds; the least times of the first buckets are fractions. */
function edgesOf(bucket: number): readonly [least: number, end: number] {
  if (bucket === 0) return [0, 1];
  const doubling = Math.floor((bucket - 1) / BUCKETS_PER_DOUBLING);
  const width = 2 ** doubling / BUCKETS_PER_DOUBLING;
  const least = 2 ** doubling + ((bucket - 1) % BUCKETS_PER_DOUBLING) * width;
  return [least, least + width];
}

/** Adds counts to a sum. @param sum at least as long as the counts */
export function addCounts(sum: Float64Array, counts: Counts): void {
  for (let i = 0; i < counts.length; i++) sum[i] = (sum[i] as number) + (counts[i] as number);
}

/** @returns the sum of the counts of hours or days */
export function sumOf(buckets: readonly { readonly counts: Counts }[]): Counts {
  const sum = new Float64Array(COUNTS_SIZE);
  for (const { counts } of buckets) addCounts(sum, counts);
  return sum;
}

/** Returns the number of solve times. */
export function countSolveTimes(counts: Counts): number {
  let total = 0;
  const end = Math.min(COUNTER.solved + BUCKETS, counts.length);
  for (let i = COUNTER.solved; i < end; i++) total += counts[i] as number;
  return total;
}

/** @returns the bucket of a quantile; undefined if there are no solve times */
function bucketAt(share: number, counts: Counts): number | undefined {
  let left = Math.ceil(share * countSolveTimes(counts));
  if (left === 0) return undefined;
  let bucket = 0;
  for (
    left -= counts[COUNTER.solved] as number;
    left > 0;
    left -= counts[COUNTER.solved + bucket] as number
  ) {
    bucket++;
  }
  return bucket;
}

/**
 * Returns a quantile of the solve times: the middle of its bucket.
 *
 * @param share greater than 0, at most 1; 0.5 for the median
 * @returns whole milliseconds; undefined if there are no solve times
 */
export function solveTimeAt(share: number, counts: Counts): number | undefined {
  const bucket = bucketAt(share, counts);
  if (bucket === undefined || bucket === 0) return bucket;
  const [least, end] = edgesOf(bucket);
  return Math.floor((least + Math.ceil(end) - 1) / 2);
}

/**
 * Returns the range of the bucket of a quantile.
 *
 * @param share greater than 0, at most 1
 * @returns whole milliseconds: the quantile is at least `least` and less than `end`; undefined if there are no solve times
 */
export function solveTimeRange(
  share: number,
  counts: Counts,
): { readonly least: number; readonly end: number } | undefined {
  const bucket = bucketAt(share, counts);
  if (bucket === undefined) return undefined;
  const [least, end] = edgesOf(bucket);
  return { least: Math.ceil(least), end: Math.ceil(end) };
}

/** The number of solve times from `least` to before `end`, in whole milliseconds. */
export type TimeRange = { readonly least: number; readonly end: number; readonly count: number };

/**
 * Returns the distribution of the solve times. Each range is the same factor wide: 1.19 to 1.25, or twice, four times … as wide if there
 * would otherwise be more than `most` ranges.
 *
 * @returns the ranges from the lowest to the highest one with solve times, without gaps
 */
export function solveTimeHistogram(counts: Counts, most = 24): readonly TimeRange[] {
  const countIn = (bucket: number) => counts[COUNTER.solved + bucket] ?? 0;
  const used = Array.from({ length: BUCKETS }, (_, bucket) => bucket).filter((bucket) => countIn(bucket) > 0);
  // Without solve times, the first bucket is after the last one, so there are no ranges.
  const [first = 0, last = -1] = [used[0], used.at(-1)];
  let size = 1;
  while (last - first + 1 > most * size) size *= 2;
  // Doublings begin at the buckets 1, 5, 9 …, and so do ranges of four buckets.
  const start = 1 + Math.floor((first - 1) / size) * size;
  const ranges: TimeRange[] = [];
  for (let low = start; low <= last; low += size) {
    const buckets = Array.from({ length: size }, (_, index) => low + index).filter((bucket) => bucket >= 0);
    const count = buckets.reduce((sum, bucket) => sum + countIn(bucket), 0);
    const [least] = edgesOf(buckets[0] as number);
    const [, end] = edgesOf(buckets.at(-1) as number);
    ranges.push({ least: Math.ceil(least), end: Math.ceil(end), count });
  }
  return ranges;
}

/** The ranges of a report and their steps. The last step is the current hour or day. */
export const RANGES = {
  '24h': { step: 'hour', count: 24 },
  '7d': { step: 'hour', count: 7 * 24 },
  '30d': { step: 'day', count: 30 },
  '1y': { step: 'day', count: 365 },
} as const;

export type Range = keyof typeof RANGES;

/** @returns undefined if the text is not the name of a range */
export function parseRange(text: string): Range | undefined {
  return Object.hasOwn(RANGES, text) ? (text as Range) : undefined;
}
