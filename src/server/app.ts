import type { Argon2idCheckDeps } from '../captcha/argon2idCheck.ts';
import type { Usage } from '../captcha/usage.ts';
import type { Config } from '../config.ts';
import { type BodiesOptions, createBodies } from '../http/body.ts';
import { commonHeaders } from '../http/commonHeaders.ts';
import { createRequestContext } from '../http/requestContext.ts';
import { createSecurityLog } from '../http/securityLog.ts';
import type { Fetch } from '../http/server.ts';
import { createWidgetBuilds } from '../http/widget/widgetBuilds.ts';
import { type Closing, closeOnFailure, createClosing } from '../lib/closing.ts';
import { createRequestIds, systemRandom } from '../lib/ids.ts';
import { type LimitedLog, reasonOf } from '../lib/log.ts';
import { socketPathOf } from '../lib/parse.ts';
import { createOwnMemory, createSharedMemory, type SharedMemory } from '../lib/sharedMemory.ts';
import { type Clock, type Instant, systemClock } from '../lib/time.ts';
import { timer } from '../lib/timer.ts';
import { INSTALLATION } from '../model/actor.ts';
import type { EffectiveSetting } from '../model/system.ts';
import type { FirstStart } from '../platform/installation/firstStart.ts';
import type { ServerLedger } from '../storage/storage.ts';
import type { AppContext } from './appContext.ts';
import { createArgon2id } from './argon2id/argon2id.ts';
import { startBackgroundJobs } from './backgroundJobs.ts';
import { createCaches } from './caches.ts';
import { CLIENT_CAPACITY } from './capacities.ts';
import { type ClaimTime, sharedNow, watchLedger } from './claimWatch.ts';
import { createCountSharing } from './countSharing.ts';
import { startDataCounting } from './dataCounting.ts';
import { createDataMark } from './dataMark.ts';
import { rejectUnsafePuzzles } from './earlierPuzzles.ts';
import { createWidgetArchive } from './embeddedFiles.ts';
import { type HotReadings, readHotMeters } from './hotMeters.ts';
import { createMeters, type Meters } from './meters.ts';
import { createRequestHandler } from './requestHandler.ts';
import { openServices, type Services, type ServicesOptions } from './services.ts';
import { createSetupLink } from './setupLink.ts';
import { openMeterMemory, openThreadState, type ThreadState } from './threads/memory.ts';
import type { RequestThreads } from './threads/requestThreads.ts';
import { threadCountOf } from './threads/threadCount.ts';
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

function openWidgetBuilds({ log, widgetArchive }: AppOptions, services: Services, clock: Clock) {
  return createWidgetBuilds({
    store: services.stores.widgetBuilds,
    archive: widgetArchive ?? createWidgetArchive(),
    now: () => performance.now(),
    clock,
    log,
  });
}

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

/** Opens everything in order. @param closing receives the functions that close what is open, also if a later step fails */
async function openParts(options: AppOptions, closing: Closing): Promise<App> {
  const { config, log, clock = systemClock, settings = [], flushEveryMs, usage } = options;
  const { watchEveryMs, hasJobs = true } = options;
  // Several threads cannot listen on a Unix socket.
  const threadCount = socketPathOf(config.host) === undefined ? threadCountOf(config.threads) : 1;
  const hasThreads = threadCount > 1;
  const memory = hasThreads ? createSharedMemory() : createOwnMemory();
  const { draining, generation, maintenance, oldestClaims } = openThreadState(memory);
  const others = hasThreads ? await openReadings(memory, threadCount) : [];
  const meters = createMeters(clock, others);
  const services = await openServerServices(options, clock, meters, closing);
  services.maintenance.watch(maintenance.set);
  const ledger = await openCheckedLedger({ ...options, clock }, services, meters, oldestClaims, closing);
  const firstStart = await services.firstStart(config);
  const caches = await createCaches({ services, log, clock, meters, generation, isShared: hasThreads });
  const widgetBuilds = openWidgetBuilds(options, services, clock);
  const common = { config, services, log, clock, memory, ledger, caches, meters, widgetBuilds };
  const jobs = await startBackgroundJobs({ ...common, watchEveryMs, hasJobs }, closing);
  const countSharing = createCountSharing({ ...common, exchange: services.openCountExchange(), hasThreads });
  closing.add(STORAGE, countSharing.stop);
  const recording = { flushEveryMs, usage, clientCapacity: CLIENT_CAPACITY, share: countSharing.share };
  const usageRecording = createUsageRecording({ ...common, ...recording, others });
  closing.add(STORAGE, usageRecording.stop);
  const argon2id = createArgon2id(config, meters, options.verifyArgon2id);
  closing.add('argon2id threads', argon2id.stop);
  const network = openNetwork(options, meters);
  const context: AppContext = {
    ...common,
    ...network,
    settings,
    replayCapacity: options.replayCapacity ?? REPLAY_CAPACITY,
    usageRecording,
    argon2id: argon2id.check,
    countSharing,
    demo: firstStart.demo,
    taskFinished: jobs.taskFinished,
    tasksRunning: jobs.tasksRunning,
    nodeClock: jobs.nodeClock,
    draining,
  };
  const fetch = createRequestHandler(context);
  await countSharing.start();
  const { openRequestThreads } = hasThreads ? await import('./threads/openRequestThreads.ts') : {};
  const threading = { context, ledger, oldestClaims, threadCount, fetch };
  const threads = await openRequestThreads?.({ ...options, ...network, ...threading });
  closing.add('request threads', () => threads?.close());
  return {
    fetch,
    services,
    firstStart,
    setupLink: await createSetupLink(services, config.baseUrl),
    threads,
    setPeer: network.setPeer,
    setCertificateExpiry: (at) => {
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
  const { threadRoutes } = await import('./staticFiles.ts');
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

/** Opens the ledger, rejects the puzzles whose claims may be missing, and starts to increase the counter of the data. */
async function openCheckedLedger(
  options: AppOptions & { readonly clock: Clock },
  services: Services,
  meters: Meters,
  oldestClaims: ThreadState['oldestClaims'],
  closing: Closing,
): Promise<ServerLedger> {
  const { config, log, clock, countEveryMs: everyMs } = options;
  const mark = createDataMark(config, services.installationId, log);
  // Before the counters of the databases; see Counters.
  const marked = (await mark?.read()) ?? 0;
  const ledger = await openLedger(services, options, meters, oldestClaims);
  closing.add(STORAGE, ledger.close);
  const isRolledBack = await rejectUnsafePuzzles({ services, log }, ledger, marked);
  if (ledger.counter !== undefined) meters.isDataRolledBack = isRolledBack;
  const isPaused = services.maintenance.hasFailed;
  const { counter } = ledger;
  const stopCounting = await startDataCounting({ counter, mark, marked, clock, everyMs, isPaused });
  closing.add('data counter', () => stopCounting?.());
  return ledger;
}

async function openLedger(
  services: Services,
  { config, log, claimTime = { now: sharedNow, timer } }: AppOptions,
  meters: Meters,
  oldestClaims: ThreadState['oldestClaims'],
): Promise<ServerLedger> {
  const ledger = await services.openLedger({
    durability: config.replayDurability,
    onCommit: meters.recordCommit,
    onThread(event, reason) {
      if (event === 'ended') log.error('ledger-ended', { reason });
      else log.info('ledger-replaced');
    },
  });
  return watchLedger(ledger, oldestClaims, { log, ...claimTime });
}
