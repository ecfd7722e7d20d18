import { type CaptchaTotals, createCaptchaTotals } from '../captcha/captchaTotals.ts';
import { HASHWX_RESULTS } from '../captcha/hashwxCheck.ts';
import type { UsageCounter } from '../captcha/usage.ts';
import { withHead } from '../http/dispatcher.ts';
import { createRequestMeter, type RequestMeter, sumRequests } from '../http/requestMeter.ts';
import { BATCH_EVENTS } from '../jobs/countExchange.ts';
import { createJobMeter } from '../jobs/schedule.ts';
import type { TaskMeter } from '../jobs/taskRunner.ts';
import {
  type Counters,
  createCounters,
  createHistogram,
  type Histogram,
  type HistogramReading,
  sumCounts,
} from '../lib/counters.ts';
import { type Arena, createArena } from '../lib/sharedMemory.ts';
import type { Clock, Instant } from '../lib/time.ts';
import { SECURITY_EVENTS } from '../model/logEvents.ts';
import type { CacheReading, ClaimCommit } from '../model/readings.ts';
import type { LookupResult, Resolve } from '../platform/properties/dnsResolver.ts';
import { type ReadCacheReading, readCounters } from '../storage/readCache.ts';
import { PRINCIPALS, PROPERTIES } from './caches.ts';
import { createStoreMeter } from './storeMeter.ts';

/** @see createMeters */
export type Meters = ReturnType<typeof createMeters>;

/** Upper bounds in seconds. A commit takes 0.1 ms on a fast SSD and 10 ms or more on a spinning disk. */
const COMMIT_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
/** Upper bounds in claims. Groups of 16 claims are joined while a commit is running. */
const BATCH_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/** Upper bounds in seconds, for work that waits for other servers or users. */
const WAIT_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * Creates the counters of a running server. The server's components increment them, and `GET /metrics` reads them.
 *
 * @param others what other request threads count; `read` of the counters that all threads have includes it
 */
export function createMeters(clock: Clock, others: readonly HotReadings[] = []) {
  const claims = { seconds: createHistogram(COMMIT_BOUNDS), sizes: createHistogram(BATCH_BOUNDS) };
  const own = createHotMeters();
  return {
    ...withOthers(own, others),
    others,
    /** The delays of events by thread: `management`, and the numbers of the request threads, as in log events. */
    lags: (): ReadonlyMap<string, HistogramReading> =>
      new Map([
        ['management', own.lag.read()],
        ...others.map(({ lag }, slot) => [String(slot + 1), lag.read()] as const),
      ]),
    storeCalls: createStoreMeter(),
    claims,
    recordCommit({ claims: size, milliseconds }: ClaimCommit): void {
      claims.seconds.observe(milliseconds / 1000);
      claims.sizes.observe(size);
    },
    countBatches: createCounters(BATCH_EVENTS),
    jobs: createJobMeter(clock),
    tasks: createTaskMeter(),
    dns: createDnsMeter(),
    argon2id: {
      results: createCounters(['valid', 'invalid', 'rejected']),
      /** From the request to the result, including the time in the queue. */
      seconds: createHistogram(WAIT_BOUNDS),
    },
    /** The caches by name; their owners add them. */
    caches: new Map<string, () => CacheReading>(),
    /** When the TLS certificate expires; undefined without TLS. */
    certificateExpiresAt: undefined as Instant | undefined,
    /** The number of database servers that accept writes; undefined unless there are several servers. */
    primaries: undefined as number | undefined,
    /** Whether the server found that claims were missing; with PostgreSQL, true on only one node. */
    areClaimsLost: false,
    /** Whether the server found at startup that data was replaced with an older copy; undefined with PostgreSQL. */
    isDataRolledBack: undefined as boolean | undefined,
  };
}

/** Counts in `own`, and reads the sums of all counters. */
function withOthers(own: HotMeters, others: readonly HotMeters[]): HotMeters {
  const all = [own, ...others];
  const summed = <Kind extends string>(of: (meters: HotMeters) => Counters<Kind>): Counters<Kind> => ({
    add: of(own).add,
    read: () => sumCounts(all.map((meters) => of(meters).read())),
  });
  return {
    requests: {
      ...own.requests,
      read: () => sumRequests(all.flatMap(({ requests }) => requests.read())),
    },
    rateLimits: summed(({ rateLimits }) => rateLimits),
    securityEvents: summed(({ securityEvents }) => securityEvents),
    storageFailures: summed(({ storageFailures }) => storageFailures),
    hashwx: summed(({ hashwx }) => hashwx),
    lag: own.lag,
  };
}

function createTaskMeter() {
  const events = createCounters(['finished', 'failed']);
  const items = createCounters(['succeeded', 'rejected']);
  const seconds = createHistogram(WAIT_BOUNDS);
  const meter: TaskMeter = {
    finished({ succeeded, rejected }, waitedSeconds) {
      events.add('finished');
      items.add('succeeded', succeeded);
      items.add('rejected', rejected);
      seconds.observe(waitedSeconds);
    },
    failed: () => events.add('failed'),
  };
  return { events, items, seconds, ...meter };
}

function createDnsMeter() {
  const lookups = createCounters<LookupResult['resolution']>(['found', 'missing', 'unanswered']);
  const seconds = createHistogram(WAIT_BOUNDS);
  return {
    lookups,
    seconds,
    /** @returns a function that resolves domains and counts its results */
    measure:
      (resolve: Resolve): Resolve =>
      async (domain) => {
        const startedAt = performance.now();
        const found = await resolve(domain);
        seconds.observe((performance.now() - startedAt) / 1000);
        lookups.add(found.resolution);
        return found;
      },
  };
}

/** @see createHotMeters */
export type HotMeters = ReturnType<typeof createHotMeters>;

const LAG_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * Creates the counters that requests for puzzles and verifications increment. Every request thread has its own.
 *
 * @param arena memory that another thread reads too; undefined for memory of this thread
 */
export function createHotMeters(arena?: Arena, requests?: Arena) {
  return {
    requests: createRequestMeter(requests),
    /** The rate limits by the requests that they reject. */
    rateLimits: createCounters(['puzzle', 'verify', 'portal'], arena),
    securityEvents: createCounters(SECURITY_EVENTS, arena),
    storageFailures: createCounters(['main', 'claims'], arena),
    hashwx: createCounters(HASHWX_RESULTS, arena),
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

/** Ten samples a second detect every delay of 0.1 seconds or more. */
const LAG_SAMPLE_MS = 100;

/**
 * Measures how late a repeating timer of this thread fires, which is how long events wait for the event loop.
 *
 * @returns a function that stops the measurement
 */
export function startLagMeasurement(lag: Histogram): () => void {
  let previous = performance.now();
  const timer = setInterval(() => {
    const current = performance.now();
    lag.observe(Math.max(0, current - previous - LAG_SAMPLE_MS) / 1000);
    previous = current;
  }, LAG_SAMPLE_MS);
  return () => clearInterval(timer);
}
