import { join } from 'node:path';
import type { Usage } from '../captcha/usage.ts';
import type { Config } from '../config.ts';
import { createOperations } from '../http/api/operation.ts';
import { organizationRoutes } from '../http/api/organizations.ts';
import { propertyRoutes } from '../http/api/properties.ts';
import { statisticsRoutes } from '../http/api/statistics.ts';
import { createReadApiKey, createRequireKey, type KeyRejection } from '../http/apiKeyGuard.ts';
import { assetRoutes } from '../http/assets.ts';
import { type Bodies, type BodiesOptions, createBodies } from '../http/body.ts';
import { puzzleRoutes } from '../http/captcha/puzzle.ts';
import { siteverifyFailure, siteverifyRoutes } from '../http/captcha/siteverify.ts';
import { createVerifyAnswer, verifyRoutes } from '../http/captcha/verify.ts';
import { commonHeaders } from '../http/commonHeaders.ts';
import { demoRoutes } from '../http/demo.ts';
import { healthRoutes } from '../http/health.ts';
import type { DocumentDeps } from '../http/openapi/document.ts';
import { portalFailure } from '../http/portal/kit/portalRoutes.tsx';
import { createRateLimit, createUserRateLimit, type Standing } from '../http/rateLimit.ts';
import { createRequestContext, type RequestContext } from '../http/requestContext.ts';
import { createSecurityLog } from '../http/securityLog.ts';
import { createServer, type Fetch } from '../http/server.ts';
import { swaggerRoutes } from '../http/swagger.ts';
import { widgetLanguageRoutes } from '../http/widgetLanguages.ts';
import { createRequestIds, systemRandom } from '../lib/ids.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { createTickLimiter } from '../lib/tickLimiter.ts';
import { type Clock, systemClock } from '../lib/time.ts';
import type { Principal, Scope } from '../model/apiKey.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import type { EffectiveSetting } from '../model/system.ts';
import type { FirstStart } from '../platform/firstStart.ts';
import { openLedger } from '../storage/sqlite/ledger.ts';
import { CLAIMS_FILE } from '../storage/sqlite/open.ts';
import type { StartWorker } from '../storage/sqlite/thread.ts';
import { version } from '../version.ts';
import { startBackgroundJobs } from './backgroundJobs.ts';
import { createCaches, RECORD_CAPACITY } from './caches.ts';
import { createIssue, createVerify } from './captcha.ts';
import { createBlind, sha256Hex } from './crypto.ts';
import { DEMO_FILES, LANGUAGES, PINNED_WIDGET, WIDGET_FILES } from './embeddedFiles.ts';
import type { Parts } from './parts.ts';
import { beginSetup, createIsSignedIn, createPortal } from './portal.ts';
import { openServices, type Services, type ServicesOptions, timer } from './services.ts';
import { createUsageRecording } from './usageRecording.ts';

/** The whole appliance, listening nowhere yet. */
export type App = {
  readonly fetch: Fetch;
  readonly services: Services;
  readonly firstStart: FirstStart;
  /** Where the first account is made; undefined where somebody can sign in already. A secret. */
  readonly setupLink: string | undefined;
  /** Whom the server asks for the other end of a connection. */
  readonly setPeer: (peerOf: (request: Request) => string | undefined) => void;
  /** From now on `/readyz` says no, and connections are told to close. */
  readonly drain: () => void;
  /** Writes down now what was counted for the statistics. */
  readonly flush: () => Promise<void>;
  /** Ends the background work and closes the files; no request may come after. */
  readonly close: () => Promise<void>;
};

export type AppOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** As they stand, for the portal's administrators. */
  readonly settings?: readonly EffectiveSetting[];
  /** Puzzles that the replay guard remembers; changes no verdict. */
  readonly replayCapacity?: number;
  /** How often changes of other processes are looked for; a test may want never. */
  readonly watchEveryMs?: number;
  /** Bounds of request bodies, where a test has its own. */
  readonly bodies?: BodiesOptions;
  /** Creates the ledger thread; test servers share one. */
  readonly startLedger?: StartWorker;
  /** How often what was counted for the statistics is written down. */
  readonly flushEveryMs?: number;
  /** What counts for the statistics, where the bench has its own. */
  readonly usage?: Usage;
} & Pick<ServicesOptions, 'startWriter' | 'argon2'>;

/** Addresses and puzzles remembered at most: numbers, about 40 bytes each, their room taken at the start. */
const CAPACITY = 100_000;

/** Builds the storage, the services, the background jobs, and the HTTP routes. */
export async function openApp({
  config,
  log,
  clock = systemClock,
  settings = [],
  replayCapacity,
  watchEveryMs,
  startWriter,
  bodies,
  startLedger,
  argon2,
  ...counting
}: AppOptions): Promise<App> {
  const onAuditFailure = (action: string, error: unknown) =>
    log.error('audit-not-written', { action, reason: reasonOf(error) });
  const services = await openServices({
    ...config,
    clock,
    onAuditFailure,
    onWriterThread(event, reason) {
      if (event === 'ended') log.error('writer-ended', { reason });
      else log.info('writer-replaced');
    },
    startWriter,
    argon2,
  });
  const ledger = await openClaims(config, log, startLedger);
  const firstStart = await services.firstStart(config);
  const state: Parts['state'] = { isDraining: false, peerOf: () => undefined };
  const requestContext = createRequestContext({
    ...config,
    newId: createRequestIds(systemRandom),
    peerOf: (request) => state.peerOf(request),
  });
  const caches = await createCaches(services, log, clock);
  const jobs = await startBackgroundJobs({ config, services, ledger, log, clock, caches, watchEveryMs });
  const parts: Parts = {
    config,
    requestContext,
    securityLog: createSecurityLog({ log, addressOf: requestContext.addressOf, timer }),
    settings,
    log,
    clock,
    services,
    ledger,
    replayCapacity: replayCapacity ?? CAPACITY,
    bodies,
    caches,
    usageRecording: createUsageRecording({ services, log, clock, clientCapacity: CAPACITY, ...counting }),
    demo: firstStart.demo,
    taskFinished: jobs.taskFinished,
    state,
  };
  return {
    fetch: createRequestHandler(parts),
    services,
    firstStart,
    setupLink: await beginSetup(services, config.baseUrl),
    setPeer: (peerOf) => {
      state.peerOf = peerOf;
    },
    drain: () => {
      state.isDraining = true;
    },
    flush: parts.usageRecording.flush,
    async close() {
      await jobs.stop();
      parts.securityLog.close();
      await parts.usageRecording.stop();
      await ledger.close();
      await services.close();
    },
  };
}

function openClaims({ dataDir, replayDurability }: Config, log: Log, start?: StartWorker) {
  return openLedger({
    file: join(dataDir, CLAIMS_FILE),
    durability: replayDurability,
    ...(start && { start }),
    onThread(event, reason) {
      if (event === 'ended') log.error('ledger-ended', { reason });
      else log.info('ledger-replaced');
    },
  });
}

function createRequestHandler(parts: Parts): Fetch {
  const { config, clock, log, caches, state, requestContext } = parts;
  const common = {
    requestContext,
    clock,
    bodies: createBodies(parts.bodies),
    commonHeaders: commonHeaders(config),
  };
  const verifyAnswer = createVerifyAnswer(common);
  const fetch = createServer({
    ...common,
    routeGroups: [
      ...createRouteGroups(parts, common),
      ...createDemo(parts, common.bodies, (request) => fetch(request)),
    ],
    failureOf(path, status, request) {
      if (path === '/verify') return verifyAnswer.refuse(status, request);
      if (/^\/portal(\/|$)/.test(path)) return portalFailure(status);
      return path === '/siteverify' ? siteverifyFailure(request) : undefined;
    },
    log,
    onStoreFailure: caches.noteFailure,
    isDraining: () => state.isDraining,
  });
  return fetch;
}

type Common = {
  readonly requestContext: RequestContext;
  readonly bodies: Bodies;
  readonly commonHeaders: Readonly<Record<string, string>>;
};

function createRouteGroups(parts: Parts, common: Common & { readonly clock: Clock }) {
  const { config, clock, ledger, state, securityLog } = parts;
  const { baseUrl, allowedHosts } = config;
  const puzzleLimit = { rate: config.puzzleRate, burst: config.puzzleBurst, capacity: CAPACITY, clock };
  const judging = { verify: createVerify(parts), ...createGuard(parts, 'verify'), ...common };
  const routeGroups = [
    puzzleRoutes({
      issue: createIssue(parts),
      limit: createRateLimit(puzzleLimit),
      blind: createBlind(systemRandom, clock),
      ...common,
    }),
    verifyRoutes(judging),
    siteverifyRoutes(judging),
    ...createPlatform(parts, common),
    ...createPortal({
      ...parts,
      ...common,
      noteSecurity: securityLog.note,
      baseUrl,
      allowedHosts,
      hasRoot: parts.demo === undefined,
    }),
    healthRoutes({ troubles: () => troublesOf(state.isDraining, ledger) }),
    assetRoutes(WIDGET_FILES),
    widgetLanguageRoutes(LANGUAGES),
  ];
  return [...routeGroups, ...createDocs(parts, () => routeGroups)];
}

function createDocs({ config, services, requestContext }: Parts, routeGroups: DocumentDeps['routeGroups']) {
  const { baseUrl, swagger } = config;
  if (swagger === 'off') return [];
  const mayRead = swagger === 'public' ? undefined : createIsSignedIn({ services, requestContext, baseUrl });
  return [swaggerRoutes({ routeGroups, baseUrl, version, mayRead })];
}

function createGuard({ config, clock, caches, services, securityLog }: Parts, scope: Scope) {
  const principals = { byKeyHash: caches.principals.get };
  const reading = { principals, digest: sha256Hex, clock, onFailure: caches.noteFailure };
  const readKey = createReadApiKey(reading, scope);
  const take = createTake(config, scope, clock);
  const onRejected = (reason: KeyRejection, request: Request) =>
    securityLog.note('api-key-rejected', request, `${scope}: ${reason}`);
  return {
    readKey,
    requireKey: createRequireKey({ readKey, take, onUse: services.keyUses.note, onRejected }),
  };
}

/** Each verify key has its own rate limit; portal keys share the rate limit of their user. */
function createTake(config: Config, scope: Scope, clock: Clock): (key: Principal) => Standing {
  const common = { capacity: RECORD_CAPACITY, clock };
  if (scope === 'portal')
    return createUserRateLimit({ rate: config.portalRate, burst: config.portalBurst, ...common });
  const limit = createRateLimit({ rate: config.verifyRate, burst: config.verifyBurst, ...common });
  return (key) => limit.take(key.keyId, key);
}

function createPlatform(parts: Parts, { requestContext, bodies, clock }: Common & { readonly clock: Clock }) {
  const { services, usageRecording } = parts;
  const operation = createOperations({
    ...createGuard(parts, 'portal'),
    requestContext,
    bodies,
    isInMaintenance: services.maintenance.isOn,
    waitForTick: createTickLimiter(1),
    clock,
  });
  return [
    organizationRoutes({ ...services, operation }),
    propertyRoutes({ ...services, operation }),
    statisticsRoutes({ ...services, ...usageRecording, operation }),
  ];
}

function createDemo({ config, demo }: Parts, bodies: Bodies, ask: Fetch) {
  if (demo === undefined) return [];
  const deps = { ...demo, baseUrl: config.baseUrl, bodies, widget: PINNED_WIDGET, languages: LANGUAGES, ask };
  return [demoRoutes(deps), assetRoutes(DEMO_FILES)];
}

function troublesOf(isDraining: boolean, ledger: ReplayLedger): readonly string[] {
  return [...(isDraining ? ['draining'] : []), ...(ledger.isWell() ? [] : ['claims-not-writable'])];
}
