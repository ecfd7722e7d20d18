import type { Argon2idCheckDeps } from '../captcha/argon2idCheck.ts';
import type { Usage } from '../captcha/usage.ts';
import type { Config } from '../config.ts';
import { type BodiesOptions, createBodies } from '../http/body.ts';
import { commonHeaders } from '../http/commonHeaders.ts';
import type { Fetch } from '../http/dispatcher.ts';
import { createRequestContext } from '../http/requestContext.ts';
import { createSecurityLog } from '../http/securityLog.ts';
import { createWidgetBuilds } from '../http/widget/widgetBuilds.ts';
import { type Closing, closeOnFailure, createClosing } from '../lib/closing.ts';
import { createRequestIds, systemRandom } from '../lib/ids.ts';
import { type LimitedLog, reasonOf } from '../lib/log.ts';
import { socketPathOf } from '../lib/parse.ts';
import { createOwnMemory, createSharedMemory, type SharedMemory } from '../lib/sharedMemory.ts';
import { type Clock, type Instant, systemClock } from '../lib/time.ts';
import { INSTALLATION } from '../model/actor.ts';
import type { EffectiveSetting } from '../model/system.ts';
import type { FirstStart } from '../platform/installation/firstStart.ts';
import { linkTo } from '../portal/kit/paths.ts';
import { createArgon2id } from './argon2id/argon2id.ts';
import { startBackgroundJobs } from './backgroundJobs.ts';
import { createCaches } from './caches.ts';
import { openCheckedLedger } from './checkedLedger.ts';
import type { ClaimTime } from './claimWatch.ts';
import type { AppContext } from './context.ts';
import { createCountSharing } from './countSharing.ts';
import { createWidgetArchive } from './embeddedFiles.ts';
import { createMeters, type HotReadings, type Meters, readHotMeters } from './meters.ts';
import { createRequestHandler } from './requestHandler.ts';
import { openServices, type Services, type ServicesOptions } from './services.ts';
import { openMeterMemory, openThreadState, threadCountOf } from './threads/memory.ts';
import type { RequestThreads } from './threads/requestThreads.ts';
import { createTrafficRecording } from './trafficRecording.ts';
import { createUsageRecording } from './usageRecording.ts';

/** A complete server that does not listen on a port yet. */
export type App = {
  readonly fetch: Fetch;
  readonly services: Services;
  readonly firstStart: FirstStart;
  /** The secret link that creates the first account; undefined if an account exists already. */
  readonly setupLink: string | undefined;
  /** The threads that listen and respond; undefined if there is only this one. */
  readonly threads: RequestThreads | undefined;
  /** Sets the function that returns the peer address of a request. */
  readonly setPeer: (peerOf: (request: Request) => string | undefined) => void;
  /** Reports when the TLS certificate in use expires. */
  readonly setCertificateExpiry: (at: Instant) => void;
  /**
   * Makes `/readyz` report that the server is draining, and makes responses close their connections. Resolves when the server can stop
   * listening; see Draining.
   */
  readonly drain: () => Promise<void>;
  /** Writes the statistics counted so far to the database. */
  readonly flush: () => Promise<void>;
  /**
   * Stops the background jobs and closes the files. Must not be called while requests are running.
   *
   * @throws (rejects) if a part cannot be closed, after it was logged and all other parts were closed
   */
  readonly close: () => Promise<void>;
};

export type AppOptions = {
  readonly config: Config;
  readonly log: LimitedLog;
  readonly clock?: Clock;
  /** The settings that the portal shows. */
  readonly settings?: readonly EffectiveSetting[];
  /** Number of puzzles that the replay guard caches; does not affect verdicts. */
  readonly replayCapacity?: number;
  /** Interval of checks for changes by other processes; tests can use a very long interval. */
  readonly watchEveryMs?: number;
  /** Whether scheduled jobs run, by default true. Tests that check that nothing is written turn them off. */
  readonly hasJobs?: boolean;
  /** Limits for request bodies, for tests. */
  readonly bodies?: BodiesOptions;
  /** Interval at which the statistics are written to the database. */
  readonly flushEveryMs?: number;
  /** Interval at which the counter of the data increases, for tests. */
  readonly countEveryMs?: number;
  /** Replaces the counters of the statistics, for benchmarks. */
  readonly usage?: Usage;
  /** Replaces the archive of the widget's build, for tests. */
  readonly widgetArchive?: string;
  /** Replaces the threads that verify argon2id solutions, for tests. */
  readonly verifyArgon2id?: Argon2idCheckDeps['verify'];
  /** Replaces the clock and the timer of the deadlines of claims, for tests. */
  readonly claimTime?: ClaimTime;
  /** Creates the workers of request threads, for tests. */
  readonly startRequestThread?: () => Worker;
} & Pick<ServicesOptions, 'engine' | 'argon2'>;

/** The parts whose failure to close is a failure of the storage. */
const STORAGE = 'storage';

/** Number of puzzles in the cache of the replay guard, rounded up to 131,072. */
const REPLAY_CAPACITY = 100_000;

/** Creates the storage, the services, the background jobs, and the HTTP routes. If a step fails, it closes what is open. */
export function openApp(options: AppOptions): Promise<App> {
  const { log } = options;
  const closing = createClosing((part, error) => {
    const reason = reasonOf(error);
    if (part === STORAGE) log.error('storage-not-closed', { reason });
    else log.error('part-not-stopped', { part, reason });
  });
  return closeOnFailure(closing.close, () => openParts(options, closing));
}

/** Opens the storage and everything that depends only on it. */
async function openBase(options: AppOptions, closing: Closing) {
  const { config, log, clock = systemClock } = options;
  // Several threads cannot listen on a Unix socket.
  const threadCount = socketPathOf(config.host) === undefined ? threadCountOf(config.threads) : 1;
  const hasThreads = threadCount > 1;
  const memory = hasThreads ? createSharedMemory() : createOwnMemory();
  const threadState = openThreadState(memory);
  const { generation, maintenance, oldestClaims } = threadState;
  const others = hasThreads ? await openReadings(memory, threadCount) : [];
  const meters = createMeters(clock, others);
  const services = await openServerServices(options, clock, meters, closing);
  services.maintenance.watch(maintenance.set);
  const checked = { ...options, services, clock, meters, oldestClaims };
  const ledger = await openCheckedLedger(checked, closing, STORAGE);
  const firstStart = await services.firstStart(config);
  const caches = await createCaches({ services, log, clock, meters, generation, isShared: hasThreads });
  const widgetBuilds = createWidgetBuilds({
    store: services.stores.widgetBuilds,
    archive: options.widgetArchive ?? createWidgetArchive(),
    now: () => performance.now(),
    clock,
    log,
  });
  const common = { config, log, clock, memory, meters, services, ledger, caches, widgetBuilds };
  return { common, firstStart, threadCount, threadState, others };
}

/** Opens everything in order. @param closing receives the functions that close what is open, also if a later step fails */
async function openParts(options: AppOptions, closing: Closing): Promise<App> {
  const { config, settings = [], hasJobs = true, replayCapacity = REPLAY_CAPACITY } = options;
  const { common, firstStart, threadCount, threadState, others } = await openBase(options, closing);
  const { services, meters, ledger } = common;
  const { draining, oldestClaims } = threadState;
  const { demo } = firstStart;
  const hasThreads = threadCount > 1;
  const jobs = await startBackgroundJobs({ ...options, ...common, hasJobs }, closing);
  const exchange = services.storage.openCountExchange();
  const countSharing = createCountSharing({ ...common, exchange, hasThreads });
  closing.add(STORAGE, countSharing.stop);
  const usageRecording = createUsageRecording({ ...options, ...common, countSharing, others });
  closing.add(STORAGE, usageRecording.stop);
  const trafficRecording = createTrafficRecording({ ...common, countSharing });
  closing.add('recent requests', trafficRecording.stop);
  const argon2id = createArgon2id(config, meters, options.verifyArgon2id);
  closing.add('argon2id threads', argon2id.stop);
  const { setPeer, addresses, ...network } = openNetwork(options, meters);
  const context: AppContext = {
    ...common,
    ...network,
    ...jobs,
    settings,
    replayCapacity,
    countSharing,
    usageRecording,
    trafficRecording,
    argon2id: argon2id.check,
    demo,
    publicPages: { hasDemo: demo !== undefined, hasSwagger: config.swagger !== 'off' },
    draining,
  };
  const fetch = createRequestHandler(context);
  await countSharing.start();
  const { openRequestThreads } = hasThreads ? await import('./threads/requestThreads.ts') : {};
  const threading = { context, ledger, oldestClaims, threadCount, fetch, addresses };
  const threads = await openRequestThreads?.({ ...options, ...threading });
  closing.add('request threads', () => threads?.close());
  const setupToken = await services.authentication.setup.createToken();
  return {
    fetch,
    services,
    firstStart,
    setupLink: setupToken === undefined ? undefined : linkTo(config.baseUrl, 'setup', setupToken),
    threads,
    setPeer,
    setCertificateExpiry(at) {
      meters.certificateExpiresAt = at;
    },
    drain() {
      draining.begin();
      return draining.quiet();
    },
    async flush() {
      await threads?.handOver();
      await usageRecording.flush();
    },
    close: closing.close,
  };
}

/** Creates the functions that all routes use: ids, client addresses, bodies, and the log of security events. */
function openNetwork({ config, log, bodies }: AppOptions, meters: Meters) {
  /** The remote addresses of the requests that request threads have forwarded. */
  const addresses = new WeakMap<Request, string>();
  let peerOf: (request: Request) => string | undefined = (request) => addresses.get(request);
  const requestContext = createRequestContext({
    ...config,
    newId: createRequestIds(systemRandom),
    peerOf: (request) => peerOf(request),
  });
  return {
    addresses,
    setPeer: (next: typeof peerOf) => {
      peerOf = next;
    },
    requestContext,
    securityLog: createSecurityLog({
      log,
      addressOf: requestContext.addressOf,
      onEvent: meters.securityEvents.add,
    }),
    bodies: createBodies(requestContext, bodies),
    commonHeaders: commonHeaders(config),
  };
}

/** Opens the counters of all request threads. */
async function openReadings(memory: SharedMemory, count: number): Promise<readonly HotReadings[]> {
  // Loaded here because a server with a single thread does not need this module.
  const { threadRoutes } = await import('./threads/staticFiles.ts');
  const routes = threadRoutes();
  return Array.from({ length: count }, (_, slot) => readHotMeters(openMeterMemory(memory, slot), routes));
}

/** Opens the services with a writer thread, so that requests do not wait for the disk. */
async function openServerServices(
  { config, log, engine, argon2 }: AppOptions,
  clock: Clock,
  { storeCalls }: Meters,
  closing: Closing,
): Promise<Services> {
  const services = await openServices({
    ...config,
    clock,
    eventLog: log,
    onAuditFailure: (action, error) => log.error('audit-not-written', { action, reason: reasonOf(error) }),
    onWriterThread(event, reason) {
      if (event === 'ended') log.error('writer-ended', { reason });
      else log.info('writer-replaced');
    },
    onUpgrade: ({ file, bytes, from, to }) => log.info('upgrade-copied', { file, bytes, from, to }),
    wrapStores: (stores) =>
      storeCalls.measure(stores, ({ store, name }, milliseconds) =>
        log.warn('store-call-slow', { store, method: name, ms: Math.round(milliseconds) }),
      ),
    engine,
    argon2,
  });
  closing.add(STORAGE, services.close);
  // Nodes of an earlier version may have stored other spellings after the migration.
  const kept = await services.users.normalizeEmails(INSTALLATION);
  if (kept > 0) log.warn('emails-ambiguous', { users: kept });
  return services;
}
