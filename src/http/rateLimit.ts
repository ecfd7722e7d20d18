import { cellsFor, createFlatTable } from '../lib/flatTable.ts';
import { type Allocate, allocateOwn, openRegion } from '../lib/sharedMemory.ts';
import { createTally } from '../lib/tally.ts';
import { type Clock, type Instant, SECOND } from '../lib/time.ts';
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
  /** Maximum number of keys, rounded up to eight times a power of two; 16 bytes each. */
  readonly capacity: number;
  readonly clock: Clock;
  /** Allocates the buckets, which threads may share. */
  readonly allocate?: Allocate;
  /** Called for each request that this thread rejects. */
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
 * rate algorithm, ITU-T I.371). A new key in a full set of eight replaces the key whose bucket is full the earliest. If that bucket is
 * full already, nothing is lost. A flood of keys therefore replaces itself, and not the keys that have reached their limit.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { share, clock, onRejected } = options;
  const buckets = openBuckets(options);
  const common = 1000 / Math.max(options.rate, KEY_RATE_MIN);
  const costOf = (own?: OwnRate) =>
    own?.rate === undefined ? common : 1000 / Math.max(own.rate, KEY_RATE_MIN);
  // Only requests to other nodes can lower a bucket below empty.
  const maxDebt = share === undefined ? 0 : SHARED_DEBT;
  const tally = share && createTally(buckets.fullAt);
  if (tally)
    share?.({
      ...tally,
      add(counts, now) {
        for (const [key, milliseconds] of counts) buckets.delay(key, milliseconds, now);
      },
    });

  function burstOf(cost: number, own?: OwnRate): number {
    const burst = own?.burst ?? options.burst;
    return share === undefined ? burst : Math.max(burst, Math.ceil(SHARED_BURST_MS / cost));
  }

  return {
    burst: burstOf(costOf()),
    take(key, own) {
      const cost = costOf(own);
      const burst = burstOf(cost, own);
      const tolerance = cost * burst;
      // The milliseconds until the bucket is full, if the request is allowed.
      const after = buckets.take(key, cost, tolerance, tolerance * (1 + maxDebt), clock());
      if (after > tolerance + ROUNDING_MS) {
        onRejected?.();
        return exceeded(burst, after - tolerance, after - cost);
      }
      tally?.add(key, cost);
      const remaining = Math.floor((tolerance - after) / cost + 1e-6);
      const resetSeconds = Math.ceil(after / 1000);
      return { burst, isAllowed: true, remaining, resetSeconds, retryAfterSeconds: 0 };
    },
    readCache: buckets.read,
  };
}

/** A rounding error of half a microsecond must not reject a request. */
const ROUNDING_MS = 0.0005;

/** The buckets of all keys: the times at which they will be full, in memory that threads may share. */
function openBuckets({ capacity, allocate = allocateOwn }: RateLimitOptions) {
  const { acquire, release, steady, cells } = openRegion(allocate, cellsFor(capacity, 1));
  const table = createFlatTable({ cells, columns: 1, rankOf: (row) => cells[row] as number });
  return {
    /**
     * Decides whether a request is allowed, and counts it if it is.
     *
     * @param cost milliseconds by which the request delays the time at which the bucket is full
     * @param tolerance milliseconds after which an empty bucket is full
     * @param most caps the milliseconds until the bucket was full before this request: the key's rate may have been lower, or it may have debt
     * @returns the milliseconds until the bucket is full, including this request; at most `tolerance` if it is allowed
     */
    take(key: number, cost: number, tolerance: number, most: number, time: Instant): number {
      acquire();
      const now = steady(time);
      const row = table.row(key);
      const before = Math.min(Math.max((cells[row] as number) - now, 0), most);
      const after = before + cost;
      cells[row] = now + (after > tolerance + ROUNDING_MS ? before : after);
      release();
      return after;
    },
    /** Adds requests of another node, which were allowed. */
    delay(key: number, milliseconds: number, time: Instant): void {
      acquire();
      const now = steady(time);
      const row = table.row(key);
      cells[row] = Math.max(cells[row] as number, now) + milliseconds;
      release();
    },
    /** @returns the time at which the bucket of a key is full; 0 if the key is not in memory */
    fullAt(key: number): number {
      acquire();
      const row = table.peek(key);
      const fullAt = row < 0 ? 0 : (cells[row] as number);
      release();
      return fullAt;
    },
    read(): CacheReading {
      acquire();
      const entries = table.entries();
      release();
      return { entries, capacity: table.capacity };
    },
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

/**
 * Counts a request for a page of the portal.
 *
 * @param accountId of the signed-in user; undefined counts the client address
 * @param client the address; undefined if the connection is closed
 */
export type TakePage = (accountId: number | undefined, client: string | undefined) => RateLimitState;

export type PageRateLimitOptions = Omit<RateLimitOptions, 'share'> & {
  readonly hashAddress: (address: string) => number;
};

/**
 * Creates the rate limit of the portal. Users who are signed in have their own buckets, so that an address that many people share does
 * not limit them, and all other requests count for their address. The Platform API has other buckets, so that a script does not lock its
 * user out of the portal. Nodes count separately.
 */
export function createPageRateLimit(options: PageRateLimitOptions): TakePage {
  const { hashAddress, ...common } = options;
  const byUser = createRateLimit(common);
  const byClient = createRateLimit(common);
  return (accountId, client) =>
    accountId === undefined ? byClient.take(hashAddress(client ?? '')) : byUser.take(accountId);
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
