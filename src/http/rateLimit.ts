import { LRUCache } from 'lru-cache';
import { type Clock, createMonotonicTime } from '../lib/time.ts';
import { KEY_RATE_MIN } from '../model/apiKey.ts';

/** How somebody stands after taking one. */
export type Standing = {
  /** Requests at once. */
  readonly burst: number;
  readonly isAllowed: boolean;
  /** Whole requests left in the burst. */
  readonly remaining: number;
  /** Whole seconds until the burst is full again. */
  readonly resetSeconds: number;
  /** Whole seconds until one is allowed again; 0 when it was allowed. */
  readonly retryAfterSeconds: number;
};

export type RateLimit = {
  /** Of those without one of their own. */
  readonly burst: number;
  /** @param own where set, it holds for this one instead */
  readonly take: (key: number, own?: OwnRate) => Standing;
};

/** Requests a second and at once; what is undefined is as for all. */
type OwnRate = { readonly rate: number | undefined; readonly burst: number | undefined };

/**
 * A token bucket for each key, kept as one number: the time at which the bucket is full again (the generic cell
 * rate algorithm, ITU-T I.371). Who was not seen for longest is forgotten first, which only ever forgives.
 *
 * @param options rate in requests a second, from 0.001 on; burst in requests, at least 1; capacity in keys
 */
export function createRateLimit(options: {
  readonly rate: number;
  readonly burst: number;
  readonly capacity: number;
  readonly clock: Clock;
}): RateLimit {
  const fullAt = new LRUCache<number, number>({ max: options.capacity });
  const steady = createMonotonicTime();

  return {
    burst: options.burst,
    take(key, own) {
      const cost = 1000 / Math.max(own?.rate ?? options.rate, KEY_RATE_MIN);
      const burst = own?.burst ?? options.burst;
      const tolerance = cost * burst;
      const now = steady(options.clock());
      const kept = fullAt.get(key) ?? now;
      // No bucket is emptier than empty, also where its rate was a lower one before.
      const before = Math.min(Math.max(kept, now), now + tolerance);
      const after = before + cost;
      const wait = after - tolerance - now;
      // Half a microsecond of rounding must not cost a request.
      if (wait > 0.0005) {
        if (before < kept) fullAt.set(key, before);
        return refused(burst, wait, before - now);
      }
      fullAt.set(key, after);
      const remaining = Math.floor((now + tolerance - after) / cost + 1e-6);
      const resetSeconds = Math.ceil((after - now) / 1000);
      return { burst, isAllowed: true, remaining, resetSeconds, retryAfterSeconds: 0 };
    },
  };
}

/** A key's own rate and burst, and its user. */
type LimitedKey = OwnRate & { readonly keyId: number; readonly accountId: number };

/**
 * The limit of the Platform API: all keys of a user share one bucket, so that more keys do not allow more requests. A key
 * with its own rate is limited by both. A key whose own rate or burst is above the configured one, which only an
 * administrator can grant, has its own bucket alone.
 *
 * @param options as of createRateLimit; `capacity` in users, and in keys with their own rate
 */
export function createUserRateLimit(
  options: Parameters<typeof createRateLimit>[0],
): (key: LimitedKey) => Standing {
  const byUser = createRateLimit(options);
  const byKey = createRateLimit(options);
  return (key) => {
    const { rate, burst, keyId, accountId } = key;
    if (rate === undefined && burst === undefined) return byUser.take(accountId);
    const isRaised = (rate ?? 0) > options.rate || (burst ?? 0) > options.burst;
    const own = byKey.take(keyId, key);
    if (isRaised || !own.isAllowed) return own;
    const shared = byUser.take(accountId);
    return shared.isAllowed && own.remaining < shared.remaining ? own : shared;
  };
}

/** Tells the caller. */
export function writeStanding(headers: Headers, standing: Standing): void {
  headers.set('X-RateLimit-Limit', String(standing.burst));
  headers.set('X-RateLimit-Remaining', String(standing.remaining));
  headers.set('X-RateLimit-Reset', String(standing.resetSeconds));
}

function refused(burst: number, wait: number, untilFull: number): Standing {
  return {
    burst,
    isAllowed: false,
    remaining: 0,
    resetSeconds: Math.ceil(untilFull / 1000),
    retryAfterSeconds: Math.max(1, Math.ceil(wait / 1000)),
  };
}
