import type { Instant } from '../lib/time.ts';

/** Amounts by key. Keys are integers from 0 to 2^53 - 1; amounts are greater than 0. */
export type Counts = ReadonlyMap<number, number>;

/** Counts that one node makes and that the other nodes add to their own. */
export type SharedCounts = {
  /** Removes the counts since the last call, and returns the `max` keys with the fullest buckets. */
  readonly take: (max: number) => Counts;
  /** Adds counts of another node. They are not returned by `take`. */
  readonly add: (counts: Counts, now: Instant) => void;
};

/** Called once with counts that nodes exchange. */
export type Share = (counts: SharedCounts) => void;

/**
 * The counts that nodes exchange.
 *
 * - `id`: identifies the kind in messages between nodes of different versions, 1..255. Never reuse one.
 * - `isTimely`: whether the counts lose their meaning within a second. Late counts would reject requests that are within the limit.
 */
export const COUNT_KINDS = {
  /** Puzzles by the hash of the client address. */
  clientLoad: { id: 1, isTimely: false },
  /** Puzzles by property id. */
  propertyLoad: { id: 2, isTimely: false },
  /** The rate limits, in milliseconds by which a bucket is emptier: by the hash of the client address, */
  puzzleLimit: { id: 3, isTimely: true },
  /** by the id of a `verify` key, */
  verifyLimit: { id: 4, isTimely: true },
  /** by the id of a user, */
  userLimit: { id: 5, isTimely: true },
  /** and by the id of a `portal` key with its own rate. */
  portalKeyLimit: { id: 6, isTimely: true },
} as const satisfies Record<string, { readonly id: number; readonly isTimely: boolean }>;

export type CountKind = keyof typeof COUNT_KINDS;
