import { join } from 'node:path';
import { createIssuePuzzle, type IssuePuzzle } from './captcha/issue.ts';
import { createReplayGuard } from './captcha/replay.ts';
import type { Usage } from './captcha/usage.ts';
import { createVerifySolution, type VerifySolution } from './captcha/verify.ts';
import type { Config } from './config.ts';
import { createBlake2b, createBlind, createHmac, sha256Hex } from './crypto.ts';
import { DEMO_FILES, LANGUAGES, PINNED_WIDGET, WIDGET_FILES } from './files.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createOperations } from './http/api/operation.ts';
import { organizationsFace } from './http/api/organizations.ts';
import { propertiesFace } from './http/api/properties.ts';
import { statisticsFace } from './http/api/statistics.ts';
import { assetsFace } from './http/assets.ts';
import { type Bodies, type BodiesOptions, createBodies } from './http/body.ts';
import { demoFace } from './http/demo.ts';
import { docsFace } from './http/docs.ts';
import { createExchange, type Exchange } from './http/exchange.ts';
import { createReadKey, createRequireKey, type KeyRejection } from './http/guard.ts';
import { houseHeaders } from './http/headers.ts';
import { healthFace } from './http/health.ts';
import { puzzleFace } from './http/hot/puzzle.ts';
import { siteverifyFace, siteverifyFailure } from './http/hot/siteverify.ts';
import { createVerifyAnswer, verifyFace } from './http/hot/verify.ts';
import type { DocumentDeps } from './http/openapi/document.ts';
import { portalFailure } from './http/portal/face.ts';
import { createRateLimit, createUserRateLimit, type Standing } from './http/rateLimit.ts';
import { createSecurityLog, type SecurityLog } from './http/securityLog.ts';
import { createServer, type Fetch } from './http/server.ts';
import { widgetLanguagesFace } from './http/widgetLanguages.ts';
import { createRequestIds, systemRandom } from './lib/ids.ts';
import { type Log, reasonOf } from './lib/log.ts';
import { createTickLimiter } from './lib/tickLimiter.ts';
import { type Clock, systemClock } from './lib/time.ts';
import { createMemory, type Memory, RECORD_CAPACITY } from './memory.ts';
import { createMetering, type Metering } from './metering.ts';
import type { Principal, Scope } from './model/apiKey.ts';
import type { ReplayLedger } from './model/ports.ts';
import type { EffectiveSetting } from './model/system.ts';
import { type Office, type OfficeOptions, openOffice, timer } from './office.ts';
import type { Demo, FirstStart } from './platform/bootstrap.ts';
import { beginSetUp, createIsSignedIn, createPortal } from './portal.ts';
import { openLedger } from './store/sqlite/ledger.ts';
import { CLAIMS_FILE } from './store/sqlite/open.ts';
import type { StartWorker } from './store/sqlite/thread.ts';
import { version } from './version.ts';

/** The whole appliance, listening nowhere yet. */
export type App = {
  readonly fetch: Fetch;
  readonly office: Office;
  readonly firstStart: FirstStart;
  /** Where the first account is made; undefined where somebody can sign in already. A secret. */
  readonly setUpLink: string | undefined;
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
} & Pick<OfficeOptions, 'startWriter' | 'argon2'>;

/** Addresses and puzzles remembered at most: numbers, about 40 bytes each, their room taken at the start. */
const CAPACITY = 100_000;

/** Introduces the rooms to each other. */
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
  const office = await openOffice({
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
  const firstStart = await office.firstStart(config);
  const state: Parts['state'] = { isDraining: false, peerOf: () => undefined };
  const exchange = createExchange({
    ...config,
    newId: createRequestIds(systemRandom),
    peerOf: (request) => state.peerOf(request),
  });
  const parts: Parts = {
    config,
    exchange,
    securityLog: createSecurityLog({ log, addressOf: exchange.addressOf, timer }),
    settings,
    log,
    clock,
    office,
    ledger,
    replayCapacity: replayCapacity ?? CAPACITY,
    bodies,
    memory: await createMemory(office, log, clock),
    metering: createMetering({ office, log, clock, clientCapacity: CAPACITY, ...counting }),
    demo: firstStart.demo,
    state,
  };
  const stopBackground = await startHousekeeping({ ...parts, watchEveryMs });
  return {
    fetch: createFrontDoor(parts),
    office,
    firstStart,
    setUpLink: await beginSetUp(office, config.baseUrl),
    setPeer: (peerOf) => {
      state.peerOf = peerOf;
    },
    drain: () => {
      state.isDraining = true;
    },
    flush: parts.metering.flush,
    async close() {
      await stopBackground();
      parts.securityLog.close();
      await parts.metering.stop();
      await ledger.close();
      await office.close();
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

type Parts = {
  readonly config: Config;
  readonly exchange: Exchange;
  readonly securityLog: SecurityLog;
  readonly settings: readonly EffectiveSetting[];
  readonly log: Log;
  readonly clock: Clock;
  readonly office: Office;
  readonly ledger: ReplayLedger;
  readonly replayCapacity: number;
  readonly bodies: BodiesOptions | undefined;
  readonly memory: Memory;
  readonly metering: Metering;
  readonly demo: Demo | undefined;
  readonly state: { isDraining: boolean; peerOf: (request: Request) => string | undefined };
};

function createFrontDoor(parts: Parts): Fetch {
  const { config, clock, log, memory, state, exchange } = parts;
  const common = { exchange, clock, bodies: createBodies(parts.bodies), houseHeaders: houseHeaders(config) };
  const verifyAnswer = createVerifyAnswer(common);
  const fetch = createServer({
    ...common,
    faces: [...createFaces(parts, common), ...createDemo(parts, common.bodies, (request) => fetch(request))],
    failureOf(path, status, request) {
      if (path === '/verify') return verifyAnswer.refuse(status, request);
      if (/^\/portal(\/|$)/.test(path)) return portalFailure(status);
      return path === '/siteverify' ? siteverifyFailure(request) : undefined;
    },
    log,
    onStoreFailure: memory.noteFailure,
    isDraining: () => state.isDraining,
  });
  return fetch;
}

type Common = {
  readonly exchange: Exchange;
  readonly bodies: Bodies;
  readonly houseHeaders: Readonly<Record<string, string>>;
};

function createFaces(parts: Parts, common: Common & { readonly clock: Clock }) {
  const { config, clock, ledger, state, securityLog } = parts;
  const { baseUrl, allowedHosts } = config;
  const puzzleLimit = { rate: config.puzzleRate, burst: config.puzzleBurst, capacity: CAPACITY, clock };
  const judging = { verify: createVerify(parts), ...createGuard(parts, 'verify'), ...common };
  const faces = [
    puzzleFace({
      issue: createIssue(parts),
      limit: createRateLimit(puzzleLimit),
      blind: createBlind(systemRandom, clock),
      ...common,
    }),
    verifyFace(judging),
    siteverifyFace(judging),
    ...createPlatform(parts, common),
    ...createPortal({
      ...parts,
      ...common,
      noteSecurity: securityLog.note,
      baseUrl,
      allowedHosts,
      hasRoot: parts.demo === undefined,
    }),
    healthFace({ troubles: () => troublesOf(state.isDraining, ledger) }),
    assetsFace(WIDGET_FILES),
    widgetLanguagesFace(LANGUAGES),
  ];
  return [...faces, ...createDocs(parts, () => faces)];
}

function createDocs({ config, office, exchange }: Parts, faces: DocumentDeps['faces']) {
  const { baseUrl, swagger } = config;
  if (swagger === 'off') return [];
  const mayRead = swagger === 'public' ? undefined : createIsSignedIn({ office, exchange, baseUrl });
  return [docsFace({ faces, baseUrl, version, mayRead })];
}

function createIssue({ config, clock, memory, metering }: Parts): IssuePuzzle {
  return createIssuePuzzle({
    onFailure: memory.noteFailure,
    properties: { bySitekey: memory.properties.get },
    load: metering.load,
    count: metering.count,
    keyRing: memory.ring,
    hmac: createHmac(),
    clock,
    random: systemRandom,
    hasTestProperty: config.testProperty,
  });
}

function createVerify(parts: Parts): VerifySolution {
  const { config, clock, memory, metering, ledger, log, office, replayCapacity } = parts;
  return createVerifySolution({
    count: metering.count,
    properties: { bySitekey: memory.properties.get },
    guard: createReplayGuard(ledger, replayCapacity),
    keyRing: memory.ring,
    hmac: createHmac(),
    hash: createBlake2b(),
    clock,
    isInMaintenance: office.maintenance.isOn,
    onFailure(what, error) {
      if (what === 'property') memory.noteFailure(error);
      else log.error('claim-failed', { reason: reasonOf(error) });
    },
    hasTestProperty: config.testProperty,
  });
}

function createGuard({ config, clock, memory, office, securityLog }: Parts, scope: Scope) {
  const principals = { byKeyHash: memory.principals.get };
  const reading = { principals, digest: sha256Hex, clock, onFailure: memory.noteFailure };
  const readKey = createReadKey(reading, scope);
  const take = createTake(config, scope, clock);
  const onRejected = (reason: KeyRejection, request: Request) =>
    securityLog.note('api-key-rejected', request, `${scope}: ${reason}`);
  return {
    readKey,
    requireKey: createRequireKey({ readKey, take, onUse: office.keyUses.note, onRejected }),
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

function createPlatform(parts: Parts, { exchange, bodies, clock }: Common & { readonly clock: Clock }) {
  const { office, metering } = parts;
  const operation = createOperations({
    ...createGuard(parts, 'portal'),
    exchange,
    bodies,
    isInMaintenance: office.maintenance.isOn,
    waitForTick: createTickLimiter(1),
    clock,
  });
  return [
    organizationsFace({ ...office, operation }),
    propertiesFace({ ...office, operation }),
    statisticsFace({ ...office, ...metering, operation }),
  ];
}

function createDemo({ config, demo }: Parts, bodies: Bodies, ask: Fetch) {
  if (demo === undefined) return [];
  const deps = { ...demo, baseUrl: config.baseUrl, bodies, widget: PINNED_WIDGET, languages: LANGUAGES, ask };
  return [demoFace(deps), assetsFace(DEMO_FILES)];
}

function troublesOf(isDraining: boolean, ledger: ReplayLedger): readonly string[] {
  return [...(isDraining ? ['draining'] : []), ...(ledger.isWell() ? [] : ['claims-not-writable'])];
}
