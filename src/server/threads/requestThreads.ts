import type { GeoipBytes } from '../../geoip/geoip.ts';
import type { Fetch } from '../../http/dispatcher.ts';
import { closeOnFailure } from '../../lib/closing.ts';
import { type LimitedLog, type Log, reasonOf } from '../../lib/log.ts';
import { SECOND } from '../../lib/time.ts';
import type { SigningKey } from '../../model/ports/installation.ts';
import type { ServerLedger } from '../../storage/storage.ts';
import type { ArgumentOf } from '../../threads/protocol.ts';
import { type KeptThread, keepThread, type StartWorker } from '../../threads/worker.ts';
import type { DailySecrets } from '../addressHashes.ts';
import type { AppContext } from '../context.ts';
import { serveForwarded } from './forwarding/serveForwarded.ts';
import { createAnswerLookUp } from './lookups.ts';
import type { ThreadState } from './memory.ts';
import { createStaticFiles, type StaticFiles, threadRoutes } from './staticFiles.ts';
import type {
  ListenOptions,
  ManagementMethods,
  ThreadConfig,
  ThreadMethods,
  ThreadStart,
} from './threadMethods.ts';

/** The request threads of a server, seen from the management thread. */
export type RequestThreads = Awaited<ReturnType<typeof startRequestThreads>>;

export type OpenThreadsOptions = {
  readonly context: AppContext;
  readonly threadCount: number;
  readonly ledger: Pick<ServerLedger, 'connect'>;
  readonly oldestClaims: ThreadState['oldestClaims'];
  readonly log: Pick<LimitedLog, 'addSuppressed'>;
  /** Responds to the requests that the threads forward. */
  readonly fetch: Fetch;
  /** Receives the remote addresses of these requests. */
  readonly addresses: WeakMap<Request, string>;
  readonly startRequestThread?: StartWorker | undefined;
};

/** Interval of checks for new secrets of client addresses. The threads get them a day in advance. */
const SECRETS_MS = 10 * SECOND;

/** The longest wait for the counts of a thread when the server stops. */
const HAND_OVER_MS = 2000;

/** Delays until a thread that has ended is replaced. */
const DELAYS = { firstMs: 200, longestMs: 30_000 } as const;

/**
 * Starts the request threads, and keeps their signing keys, address secrets, and GeoIP files up to date.
 *
 * @throws (rejects) if a thread cannot be started
 */
export async function openRequestThreads(options: OpenThreadsOptions): Promise<RequestThreads> {
  const { context, threadCount, ledger, oldestClaims, startRequestThread: startWorker } = options;
  const { caches, countSharing, memory, replayCapacity, services, log } = context;
  const staticFiles = createStaticFiles(context);
  const routes = threadRoutes();
  const threads = await startRequestThreads({
    count: threadCount,
    startOf: () => ({
      config: toThreadConfig(options),
      buffers: memory.buffers,
      replayCapacity,
      isClustered: countSharing.isClustered,
      signingKeys: caches.signingKeys(),
      addressSecrets: secretsOf(context),
      geoip: services.geoip.contents(),
      files: staticFiles.files,
      routes,
    }),
    openPorts: () => ({ ledgerPort: ledger.connect(), forwardPort: openForwarding(options) }),
    management: createManagementMethods(options, staticFiles),
    log,
    // The claims of a thread that has ended no longer wait.
    onEnded: (slot) => oldestClaims[1 + slot]?.set(undefined),
    startWorker,
  });
  return closeOnFailure(threads.close, () => keepUpToDate(context, threads));
}

/** Sends the threads what changes. @returns the threads, whose `close` also stops it */
function keepUpToDate(context: AppContext, threads: RequestThreads): RequestThreads {
  const { caches, services } = context;
  const { geoip } = services;
  const sendSigningKeys = () => threads.replaceSigningKeys(caches.signingKeys());
  const sendGeoip = () => threads.replaceGeoip(geoip.contents());
  caches.onSigningKeys(sendSigningKeys);
  geoip.onLoad(sendGeoip);
  // They may have changed while the threads started.
  sendSigningKeys();
  sendGeoip();
  const stopSecrets = sendSecrets(context, threads);
  return {
    ...threads,
    close() {
      stopSecrets();
      return threads.close();
    },
  };
}

/** Sends the address secrets when they change. @returns a function that stops it */
function sendSecrets(context: AppContext, { replaceAddressSecrets }: RequestThreads): () => void {
  let sent: string | undefined;
  const check = () => {
    const secrets = secretsOf(context);
    const text = JSON.stringify(secrets);
    if (text !== sent) replaceAddressSecrets(secrets);
    sent = text;
  };
  check();
  const timer = setInterval(check, SECRETS_MS);
  return () => clearInterval(timer);
}

function secretsOf({ countSharing, clock }: AppContext): DailySecrets {
  if (countSharing.dailySecrets === undefined) throw new TypeError('the address secrets cannot be shared');
  return countSharing.dailySecrets(clock());
}

function toThreadConfig({ context: { config }, threadCount: threads }: OpenThreadsOptions): ThreadConfig {
  const { baseUrl, clientIpHeader, hstsSubdomains, log, testProperty, trafficDetails, trustedProxies } =
    config;
  const { puzzleBurst, puzzleRate, verifyBurst, verifyRate } = config;
  const rates = { puzzleBurst, puzzleRate, verifyBurst, verifyRate };
  const hot = { testProperty, trafficDetails, ...rates };
  return { baseUrl, clientIpHeader, hstsSubdomains, log, threads, trustedProxies, ...hot };
}

/** @returns the port for a request thread */
function openForwarding({ fetch, addresses, context }: OpenThreadsOptions): MessagePort {
  const { port1, port2 } = new MessageChannel();
  serveForwarded(port1, {
    handle: fetch,
    addresses,
    onFailure: (error) => context.log.error('request-not-forwarded', { reason: reasonOf(error) }),
  });
  return port2;
}

function createManagementMethods(
  { context, log: { addSuppressed } }: OpenThreadsOptions,
  staticFiles: StaticFiles,
): ManagementMethods {
  const { caches, argon2id, usageRecording, trafficRecording, services, countSharing, log } = context;
  return {
    lookUp: createAnswerLookUp(caches.sources, caches.reportFailure),
    loadFile: staticFiles.load,
    checkArgon2id: ({ owner, payload }) => argon2id.check(owner, payload),
    addCounts({ keyUses = [], traffic = [], ...counts }) {
      usageRecording.merge(counts);
      trafficRecording.merge(traffic);
      services.keyUses.merge(keyUses);
    },
    collect: countSharing.collect,
    log: ({ level, event, fields }) => log[level](event, fields),
    logLost: (entries) => log.warn('log-entries-lost', { entries }),
    logSuppressed: ({ event, suppressed }) => addSuppressed(event, suppressed),
    reportFailure: (reason) => caches.reportFailure(new Error(reason)),
  };
}

type RequestThreadsOptions = {
  readonly count: number;
  /** What a new thread needs, apart from its number and its ports. */
  readonly startOf: () => Omit<ThreadStart, 'slot' | keyof ThreadPorts>;
  readonly openPorts: () => ThreadPorts;
  readonly management: ManagementMethods;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Called with the number of a thread that has ended. */
  readonly onEnded: (slot: number) => void;
  readonly startWorker: StartWorker | undefined;
};

type ThreadPorts = Pick<ThreadStart, 'ledgerPort' | 'forwardPort'>;

/** Starts the thread with this number, and replaces it when it ends. */
function keepRequestThread(
  { startOf, openPorts, management, log, startWorker, onEnded }: RequestThreadsOptions,
  slot: number,
  listening: () => ListenOptions | undefined,
): KeptThread<ThreadMethods> {
  return keepThread<ThreadMethods>({
    name: 'request',
    start: startWorker,
    local: management,
    async open(thread) {
      // If a thread ends before it receives its ports, their other ends are never closed. So the ports are created after it has loaded.
      await thread.call('ping', undefined);
      const ports = openPorts();
      await thread.call('start', { ...startOf(), ...ports, slot }, Object.values(ports));
      const options = listening();
      if (options !== undefined) await thread.call('listen', options);
    },
    delays: DELAYS,
    onEnded(reason) {
      onEnded(slot);
      log.error('request-thread-ended', { thread: slot + 1, reason });
    },
    onReplaced: () => log.info('request-thread-replaced', { thread: slot + 1 }),
  });
}

/** Starts the request threads. @throws (rejects) if one of them cannot be started */
async function startRequestThreads(options: RequestThreadsOptions) {
  let listening: ListenOptions | undefined;
  const slots: KeptThread<ThreadMethods>[] = [];

  function notify<Name extends keyof ThreadMethods>(name: Name, argument: ArgumentOf<ThreadMethods[Name]>) {
    for (const { current } of slots) current().notify(name, argument);
  }

  /** Calls a function of all threads, and ignores threads that end. */
  async function callAll<Name extends keyof ThreadMethods>(
    name: Name,
    argument: ArgumentOf<ThreadMethods[Name]>,
  ) {
    const calls = slots.map(async ({ current }) => {
      const thread = current();
      try {
        await thread.call(name, argument);
      } catch (error) {
        if (thread.isAlive()) throw error;
      }
    });
    await Promise.all(calls);
  }

  async function stopListening(): Promise<void> {
    listening = undefined;
    await callAll('stopListening', undefined);
  }

  function stop(): void {
    for (const { current } of slots) current().stop();
  }

  function release(): void {
    for (const slot of slots) slot.release();
  }

  try {
    for (let slot = 0; slot < options.count; slot++)
      slots.push(keepRequestThread(options, slot, () => listening));
    await Promise.all(slots.map(({ opened }) => opened));
  } catch (error) {
    release();
    stop();
    throw error;
  }
  return {
    /** All threads listen on the port. Another call replaces the certificate. @throws if a thread cannot listen */
    async listen(next: ListenOptions): Promise<void> {
      const previous = listening;
      // A thread that replaces an ended one listens with these options, too.
      listening = next;
      try {
        await callAll('listen', next);
      } catch (error) {
        if (previous === undefined) await stopListening();
        else listening = previous;
        throw error;
      }
    },
    /** Stops accepting connections. Resolves when the last request is finished. */
    stopListening,
    replaceSigningKeys: (keys: readonly SigningKey[]): void => notify('replaceSigningKeys', keys),
    replaceAddressSecrets: (secrets: DailySecrets): void => notify('replaceAddressSecrets', secrets),
    replaceGeoip: (contents: readonly GeoipBytes[]): void => notify('replaceGeoip', contents),
    /** Resolves when every thread has responded. Threads that end, or are being replaced, do not count. */
    ping: (): Promise<void> => callAll('ping', undefined),
    /** Collects everything that the threads have counted before the call. */
    handOver: (): Promise<void> => callAll('handOver', undefined),
    /** Collects all counts, and ends the threads. Requests that are not finished are aborted. */
    async close(): Promise<void> {
      const handedOver = callAll('handOver', undefined).catch(() => {});
      release();
      await Promise.race([handedOver, Bun.sleep(HAND_OVER_MS)]);
      stop();
    },
  };
}
