import type { Fetch } from '../../http/dispatcher.ts';
import { closeOnFailure } from '../../lib/closing.ts';
import { type LimitedLog, reasonOf } from '../../lib/log.ts';
import { SECOND } from '../../lib/time.ts';
import type { ServerLedger } from '../../storage/storage.ts';
import type { DailySecrets } from '../addressHashes.ts';
import type { AppContext } from '../context.ts';
import { serveForwarded } from './forwarding/serveForwarded.ts';
import { createAnswerLookUp } from './lookups.ts';
import type { ThreadState } from './memory.ts';
import type { ManagementMethods, ThreadConfig } from './methods.ts';
import { type RequestThreads, startRequestThreads } from './requestThreads.ts';
import { createStaticFiles, type StaticFiles, threadRoutes } from './staticFiles.ts';

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
  readonly startRequestThread?: (() => Worker) | undefined;
};

/** Interval of checks for new secrets of client addresses. The threads get them a day in advance. */
const SECRETS_MS = 10 * SECOND;

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
    openPorts: () => [ledger.connect(), openForwarding(options)],
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
  const { baseUrl, clientIpHeader, hstsSubdomains, log, testProperty, trustedProxies } = config;
  const { puzzleBurst, puzzleRate, verifyBurst, verifyRate } = config;
  const rates = { puzzleBurst, puzzleRate, verifyBurst, verifyRate };
  return { baseUrl, clientIpHeader, hstsSubdomains, log, testProperty, threads, trustedProxies, ...rates };
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
  const { caches, argon2id, usageRecording, services, countSharing, log } = context;
  return {
    lookUp: createAnswerLookUp(caches.sources, caches.reportFailure),
    loadFile: staticFiles.load,
    checkArgon2id: ({ owner, payload }) => argon2id.check(owner, payload),
    addCounts({ keyUses = [], ...counts }) {
      usageRecording.merge(counts);
      services.keyUses.merge(keyUses);
    },
    collect: countSharing.collect,
    log: ({ level, event, fields }) => log[level](event, fields),
    logLost: (entries) => log.warn('log-entries-lost', { entries }),
    logSuppressed: ({ event, suppressed }) => addSuppressed(event, suppressed),
    reportFailure: (reason) => caches.reportFailure(new Error(reason)),
  };
}
