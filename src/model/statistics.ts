import type { Brand } from '../lib/brand.ts';
import { DAY, HOUR, type Instant } from '../lib/time.ts';
import type { Sitekey } from './property.ts';

/**
 * What is counted, of a property or of the installation, in an hour or a day: numbers, each at its position. Nothing of
 * a visitor is among them.
 */
export type Counts = ArrayLike<number>;

/** Whole hours since 1970-01-01T00:00Z. */
export type Hour = Brand<number, 'Hour'>;

/** Whole days since 1970-01-01, UTC. */
export type Day = Brand<number, 'Day'>;

/**
 * Where each number is. Kept on the disk, so a position never changes its meaning; new ones go to the end of the places
 * that verdicts have left, or behind all.
 */
export const COUNTER = {
  /** Puzzles issued. */
  issued: 0,
  /** First presentations that were accepted. */
  verified: 1,
  /** Further presentations that the property allows. */
  repeated: 2,
  /** Of the first presentations, those whose widget says that WebAssembly did the work. */
  usedWasm: 3,
  /** Presentations that were refused, by the verdict's number: this and the 15 after it. */
  failed: 4,
  /** Of the first presentations, how long solving took, by bucket: this and those after it. */
  solved: 20,
} as const;

/** Numbers of verdicts that there is room for. */
export const FAILURE_ROOM = COUNTER.solved - COUNTER.failed;

/** Buckets of solve times in one doubling. */
const BUCKETS_A_DOUBLING = 4;
/** One for zero, then all doublings of an u32. */
const BUCKETS = 1 + 32 * BUCKETS_A_DOUBLING;

/** How many numbers there are. */
export const COUNTS_SIZE = COUNTER.solved + BUCKETS;

/** What was counted of one property in (a part of) one hour. */
export type UsageRecord = {
  /** Undefined for the installation: what belongs to no property that is known. */
  readonly sitekey: Sitekey | undefined;
  readonly hour: Hour;
  readonly counts: Counts;
};

/** The numbers of one hour or day. */
export type Bucket<At extends Hour | Day> = { readonly at: At; readonly counts: Counts };

export function toHour(instant: Instant): Hour {
  return Math.floor(instant / HOUR) as Hour;
}

export function toDay(instant: Instant): Day {
  return Math.floor(instant / DAY) as Day;
}

/** The day that an hour belongs to. */
export function dayFromHour(hour: Hour): Day {
  return Math.floor(hour / 24) as Day;
}

/** The first hour of a day. */
export function firstHourOf(day: Day): Hour {
  return (day * 24) as Hour;
}

/**
 * The bucket of a solve time. Four to a doubling, each as wide as the others of its doubling, a quarter of its least
 * time: so the middle of a bucket is at most 12.5 % off. Every u32 has one; nothing is cut off.
 *
 * @param milliseconds integer, u32
 */
export function toBucket(milliseconds: number): number {
  if (milliseconds === 0) return 0;
  const doubling = 31 - Math.clz32(milliseconds);
  const quarter =
    doubling >= 2 ? (milliseconds >>> (doubling - 2)) & 3 : (milliseconds << (2 - doubling)) & 3;
  return 1 + doubling * BUCKETS_A_DOUBLING + quarter;
}

/** The middle of a bucket, in whole milliseconds. */
function middleOf(bucket: number): number {
  if (bucket === 0) return 0;
  const doubling = Math.floor((bucket - 1) / BUCKETS_A_DOUBLING);
  const width = 2 ** doubling / BUCKETS_A_DOUBLING;
  const least = 2 ** doubling + ((bucket - 1) % BUCKETS_A_DOUBLING) * width;
  const most = Math.ceil(least + width) - 1;
  return Math.floor((least + most) / 2);
}

/** How many solve times were told. */
export function solveTimesIn(counts: Counts): number {
  let total = 0;
  for (let i: number = COUNTER.solved; i < COUNTS_SIZE; i++) total += counts[i] as number;
  return total;
}

/**
 * The solve time that a share of the visitors did not pass: the middle of its bucket.
 *
 * @param share above 0, at most 1
 * @returns whole milliseconds; undefined where no solve time was told
 */
export function solveTimeAt(share: number, counts: Counts): number | undefined {
  let left = Math.ceil(share * solveTimesIn(counts));
  if (left === 0) return undefined;
  let bucket = 0;
  for (
    left -= counts[COUNTER.solved] as number;
    left > 0;
    left -= counts[COUNTER.solved + bucket] as number
  ) {
    bucket++;
  }
  return middleOf(bucket);
}

/** For how far back one may ask, and in which steps; the last one is the hour or day that is not over yet. */
export const RANGES = {
  '24h': { step: 'hour', count: 24 },
  '7d': { step: 'hour', count: 7 * 24 },
  '30d': { step: 'day', count: 30 },
  '1y': { step: 'day', count: 365 },
} as const;

export type Range = keyof typeof RANGES;

/** @returns undefined for anything but the four ranges */
export function parseRange(text: string): Range | undefined {
  return Object.hasOwn(RANGES, text) ? (text as Range) : undefined;
}
