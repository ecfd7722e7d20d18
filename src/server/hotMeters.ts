import { type CaptchaTotals, createCaptchaTotals } from '../captcha/captchaTotals.ts';
import type { UsageCounter } from '../captcha/usage.ts';
import { withHead } from '../http/directRoutes.ts';
import { createRequestMeter, type RequestMeter } from '../http/requestMeter.ts';
import { type Arena, createArena } from '../lib/arena.ts';
import { type Counters, createCounters } from '../lib/counters.ts';
import { createHistogram, type Histogram } from '../lib/histogram.ts';
import { SECURITY_EVENTS, type SecurityEvent } from '../model/logEvents.ts';
import { type ReadCacheReading, readCounters } from '../storage/readCache.ts';
import { PRINCIPALS, PROPERTIES } from './hotCaches.ts';

/** The rate limits by the requests that they reject. */
export type RateLimited = 'puzzle' | 'verify' | 'portal';

/** The counters that requests for puzzles and verifications increment. Every request thread has its own. */
export type HotMeters = {
  readonly requests: RequestMeter;
  readonly rateLimits: Counters<RateLimited>;
  readonly securityEvents: Counters<SecurityEvent>;
  readonly storageFailures: Counters<'main' | 'claims'>;
  readonly lag: Histogram;
};

const LAG_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** @param arena memory that another thread reads too; undefined for memory of this thread */
export function createHotMeters(arena?: Arena, requests?: Arena): HotMeters {
  return {
    requests: createRequestMeter(requests),
    rateLimits: createCounters(['puzzle', 'verify', 'portal'], arena),
    securityEvents: createCounters(SECURITY_EVENTS, arena),
    storageFailures: createCounters(['main', 'claims'], arena),
    lag: createHistogram(LAG_BOUNDS, arena),
  };
}

/**
 * Size of each part of the memory, in numbers: 320 methods of routes with about 515 each, and more than enough for the other parts. The
 * system provides memory only for routes that receive requests.
 */
const PARTS = { requests: 320 * 520, counters: 128, totals: 128, caches: 32 } as const;

/** The size of the memory of a request thread's counters, in numbers. */
export const METER_CELLS = Object.values(PARTS).reduce((sum, cells) => sum + cells);

/** The parts of the memory of a request thread's counters. */
export type MeterMemory = Readonly<Record<keyof typeof PARTS, Arena>>;

/** Divides the memory of a request thread's counters. */
export function divideMeterMemory(cells: Float64Array): MeterMemory {
  const { take } = createArena(cells);
  return {
    requests: createArena(take(PARTS.requests)),
    counters: createArena(take(PARTS.counters)),
    totals: createArena(take(PARTS.totals)),
    caches: createArena(take(PARTS.caches)),
  };
}

/** What another thread has counted. */
export type HotReadings = HotMeters & {
  readonly totals: () => CaptchaTotals;
  readonly properties: () => ReadCacheReading;
  readonly principals: () => ReadCacheReading;
};

/** Declares the routes in the same order on all threads, because the order determines their parts of the memory. */
export function declareRoutes(
  { recorderOf }: RequestMeter,
  routes: readonly { readonly method: string; readonly path: string }[],
): void {
  for (const { method, path } of withHead(routes)) recorderOf(method, path);
}

const NO_COUNTER: UsageCounter = { countPuzzle() {}, countVerdict() {} };

/** Opens the counters of another thread. @param routes the routes that the other thread has declared */
export function readHotMeters(
  memory: MeterMemory,
  routes: readonly { readonly method: string; readonly path: string }[],
): HotReadings {
  const meters = createHotMeters(memory.counters, memory.requests);
  declareRoutes(meters.requests, routes);
  return {
    ...meters,
    totals: createCaptchaTotals(NO_COUNTER, memory.totals).read,
    properties: readCounters(memory.caches, PROPERTIES),
    principals: readCounters(memory.caches, PRINCIPALS),
  };
}
