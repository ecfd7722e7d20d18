import { LRUCache } from 'lru-cache';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Claim, ClaimLedger, RepeatKey } from '../model/ports/replayLedger.ts';
import type { CacheReading } from '../model/readings.ts';
import { readU32 } from '../puzzle/puzzle.ts';

/**
 * The first verification of a puzzle, a repeat that the property allows, or one repeat too many. `purged` if the clock was set back
 * and the ledger can no longer determine whether the puzzle is spent.
 */
export type ClaimResult = 'first' | 'repeat' | 'spent' | 'purged';

export type ReplayGuard = {
  /**
   * Counts one verification of a puzzle durably.
   *
   * @param maxCount verifications that the property allows, at least 1
   * @throws if the claim cannot be stored
   */
  readonly claim: (claim: Claim, maxCount: number) => Awaitable<ClaimResult>;
  /** Like `claim`, but a repeated request gets the result of the first one; see ReplayLedger.claimOnce. */
  readonly claimOnce: (claim: Claim, maxCount: number, key: RepeatKey) => Promise<ClaimResult>;
  readonly recall: ClaimLedger['recall'];
  /** Whether the cache would reject a claim. A puzzle that is not cached can be spent, too. */
  readonly isSpent: (claim: Omit<Claim, 'keyFingerprint'>, maxCount: number) => boolean;
  /** The cache of puzzles. A hit is a claim that the cache rejects; all other claims go to the ledger. */
  readonly readCache: () => CacheReading;
};

/**
 * Invariant: the cache can only reject a claim; only the ledger accepts one. A restart or a second process therefore never
 * accepts a spent puzzle, and an evicted entry costs only a query.
 *
 * The cache stores the number of verifications, not a final result, because the owner may raise the maximum.
 *
 * @param capacity maximum number of cached puzzles; does not affect results while the maximum stays the same
 */
export function createReplayGuard(ledger: ClaimLedger, capacity: number): ReplayGuard {
  // Numbers only: 100,000 strings and objects would add milliseconds to every garbage collection.
  const counts = new LRUCache<number, number>({ max: capacity });

  const lookups = { hits: 0, misses: 0 };

  function cachedCount(key: number, rest: number): number {
    const packed = counts.get(key) ?? 0;
    return Math.floor(packed / COUNT_RANGE) === rest ? packed % COUNT_RANGE : 0;
  }

  function conclude({ puzzleId, expiresAtSeconds }: Claim, stored: number, maxCount: number): ClaimResult {
    if (stored === 0) return 'purged';
    const key = toKey(puzzleId);
    const rest = toRest(puzzleId, expiresAtSeconds);
    // Results of one group commit may arrive in any order.
    const count = Math.min(Math.max(stored, cachedCount(key, rest)), COUNT_RANGE - 1);
    counts.set(key, rest * COUNT_RANGE + count);
    if (stored > maxCount) return 'spent';
    return stored === 1 ? 'first' : 'repeat';
  }

  const isSpent: ReplayGuard['isSpent'] = ({ puzzleId, expiresAtSeconds }, maxCount) =>
    cachedCount(toKey(puzzleId), toRest(puzzleId, expiresAtSeconds)) >= maxCount;

  return {
    isSpent,
    claim(claim, maxCount) {
      if (isSpent(claim, maxCount)) {
        lookups.hits++;
        return 'spent';
      }
      lookups.misses++;
      return ledger.claim(claim).then((stored) => conclude(claim, stored, maxCount));
    },
    // The cache does not know which request was counted.
    async claimOnce(claim, maxCount, key) {
      return conclude(claim, await ledger.claimOnce(claim, maxCount, key), maxCount);
    },
    recall: ledger.recall,
    readCache: () => ({ entries: counts.size, capacity, lookups: { ...lookups } }),
  };
}

/** Greater than any maximum that a property can have. */
const COUNT_RANGE = 2 ** 21;

/** 52 bits of the puzzle id, because a number represents at most 53 bits exactly. Puzzles with the same key only evict each other. */
function toKey(puzzleId: Uint8Array): number {
  return readU32(puzzleId, 0) + (readU32(puzzleId, 4) & 0xfffff) * 2 ** 32;
}

/** The other 12 bits of the id and 20 bits of the expiration, stored with the 21 bits of the count and compared. */
function toRest(puzzleId: Uint8Array, expiresAtSeconds: number): number {
  return (readU32(puzzleId, 4) >>> 20) * 2 ** 20 + (expiresAtSeconds & 0xfffff);
}
