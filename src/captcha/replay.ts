import type { Awaitable } from '../lib/awaitable.ts';
import { type Allocate, allocateOwn } from '../lib/sharedMemory.ts';
import type { Claim, ClaimLedger, RepeatKey } from '../model/ports/replayLedger.ts';
import { createReplayCache } from './replayCache.ts';

/**
 * The first verification of a puzzle, a repeat that the property allows, or one repeat too many. `purged` if the clock was set back
 * and the ledger can no longer determine whether the puzzle is spent.
 */
export type ClaimResult = 'first' | 'repeat' | 'spent' | 'purged';

export type ReplayGuard = ReturnType<typeof createReplayGuard>;

/**
 * Invariant: the cache can only reject a claim; only the ledger accepts one. A restart or a second process therefore never
 * accepts a spent puzzle, and an evicted entry costs only a query.
 *
 * The cache stores the number of verifications, not a final result, because the owner may raise the maximum. Threads may share it, with
 * its counts of hits and misses; results of the ledger may arrive in any order and on any thread.
 *
 * @param capacity maximum number of cached puzzles; does not affect results while the maximum stays the same
 * @param allocate allocates the cache
 */
export function createReplayGuard(ledger: ClaimLedger, capacity: number, allocate: Allocate = allocateOwn) {
  const cache = createReplayCache(capacity, allocate);

  function conclude(claim: Claim, stored: number, maxCount: number): ClaimResult {
    if (stored === 0) return 'purged';
    cache.store(claim, stored);
    if (stored > maxCount) return 'spent';
    return stored === 1 ? 'first' : 'repeat';
  }

  return {
    /** Whether the cache would reject a claim. A puzzle that is not cached can also be spent. */
    isSpent: (claim: Omit<Claim, 'keyFingerprint'>, maxCount: number): boolean =>
      cache.count(claim) >= maxCount,
    /**
     * Counts one verification of a puzzle durably.
     *
     * @param maxCount verifications that the property allows, at least 1
     * @throws if the claim cannot be stored
     */
    claim(claim: Claim, maxCount: number): Awaitable<ClaimResult> {
      if (cache.lookUp(claim, maxCount) >= maxCount) return 'spent';
      return ledger.claim(claim).then((stored) => conclude(claim, stored, maxCount));
    },
    /** Like `claim`, but a repeated request gets the result of the first one; see ReplayLedger.claimOnce. */
    async claimOnce(claim: Claim, maxCount: number, key: RepeatKey): Promise<ClaimResult> {
      // The cache does not know which request was counted.
      return conclude(claim, await ledger.claimOnce(claim, maxCount, key), maxCount);
    },
    recall: ledger.recall,
    /** The cache of puzzles. A hit is a claim that the cache rejects; all other claims go to the ledger. */
    readCache: cache.read,
  };
}
