import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectiveSettings, readConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { Scope } from '../../src/model/apiKey.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import type { Organization } from '../../src/model/organization.ts';
import type { Property } from '../../src/model/property.ts';
import type { UserKeyDraft } from '../../src/platform/apiKeys/keyDraft.ts';
import { type Argon2, nativeArgon2 } from '../../src/platform/authentication/passwords.ts';
import type { PropertyDraft } from '../../src/platform/properties/properties.ts';
import { type App, type AppOptions, openApp } from '../../src/server/app.ts';
import { sqliteEngine } from '../../src/server/storageEngine.ts';
import type { ServerLedger, StorageEngine } from '../../src/storage/storage.ts';
import type { StartWorker } from '../../src/threads/worker.ts';
import { freePort } from './binary.ts';
import type { DatabaseAddress } from './postgres.ts';
import type { RawDatabase } from './rawDatabase.ts';
import { openDatabase, openTestStorage, removeDatabase, type Written } from './testStorage.ts';

/** A complete server in this process, with its own folder and a free port. The test advances its clock. */
export type TestServer = {
  readonly url: string;
  readonly app: App;
  readonly dataDir: string;
  readonly raw: RawDatabase;
  readonly written: () => Promise<Written>;
  /** The parsed lines of the log. */
  readonly logged: Record<string, unknown>[];
  readonly clock: { now: Instant };
  readonly stop: () => Promise<void>;
};

export type TestServerOptions = {
  /** Environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A folder that remains after the test; a temporary folder by default. */
  readonly dataDir?: string;
  /** The initial time of the clock; by default the time of the system. */
  readonly now?: Instant;
  /** Starts a writer thread of SQLite that the test controls. */
  readonly startWriter?: StartWorker;
  /** Starts a ledger thread of SQLite that the test controls. */
  readonly startLedger?: StartWorker;
  /** A PostgreSQL database on the shared server, so that several servers of a test can use it. The test removes it. */
  readonly database?: DatabaseAddress;
  /** Replaces methods of the ledger. */
  readonly wrapLedger?: (ledger: ServerLedger) => ServerLedger;
} & Pick<
  AppOptions,
  | 'replayCapacity'
  | 'watchEveryMs'
  | 'bodies'
  | 'widgetArchive'
  | 'startRequestThread'
  | 'verifyArgon2id'
  | 'claimTime'
>;

/** The maximum delay of a timer, longer than any test. */
export const NEVER_MS = 2 ** 31 - 1;

/**
 * The same argon2id as in production, but each result is computed only once, because many tests sign in. So all hashes of the
 * same password are equal here.
 */
const CACHED_ARGON2: Argon2 = { hash: cached(nativeArgon2.hash), verify: cached(nativeArgon2.verify) };

function cached<T>(work: (...texts: string[]) => Promise<T>): (...texts: string[]) => Promise<T> {
  const results = new Map<string, Promise<T>>();
  return (...texts) => {
    const key = JSON.stringify(texts);
    const result = results.get(key) ?? work(...texts);
    results.set(key, result);
    return result;
  };
}

/** Rates that no test reaches by accident. */
const AMPLE = {
  POSTERN_PUZZLE_RATE: '1000000',
  POSTERN_PUZZLE_BURST: '1000000',
  POSTERN_VERIFY_RATE: '1000000',
  POSTERN_VERIFY_BURST: '1000000',
  POSTERN_PORTAL_RATE: '1000000',
  POSTERN_PORTAL_BURST: '1000000',
};

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const {
    settings = {},
    dataDir = mkdtempSync(join(tmpdir(), 'postern-test-')),
    startWriter,
    startLedger,
    database,
    wrapLedger,
    now = Date.now() as Instant,
    ...rest
  } = options;
  const storage = await (database
    ? openDatabase(database)
    : openTestStorage(dataDir, { startWriter, startLedger }));
  const environment = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: '0', ...storage.settings, ...settings };
  const report = readConfig({}, { ...AMPLE, POSTERN_THREADS: THREADS, ...environment });
  const { config, errors } = report;
  const effective = effectiveSettings(report);
  if (config === undefined) throw new Error(errors.join('; '));
  const logged: Record<string, unknown>[] = [];
  const clock = { now };
  const write = (line: string) => logged.push(JSON.parse(line));
  const log = createLog({
    limits: LOG_LIMITS,
    level: config.log,
    format: 'json',
    clock: () => clock.now,
    write,
  });
  const app = await openApp({
    config,
    log,
    settings: effective,
    clock: () => clock.now,
    // Statistics are written only when a test requests it, and at the end.
    flushEveryMs: NEVER_MS,
    // Otherwise, it could increase while a test checks that nothing is written.
    countEveryMs: NEVER_MS,
    hasJobs: false,
    argon2: CACHED_ARGON2,
    engine: wrapLedger === undefined ? storage.engine : withLedger(storage.engine, wrapLedger),
    ...rest,
  });
  const server = await listen(app, config.host);
  return {
    url: `http://${config.host}:${server.port}`,
    app,
    dataDir,
    raw: storage.raw(),
    written: storage.written,
    logged,
    clock,
    async stop() {
      await server.stop();
      await app.close();
      log.flush();
      await storage.close();
      if (options.dataDir !== undefined) return;
      await removeDatabase(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function withLedger(
  engine: StorageEngine = sqliteEngine,
  wrap: (ledger: ServerLedger) => ServerLedger,
): StorageEngine {
  return {
    ...engine,
    async open(options) {
      const storage = await engine.open(options);
      return { ...storage, openLedger: async (ledger) => wrap(await storage.openLedger(ledger)) };
    },
  };
}

/** Default number of request threads: 1, because the clock of a test applies only to its own thread. Tests that need more set it. */
const THREADS = process.env.TEST_THREADS ?? '1';

/** Time limit for requests that are still running when the server stops, in milliseconds. */
const STOP_MS = 500;

async function listen(app: App, hostname: string) {
  const { threads } = app;
  if (threads !== undefined) {
    const port = await freePort();
    await threads.listen({ hostname, port, idleTimeout: 60, maxRequestBodySize: Number.MAX_SAFE_INTEGER });
    return { port, stop: () => Promise.race([threads.stopListening(), Bun.sleep(STOP_MS)]) };
  }
  const server = Bun.serve({ hostname, port: 0, development: false, fetch: app.fetch, idleTimeout: 60 });
  app.setPeer((request) => server.requestIP(request)?.address);
  return { port: server.port, stop: () => server.stop(true) };
}

/** A user with an organization, a property, and an API key of each scope. */
export type Tenant = {
  readonly account: Account;
  readonly organization: Organization;
  readonly property: Property;
  readonly verifyKey: string;
  readonly portalKey: string;
};

let tenants = 0;

/** Creates a tenant. By default, the property has level 1 and constant growth, so that solving takes no time. */
export async function addTenant(
  { app: { services } }: TestServer,
  draft: Partial<Omit<PropertyDraft, 'organizationId'>> = {},
): Promise<Tenant> {
  const number = ++tenants;
  const user = { email: `user${number}@example.com`, name: undefined, isAdmin: false, password: undefined };
  const account = expectOk(await services.users.create(INSTALLATION, user));
  const organization = expectOk(
    await services.organizations.create(INSTALLATION, {
      name: `Organization ${number}`,
      ownerId: account.id,
    }),
  );
  const base = {
    organizationId: organization.id,
    name: 'Blog',
    domain: 'example.com',
    level: 1,
    growth: 'constant' as const,
  };
  const property = expectOk(await services.properties.create(INSTALLATION, { ...base, ...draft }));
  return {
    account,
    organization,
    property,
    verifyKey: await addKey(services, account, 'verify'),
    portalKey: await addKey(services, account, 'portal'),
  };
}

export async function addKey(
  services: App['services'],
  account: Account,
  scope: Scope,
  more: Partial<Omit<UserKeyDraft, 'account' | 'scope'>> = {},
): Promise<string> {
  const draft = {
    account,
    name: 'Key',
    scope,
    organizationId: undefined,
    isReadOnly: false,
    expiresAt: undefined,
  };
  return expectOk(await services.apiKeys.create(INSTALLATION, { ...draft, ...more })).secret;
}

export function expectOk<T>(outcome: { ok: true; value: T } | { ok: false; problem: string }): T {
  if (!outcome.ok) throw new Error(`rejected: ${outcome.problem}`);
  return outcome.value;
}
