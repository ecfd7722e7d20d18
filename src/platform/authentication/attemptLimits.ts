import { type Clock, createMonotonicTime, HOUR, type Instant, MINUTE, SECOND } from '../../lib/time.ts';

/** A rule by which failed attempts delay further attempts. */
export type AttemptLimitRule = {
  /** Number of failures without a delay. */
  readonly free: number;
  /** The first delay, in milliseconds; it doubles with each further failure. */
  readonly first: number;
  /** The longest delay, in milliseconds. */
  readonly longest: number;
};

/** Counts failed attempts by key. */
export type AttemptLimits = {
  /** @returns whole seconds until the next attempt is checked; 0 if there is no delay */
  readonly waitSeconds: (key: string) => number;
  /** Counts an attempt. Call it before the attempt is checked, so that simultaneous attempts cannot exceed the limit. */
  readonly count: (key: string) => void;
  /** Subtracts an attempt that was successful or was not checked. */
  readonly uncount: (key: string) => void;
  /** Deletes all failures of a key. */
  readonly clear: (key: string) => void;
};

/**
 * Maximum number of keys, about 200 bytes each. A new key replaces the key with the oldest failure that is not delayed. If
 * all keys are delayed, the new one is not stored, so that a flood of new keys cannot end a delay.
 */
const CAPACITY = 20_000;
/** Failures of a key expire this long after the last one, in milliseconds. Longer than the longest delay of all rules. */
const EXPIRES_AFTER = HOUR;

/** @see AttemptLimits */
export function createAttemptLimits(rule: AttemptLimitRule, clock: Clock): AttemptLimits {
  const failures = new Map<string, { readonly count: number; readonly at: Instant }>();
  const toMonotonic = createMonotonicTime();

  function find(key: string, now: Instant) {
    const found = failures.get(key);
    return found !== undefined && now < found.at + EXPIRES_AFTER ? found : undefined;
  }

  /** Visits all keys in the worst case, which takes 0.2 ms; an attempt takes 20 ms or more. */
  function evict(now: Instant): boolean {
    for (const [key, { count, at }] of failures) {
      if (at + delayAfter(count, rule) > now) continue;
      return failures.delete(key);
    }
    return false;
  }

  return {
    waitSeconds(key) {
      const now = toMonotonic(clock());
      const found = find(key, now);
      if (found === undefined) return 0;
      return Math.max(0, Math.ceil((found.at + delayAfter(found.count, rule) - now) / SECOND));
    },
    count(key) {
      const now = toMonotonic(clock());
      const count = (find(key, now)?.count ?? 0) + 1;
      // A Map preserves the insertion order, so the first key has the oldest failure.
      failures.delete(key);
      if (failures.size < CAPACITY || evict(now)) failures.set(key, { count, at: now });
    },
    uncount(key) {
      const found = failures.get(key);
      if (found === undefined) return;
      if (found.count > 1) failures.set(key, { count: found.count - 1, at: found.at });
      else failures.delete(key);
    },
    clear: (key) => void failures.delete(key),
  };
}

function delayAfter(count: number, { free, first, longest }: AttemptLimitRule): number {
  return count <= free ? 0 : Math.min(longest, first * 2 ** (count - free - 1));
}

/** One account from one address: a client that guesses passwords. */
export const PAIR_RULE: AttemptLimitRule = { free: 4, first: SECOND, longest: 15 * MINUTE };
/** One address, any account: a client that guesses accounts. More attempts are free, because the users of a network can share an address. */
export const ADDRESS_RULE: AttemptLimitRule = { free: 20, first: SECOND, longest: 15 * MINUTE };
/**
 * One account, any address: many clients that guess the password of one account. The delay stays short, so that they cannot
 * lock the user out, and does not apply to addresses where the account is signed in.
 */
export const ACCOUNT_RULE: AttemptLimitRule = { free: 20, first: SECOND, longest: 30 * SECOND };
/** The codes of one account, which require the correct password first. */
export const CODE_RULE: AttemptLimitRule = { free: 4, first: SECOND, longest: 15 * MINUTE };
