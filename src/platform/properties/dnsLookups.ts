import { createFairSemaphore } from '../../lib/fairSemaphore.ts';
import {
  createSlidingWindow,
  type SlidingWindow,
  type SlidingWindowOptions,
} from '../../lib/slidingWindow.ts';
import type { LookupResult, Resolution, Resolve } from './dnsResolver.ts';

/** The user or organization whose limit applies. */
export type LookupOwner = `user ${number}` | `organization ${number}`;

/**
 * Begins the lookups of one task.
 *
 * @returns a function that returns whether a domain resolves; it waits while the owner's limit is reached, and rejects only if the resolver fails
 */
export type BeginLookups = (owner: LookupOwner) => (domain: string) => Promise<Resolution>;

/** Maximum number of DNS queries for one user or organization in any second, across all of its tasks. */
const LIMIT = { limit: 20, periodMs: 1000 } as const;
/** Maximum number of queries for a domain if the first server answers: A, then AAAA and CNAME. */
const MAX_QUERIES = 3;
/**
 * Maximum total number of parallel lookups; each needs about one socket. Tasks share them fairly, so that a task whose DNS servers
 * are silent does not delay the others.
 */
const MAX_PARALLEL = 256;
/**
 * How long a result is cached: for the TTL of the records, within these bounds. The resolver does not report the SOA record
 * of a negative answer, so negative answers and failures get the lower bound.
 */
const TTL_SECONDS = { min: 5, max: 300 } as const;
/** Maximum number of cached domains, about 400 bytes each; the oldest are evicted. */
const CACHE_CAPACITY = 10_000;
/** Number of users and organizations above which the limits of idle ones are dropped. */
const OWNERS = 1024;

/**
 * Lookups with a limit for each user and organization, and a cache for all.
 *
 * Wakers: a lookup waits for its owner's window, which a timer or another lookup of the owner opens, and then for a permit, which every
 * lookup returns when it has ended, even if it failed. The wait is limited by the number of lookups of one task, each of which has the
 * time limit of the resolver.
 *
 * @see BeginLookups
 */
export function createLookups(deps: {
  readonly resolve: Resolve;
  readonly now: SlidingWindowOptions['now'];
  readonly timer: SlidingWindowOptions['timer'];
  /** Maximum number of cached domains. */
  readonly capacity?: number;
  /** Maximum number of parallel lookups. */
  readonly parallel?: number;
}): BeginLookups {
  const newHolder = createFairSemaphore(deps.parallel ?? MAX_PARALLEL);
  const cache = createCache(deps.now, deps.capacity ?? CACHE_CAPACITY);
  const running = new Map<string, Promise<LookupResult>>();
  const windows = new Map<LookupOwner, SlidingWindow>();

  function windowOf(owner: LookupOwner): SlidingWindow {
    const known = windows.get(owner);
    if (known !== undefined) return known;
    if (windows.size >= OWNERS) for (const [id, window] of windows) if (window.isIdle()) windows.delete(id);
    const window = createSlidingWindow({ ...LIMIT, now: deps.now, timer: deps.timer });
    windows.set(owner, window);
    return window;
  }

  /** Starts a lookup. Callers that look up the same domain while it runs share it. After a failure, the next caller starts another one. */
  function run(domain: string): Promise<LookupResult> {
    const result = Promise.try(() => deps.resolve(domain))
      .then((found) => {
        cache.set(domain, found);
        return found;
      })
      .finally(() => running.delete(domain));
    running.set(domain, result);
    return result;
  }

  return (owner) => {
    const holder = newHolder();

    async function lookUp(domain: string): Promise<Resolution> {
      const reservation = await windowOf(owner).reserve(MAX_QUERIES);
      await holder.acquire();
      let queries: number = MAX_QUERIES;
      try {
        // Another task may have looked up the domain in the meantime.
        const known = cache.get(domain) ?? running.get(domain);
        reservation.start();
        const found = await (known ?? run(domain));
        queries = known === undefined ? found.queries : 0;
        return found.resolution;
      } finally {
        holder.release();
        reservation.settle(queries);
      }
    }

    return async (domain) => {
      const known = cache.get(domain) ?? (await running.get(domain));
      return known?.resolution ?? lookUp(domain);
    };
  };
}

/** Evicts expired entries on access, and the oldest entry above the capacity. */
function createCache(now: () => number, capacity: number) {
  const entries = new Map<string, { readonly found: LookupResult; readonly until: number }>();
  return {
    get(domain: string): LookupResult | undefined {
      const entry = entries.get(domain);
      if (entry === undefined || entry.until > now()) return entry?.found;
      entries.delete(domain);
      return undefined;
    },
    set(domain: string, found: LookupResult): void {
      const { min, max } = TTL_SECONDS;
      const seconds = Math.min(Math.max(found.ttlSeconds ?? min, min), max);
      entries.delete(domain);
      entries.set(domain, { found, until: now() + seconds * 1000 });
      const [oldest] = entries.keys();
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest);
    },
  };
}
