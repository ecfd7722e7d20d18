import { type RequestMeter, sumRequests } from '../http/requestMeter.ts';
import { BATCH_EVENTS, type BatchEvent } from '../jobs/countExchange.ts';
import { createJobMeter, type JobMeter } from '../jobs/jobMeter.ts';
import type { TaskMeter } from '../jobs/taskRunner.ts';
import { type Counters, createCounters, sumCounts } from '../lib/counters.ts';
import { createHistogram, type Histogram, type HistogramReading } from '../lib/histogram.ts';
import type { Clock, Instant } from '../lib/time.ts';
import type { SecurityEvent } from '../model/logEvents.ts';
import type { CacheReading, ClaimCommit } from '../model/readings.ts';
import type { LookupResult, Resolve } from '../platform/properties/dnsResolver.ts';
import { createHotMeters, type HotMeters, type HotReadings, type RateLimited } from './hotMeters.ts';
import { createStoreMeter, type StoreMeter } from './storeMeter.ts';

/** The counters of a running server. The server's components increment them, and `GET /metrics` reads them. */
export type Meters = {
  readonly requests: RequestMeter;
  readonly rateLimits: Counters<RateLimited>;
  readonly securityEvents: Counters<SecurityEvent>;
  readonly claims: { readonly seconds: Histogram; readonly sizes: Histogram };
  readonly recordCommit: (commit: ClaimCommit) => void;
  readonly countBatches: Counters<BatchEvent>;
  readonly jobs: JobMeter;
  readonly tasks: TaskMeter & TaskCounts;
  readonly dns: DnsMeter;
  readonly argon2id: Argon2idCounts;
  readonly storageFailures: Counters<'main' | 'claims'>;
  readonly storeCalls: StoreMeter;
  /** The delays of events on this thread. */
  readonly lag: Histogram;
  /** The delays of events by thread: `management`, and the numbers of the request threads, as in log events. */
  readonly lags: () => ReadonlyMap<string, HistogramReading>;
  /** The caches by name; their owners add them. */
  readonly caches: Map<string, () => CacheReading>;
  /** What the other request threads have counted. `read` of the counters above includes it. */
  readonly others: readonly HotReadings[];
  /** When the TLS certificate expires; undefined without TLS. */
  certificateExpiresAt: Instant | undefined;
  /** The number of database servers that accept writes; undefined unless there are several servers. */
  primaries: number | undefined;
  /** Whether the server found at its start that data was replaced with an older copy; undefined with PostgreSQL. */
  isDataRolledBack: boolean | undefined;
};

type TaskCounts = {
  readonly events: Counters<'finished' | 'failed'>;
  readonly items: Counters<'succeeded' | 'rejected'>;
  readonly seconds: Histogram;
};

type Argon2idCounts = {
  readonly results: Counters<'valid' | 'invalid' | 'rejected'>;
  /** From the request to the result, including the time in the queue. */
  readonly seconds: Histogram;
};

type DnsMeter = {
  readonly lookups: Counters<LookupResult['resolution']>;
  readonly seconds: Histogram;
  /** @returns a function that resolves domains and counts its results */
  readonly measure: (resolve: Resolve) => Resolve;
};

/** Upper bounds in seconds. A commit takes 0.1 ms on a fast SSD and 10 ms or more on a spinning disk. */
const COMMIT_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
/** Upper bounds in claims. Groups of 16 claims are joined while a commit is running. */
const BATCH_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/** Upper bounds in seconds, for work that waits for other servers or users. */
const WAIT_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Creates all counters. @param others what other request threads count */
export function createMeters(clock: Clock, others: readonly HotReadings[] = []): Meters {
  const claims = { seconds: createHistogram(COMMIT_BOUNDS), sizes: createHistogram(BATCH_BOUNDS) };
  const own = createHotMeters();
  return {
    ...withOthers(own, others),
    lags: () =>
      new Map([
        ['management', own.lag.read()],
        ...others.map(({ lag }, slot) => [String(slot + 1), lag.read()] as const),
      ]),
    storeCalls: createStoreMeter(),
    others,
    claims,
    recordCommit({ claims: size, milliseconds }) {
      claims.seconds.observe(milliseconds / 1000);
      claims.sizes.observe(size);
    },
    countBatches: createCounters(BATCH_EVENTS),
    jobs: createJobMeter(clock),
    tasks: createTaskMeter(),
    dns: createDnsMeter(),
    argon2id: {
      results: createCounters(['valid', 'invalid', 'rejected']),
      seconds: createHistogram(WAIT_BOUNDS),
    },
    caches: new Map(),
    certificateExpiresAt: undefined,
    primaries: undefined,
    isDataRolledBack: undefined,
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
    lag: own.lag,
  };
}

function createTaskMeter(): TaskMeter & TaskCounts {
  const events = createCounters(['finished', 'failed']);
  const items = createCounters(['succeeded', 'rejected']);
  const seconds = createHistogram(WAIT_BOUNDS);
  return {
    events,
    items,
    seconds,
    finished({ succeeded, rejected }, waitedSeconds) {
      events.add('finished');
      items.add('succeeded', succeeded);
      items.add('rejected', rejected);
      seconds.observe(waitedSeconds);
    },
    failed: () => events.add('failed'),
  };
}

function createDnsMeter(): DnsMeter {
  const lookups = createCounters(['found', 'missing', 'unanswered']);
  const seconds = createHistogram(WAIT_BOUNDS);
  return {
    lookups,
    seconds,
    measure: (resolve) => async (domain) => {
      const startedAt = performance.now();
      const found = await resolve(domain);
      seconds.observe((performance.now() - startedAt) / 1000);
      lookups.add(found.resolution);
      return found;
    },
  };
}
