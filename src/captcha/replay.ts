import { LRUCache } from 'lru-cache';
import type { Awaitable, Claim, ReplayLedger } from '../model/ports.ts';
import { readU32 } from '../puzzle/puzzle.ts';

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
  // Numbers only: a hundred thousand strings and objects here would cost every garbage collection milliseconds.
  const counted = new LRUCache<number, number>({ max: capacity });

  function countOf(key: number, rest: number): number {
    const packed = counted.get(key) ?? 0;
    return Math.floor(packed / COUNT_ROOM) === rest ? packed % COUNT_ROOM : 0;
  }

  return {
    admit({ puzzleId, expiresAtSeconds }, allowance) {
      const key = keyOf(puzzleId);
      const rest = restOf(puzzleId, expiresAtSeconds);
      if (countOf(key, rest) >= allowance) return 'spent';
      return ledger.claim({ puzzleId, expiresAtSeconds }).then((presentations) => {
        // Answers of one group may arrive in any order.
        const count = Math.min(Math.max(presentations, countOf(key, rest)), COUNT_ROOM - 1);
        counted.set(key, rest * COUNT_ROOM + count);
        if (presentations > allowance) return 'spent';
        return presentations === 1 ? 'first' : 'repeat';
      });
    },
  };
}

/** More than any allowance. */
const COUNT_ROOM = 2 ** 21;

/** 52 of the puzzle id's 64 bits: a number holds no more exactly. Who shares them drives the other out, no more. */
function keyOf(puzzleId: Uint8Array): number {
  return readU32(puzzleId, 0) + (readU32(puzzleId, 4) & 0xfffff) * 2 ** 32;
}

/** The other 12 bits and 20 of the expiration, kept with the count and compared: 53 bits with it, all a number has. */
function restOf(puzzleId: Uint8Array, expiresAtSeconds: number): number {
  return (readU32(puzzleId, 4) >>> 20) * 2 ** 20 + (expiresAtSeconds & 0xfffff);
}
