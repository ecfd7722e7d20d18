import { type Clock, createMonotonicTime, HOUR, type Instant, MINUTE, SECOND } from '../../lib/time.ts';

/** How failures of one kind slow down who makes them. */
export type AttemptLimitRule = {
  /** Failures that cost no delay. */
  readonly free: number;
  /** The delay after the next one, in milliseconds; it doubles with each further one. */
  readonly first: number;
  /** The delay stops growing here, in milliseconds. */
  readonly longest: number;
};

/** Counts failures by key, and tells how long the next attempt must wait. */
export type AttemptLimits = {
  /** @returns whole seconds until an attempt is heard, 0 for at once */
  readonly waitSeconds: (key: string) => number;
  /** To be told before the attempt is judged, so that many at once are not all heard. */
  readonly count: (key: string) => void;
  /** The attempt was right after all. */
  readonly uncount: (key: string) => void;
  readonly forgive: (key: string) => void;
};

/**
 * Keys remembered at most, about 200 bytes each. Who failed longest ago and waits for nothing is forgotten first. Where
 * all of them have to wait, a new one is not remembered: so many who fail cannot free one that waits.
 */
const CAPACITY = 20_000;
/** A key without failures for so long begins anew. More than the longest delay of all rules. */
const FORGOTTEN_AFTER = HOUR;

/** @see AttemptLimits */
export function createAttemptLimits(rule: AttemptLimitRule, clock: Clock): AttemptLimits {
  const failures = new Map<string, { readonly count: number; readonly at: Instant }>();
  const steady = createMonotonicTime();

  function known(key: string, now: Instant) {
    const found = failures.get(key);
    return found !== undefined && now < found.at + FORGOTTEN_AFTER ? found : undefined;
  }

  /** Looks through all of them at worst: 0.2 ms, beside the 20 ms and more of each attempt. */
  function makeRoom(now: Instant): boolean {
    for (const [key, { count, at }] of failures) {
      if (at + delayAfter(count, rule) > now) continue;
      return failures.delete(key);
    }
    return false;
  }

  return {
    waitSeconds(key) {
      const now = steady(clock());
      const found = known(key, now);
      if (found === undefined) return 0;
      return Math.max(0, Math.ceil((found.at + delayAfter(found.count, rule) - now) / SECOND));
    },
    count(key) {
      const now = steady(clock());
      const count = (known(key, now)?.count ?? 0) + 1;
      // A map keeps the order of insertion: the first key is the one that failed longest ago.
      failures.delete(key);
      if (failures.size < CAPACITY || makeRoom(now)) failures.set(key, { count, at: now });
    },
    uncount(key) {
      const found = failures.get(key);
      if (found === undefined) return;
      if (found.count > 1) failures.set(key, { count: found.count - 1, at: found.at });
      else failures.delete(key);
    },
    forgive: (key) => void failures.delete(key),
  };
}

function delayAfter(count: number, { free, first, longest }: AttemptLimitRule): number {
  return count <= free ? 0 : Math.min(longest, first * 2 ** (count - free - 1));
}

/** One account from one address: somebody who tries passwords. */
export const PAIR_RULE: AttemptLimitRule = { free: 4, first: SECOND, longest: 15 * MINUTE };
/** One address, whatever the account: somebody who tries accounts. An office shares an address, so it has more. */
export const ADDRESS_RULE: AttemptLimitRule = { free: 20, first: SECOND, longest: 15 * MINUTE };
/**
 * One account, from whatever address: many who try one account. The delay stays short, so that strangers cannot keep
 * its owner out; addresses that the account is signed in from are spared.
 */
export const ACCOUNT_RULE: AttemptLimitRule = { free: 20, first: SECOND, longest: 30 * SECOND };
/** Codes of one account: only who knows the password gets so far. */
export const CODE_RULE: AttemptLimitRule = { free: 4, first: SECOND, longest: 15 * MINUTE };
