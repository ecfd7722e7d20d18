import { LRUCache } from 'lru-cache';
import { createTally } from '../lib/tally.ts';
import { type Clock, createMonotonicTime, SECOND } from '../lib/time.ts';
import { KEY_RATE_MIN } from '../model/apiKey.ts';
import type { CacheReading } from '../model/readings.ts';
import type { Share } from '../model/sharedCounts.ts';

/** The state of a rate limit after a request. */
export type RateLimitState = {
  /** Maximum number of requests at once. */
  readonly burst: number;
  readonly isAllowed: boolean;
  /** Whole requests left in the burst. */
  readonly remaining: number;
  /** Whole seconds until the burst is full again. */
  readonly resetSeconds: number;
  /** Whole seconds until the next request is allowed; 0 if this one was allowed. */
  readonly retryAfterSeconds: number;
};

export type RateLimit = {
  /** The burst for keys that have no limit of their own. */
  readonly burst: number;
  /** @param own the key's own limit, which replaces the common one */
  readonly take: (key: number, own?: OwnRate) => RateLimitState;
  /** The keys whose bucket is in memory. */
  readonly readCache: () => CacheReading;
};

export type RateLimitOptions = {
  /** Requests per second, at least 0.001. */
  readonly rate: number;
  /** Requests, at least 1. */
  readonly burst: number;
  /** Maximum number of keys. */
  readonly capacity: number;
  readonly clock: Clock;
  /** Called for each rejected request. */
  readonly onRejected?: (() => void) | undefined;
  /** Registers the counts that nodes exchange; undefined if there is only one node. */
  readonly share?: Share | undefined;
};

/** Requests per second, and requests at once. If a value is undefined, the common value applies. */
type OwnRate = { readonly rate: number | undefined; readonly burst: number | undefined };

/**
 * The counts of other nodes arrive in batches. A burst of at least this duration ensures that a late batch does not cause rejections
 * for a key that stays below its rate.
 */
const SHARED_BURST_MS = SECOND;
/**
 * How far the requests to other nodes can lower a bucket below empty, in bursts. A key that uses the bursts of five nodes at the same
 * time therefore waits as long as if it had sent all requests to one node.
 */
const SHARED_DEBT = 4;

/**
 * Creates a rate limit with one token bucket per key. A bucket is one number: the time at which it will be full again (generic cell
 * rate algorithm, ITU-T I.371). The least recently used keys are evicted first; an evicted key has a full bucket.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { share } = options;
  const fullAt = new LRUCache<number, number>({ max: options.capacity });
  const steady = createMonotonicTime();
  const maxDebt = share === undefined ? 0 : SHARED_DEBT;
  const tally = share && createTally((key) => fullAt.peek(key) ?? 0);
  const costOf = (own?: OwnRate) => 1000 / Math.max(own?.rate ?? options.rate, KEY_RATE_MIN);

  function burstOf(cost: number, own?: OwnRate): number {
    const burst = own?.burst ?? options.burst;
    return share === undefined ? burst : Math.max(burst, Math.ceil(SHARED_BURST_MS / cost));
  }

  if (tally)
    share?.({
      take: tally.take,
      add(counts, time) {
        const now = steady(time);
        for (const [key, milliseconds] of counts) {
          fullAt.set(key, Math.max(fullAt.get(key) ?? now, now) + milliseconds);
        }
      },
    });

  return {
    burst: burstOf(costOf()),
    take(key, own) {
      const cost = costOf(own);
      const burst = burstOf(cost, own);
      const tolerance = cost * burst;
      const now = steady(options.clock());
      const stored = fullAt.get(key) ?? now;
      // Only requests to other nodes can lower a bucket below empty. Limits the debt, also if the key's rate was lower before.
      const before = Math.min(Math.max(stored, now), now + tolerance * (1 + maxDebt));
      const after = before + cost;
      const wait = after - tolerance - now;
      // A rounding error of half a microsecond must not reject a request.
      if (wait > 0.0005) {
        if (before < stored) fullAt.set(key, before);
        options.onRejected?.();
        return exceeded(burst, wait, before - now);
      }
      fullAt.set(key, after);
      tally?.add(key, cost);
      const remaining = Math.floor((now + tolerance - after) / cost + 1e-6);
      const resetSeconds = Math.ceil((after - now) / 1000);
      return { burst, isAllowed: true, remaining, resetSeconds, retryAfterSeconds: 0 };
    },
    readCache: () => ({ entries: fullAt.size, capacity: options.capacity }),
  };
}

export type UserRateLimitOptions = Omit<RateLimitOptions, 'share'> & {
  readonly shareUsers?: Share | undefined;
  readonly shareKeys?: Share | undefined;
};

/** A key's own rate and burst, and its owner: the organization if there is no account. */
type LimitedKey = OwnRate & {
  readonly keyId: number;
  readonly accountId: number | undefined;
  readonly organizationId: number | undefined;
};

/** Separates organizations from users in the same counts, whose keys are below 2^53. */
const FIRST_ORGANIZATION = 2 ** 52;

/**
 * Creates the rate limit of the Platform API. All keys of a user share one bucket, and so do all keys that belong to an organization,
 * so more keys do not allow more requests. A key with its own rate also has its own bucket. If the key's rate or burst exceeds
 * the configured value, which only an administrator can allow, only its own bucket counts.
 *
 * @param options see createRateLimit; `capacity` in users, in organizations, and in keys with their own rate
 */
export function createUserRateLimit({
  shareUsers,
  shareKeys,
  ...options
}: UserRateLimitOptions): (key: LimitedKey) => RateLimitState {
  const byOwner = createRateLimit({ ...options, share: shareUsers });
  const byKey = createRateLimit({ ...options, share: shareKeys });
  const takeCommon = ({ accountId, organizationId = 0 }: LimitedKey) =>
    byOwner.take(accountId ?? FIRST_ORGANIZATION + organizationId);
  return (key) => {
    const { rate, burst, keyId } = key;
    if (rate === undefined && burst === undefined) return takeCommon(key);
    const isRaised = (rate ?? 0) > options.rate || (burst ?? 0) > options.burst;
    const own = byKey.take(keyId, key);
    if (isRaised || !own.isAllowed) return own;
    const shared = takeCommon(key);
    return shared.isAllowed && own.remaining < shared.remaining ? own : shared;
  };
}

/** Sets the `X-RateLimit-*` headers. */
export function writeRateLimitHeaders(headers: Headers, rateLimit: RateLimitState): void {
  headers.set('X-RateLimit-Limit', String(rateLimit.burst));
  headers.set('X-RateLimit-Remaining', String(rateLimit.remaining));
  headers.set('X-RateLimit-Reset', String(rateLimit.resetSeconds));
}

function exceeded(burst: number, wait: number, untilFull: number): RateLimitState {
  return {
    burst,
    isAllowed: false,
    remaining: 0,
    resetSeconds: Math.ceil(untilFull / 1000),
    retryAfterSeconds: Math.max(1, Math.ceil(wait / 1000)),
  };
}
