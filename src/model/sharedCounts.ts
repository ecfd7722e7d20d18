import type { Instant } from '../lib/time.ts';

/** Amounts by key. Keys are integers from 0 to 2^53 - 1; amounts are greater than 0. */
export type Counts = ReadonlyMap<number, number>;

/** Counts that a node collects and that the other nodes add to their own. */
export type SharedCounts = {
  /** Adds counts that another thread of this node has collected to those that `take` returns. They are in the shared tables already. */
  readonly collect: (counts: Counts) => void;
  /** Removes the counts collected since the last call, and returns those of the `max` keys with the most use. */
  readonly take: (max: number) => Counts;
  /** Adds counts of another node. They are not returned by `take`. */
  readonly add: (counts: Counts, now: Instant) => void;
};

/** Registers counts that nodes exchange. Call it once. */
export type Share = (counts: SharedCounts) => void;

/**
 * The counts that nodes exchange.
 *
 * - `id`: identifies the kind in messages between nodes of different versions, 1..255. Never reuse an id.
 * - `isTimely`: whether the counts are useful for only a second. Late counts would cause rejections of requests within the limit.
 */
export const COUNT_KINDS = {
  /** Puzzles by the hash of the client address. */
  clientLoad: { id: 1, isTimely: false },
  /** Puzzles by property id. */
  propertyLoad: { id: 2, isTimely: false },
  /** Requests for puzzles by the hash of the client address. All rate limits count the milliseconds that a bucket needs to refill. */
  puzzleLimit: { id: 3, isTimely: true },
  /** Verifications by the id of a `verify` key. */
  verifyLimit: { id: 4, isTimely: true },
  /** Platform API requests by the id of a user, or of an organization plus 2^52. */
  userLimit: { id: 5, isTimely: true },
  /** Platform API requests by the id of a `portal` key with its own rate. */
  portalKeyLimit: { id: 6, isTimely: true },
  /** Verified puzzles by the hash of the client address. */
  clientVerified: { id: 7, isTimely: false },
  /** Puzzles that were downgraded to BLAKE2b because of an old client, by property id. */
  propertyDowngraded: { id: 8, isTimely: false },
} as const satisfies Record<string, { readonly id: number; readonly isTimely: boolean }>;

export type CountKind = keyof typeof COUNT_KINDS;
