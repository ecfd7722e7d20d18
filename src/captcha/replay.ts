import { LRUCache } from 'lru-cache';
import type { Awaitable, Claim, ReplayLedger } from '../model/ports.ts';

/** What a presentation is: the first, a repeat that the property allows, or one too many. */
export type Admission = 'first' | 'repeat' | 'spent';

export type ReplayGuard = {
  /**
   * Counts a presentation, durably, and judges it.
   *
   * @param allowance presentations that the property grants, at least 1
   * @throws where the count cannot be kept
   */
  readonly admit: (claim: Claim, allowance: number) => Awaitable<Admission>;
};

/**
 * Invariant: memory may only say no. Only the ledger says yes, so a restart or a second process never admits a
 * spent puzzle, and a full cache only costs a query.
 *
 * What is remembered is how often a puzzle was presented, not that it was spent: the owner may raise the
 * allowance meanwhile.
 *
 * @param capacity puzzles remembered at most; changes no verdict under a given allowance
 */
export function createReplayGuard(ledger: ReplayLedger, capacity: number): ReplayGuard {
  const counted = new LRUCache<string, number>({ max: capacity });
  return {
    admit(claim, allowance) {
      const key = keyOf(claim);
      if ((counted.get(key) ?? 0) >= allowance) return 'spent';
      return ledger.claim(claim).then((presentations) => {
        // Answers of one group may arrive in any order.
        counted.set(key, Math.max(presentations, counted.get(key) ?? 0));
        if (presentations > allowance) return 'spent';
        return presentations === 1 ? 'first' : 'repeat';
      });
    },
  };
}

function keyOf(claim: Claim): string {
  return `${claim.expiresAtSeconds}${String.fromCharCode(...claim.puzzleId)}`;
}
