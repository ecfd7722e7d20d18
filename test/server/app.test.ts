import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import { type AppOptions, openApp } from '../../src/server/app.ts';
import { createSqliteEngine } from '../../src/storage/sqlite/engine.ts';
import type { ServerLedger, Storage, StorageEngine } from '../../src/storage/storage.ts';

function testInFolder(title: string, work: (folder: string) => Promise<void>): void {
  test(title, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-app-'));
    try {
      await work(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 120_000);
}

async function open(dataDir: string, options: Partial<AppOptions>, threads = '1') {
  const settings = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: '0', POSTERN_THREADS: threads };
  const { config, errors } = readConfig({}, settings);
  if (config === undefined) throw new Error(errors.join('; '));
  const events: unknown[] = [];
  const write = (line: string) => events.push(JSON.parse(line).event);
  const log = createLog({ level: 'info', format: 'json', clock: systemClock, write, limits: LOG_LIMITS });
  return { events, opening: openApp({ config, log, ...options }) };
}

/** `expect(promise).rejects` would not return to the event loop, and closing waits for its events. */
const messageOf = (error: Error) => error.message;

type Intercept = (name: string, call: () => unknown) => unknown;

/** Returns a copy of an object whose functions, also those of nested objects, run through `intercept`. */
function intercepted<T extends object>(object: T, intercept: Intercept, path = ''): T {
  const entries = Object.entries(object).map(([key, value]) => {
    const name = `${path}${key}`;
    if (typeof value === 'function')
      return [key, (...values: readonly unknown[]) => intercept(name, () => value(...values))];
    const isNested = typeof value === 'object' && value !== null;
    return [key, isNested ? intercepted(value, intercept, `${name}.`) : value];
  });
  return Object.fromEntries(entries) as T;
}

/** SQLite with changes to the storage and to the ledger. */
function engineWith(
  change: (storage: Storage) => Partial<Storage>,
  changeLedger: (ledger: ServerLedger) => ServerLedger = (ledger) => ledger,
): StorageEngine {
  const engine = createSqliteEngine();
  return {
    ...engine,
    async open(options) {
      const storage = await engine.open(options);
      const openLedger: Storage['openLedger'] = async (ledger) =>
        changeLedger(await storage.openLedger(ledger));
      return { ...storage, openLedger, ...change({ ...storage, openLedger }) };
    },
  };
}

/** SQLite whose n-th call fails. The ledger has lost claims, so that the server also rejects earlier puzzles. */
function createFailing(failAt: number) {
  let [calls, isClosed, leaked] = [0, false, 0];
  let failed: string | undefined;
  const intercept: Intercept = (name, call) => {
    calls++;
    // Each check for changes of other processes begins with this call.
    if (isClosed && name === 'installation.changeVersion') leaked++;
    if (calls !== failAt) return call();
    failed = name;
    const error = new Error('a test failure');
    if (name === 'openCountExchange') throw error;
    return Promise.reject(error);
  };
  const engine = engineWith(
    ({ stores, openLedger, openCountExchange, subscribe, close }) => ({
      stores: intercepted(stores, intercept),
      ...intercepted({ openLedger, openCountExchange, subscribe }, intercept),
      async close() {
        isClosed = true;
        await close();
      },
    }),
    (ledger) => ({
      ...ledger,
      hasLostClaims: () => true,
      ...intercepted({ purge: ledger.purge }, intercept, 'ledger.'),
    }),
  );
  return { engine, failed: () => failed, leaked: () => leaked };
}

/** Whether no connection to a file is open: the last one removes the log. Another one can then lock the folder. */
async function expectClosed(dataDir: string, context: unknown): Promise<void> {
  const logs = readdirSync(dataDir).filter((name) => /-(wal|shm|journal)$/.test(name));
  expect([context, logs]).toEqual([context, []]);
  const defaults = { organizations: 1, properties: 1 };
  const storage = await createSqliteEngine().open({ dataDir, defaults, onAuditFailure() {} });
  await storage.close();
}

// Servers raised the counters only if a folder for the mark was configured, so other servers did not detect an older claims.sqlite.
testInFolder('a server without a folder for the mark raises the counters of its data', async (dataDir) => {
  const counters: (readonly (number | undefined)[])[] = [];
  const engine = engineWith(
    () => ({}),
    (ledger) => {
      counters.push([ledger.counter?.found.main, ledger.counter?.found.claims]);
      return ledger;
    },
  );
  for (let start = 0; start < 2; start++) {
    const { opening } = await open(dataDir, { engine });
    await (await opening).close();
  }
  const [first, [main = 0, claims = 0] = []] = counters;
  expect(first).toEqual([0, 0]);
  expect(main).toBeGreaterThan(0);
  expect(claims).toBe(main);
});

testInFolder('a start that fails at any call of the storage closes all that is open', async (folder) => {
  const failures: string[] = [];
  const runs: ReturnType<typeof createFailing>[] = [];
  for (let failAt = 1; ; failAt++) {
    const dataDir = `${folder}/${failAt}`;
    const failing = createFailing(failAt);
    runs.push(failing);
    const { opening, events } = await open(dataDir, { engine: failing.engine });
    const outcome = await opening.then(async (app) => {
      await app.close();
      return 'opened';
    }, messageOf);
    const failed = failing.failed();
    if (outcome !== 'opened') {
      expect([failed, outcome]).toEqual([failed, expect.stringContaining('a test failure')]);
      failures.push(String(failed));
    }
    expect([failed, events]).toEqual([failed, expect.not.arrayContaining(['storage-not-closed'])]);
    await expectClosed(dataDir, failed);
    if (failed === undefined) break;
  }
  // Every step of the start is among them.
  expect(failures).toEqual(
    expect.arrayContaining([
      'installation.secret',
      'openLedger',
      'ledger.purge',
      'openCountExchange',
      'subscribe',
    ]),
  );
  expect(runs.map(({ leaked }) => leaked())).toEqual(runs.map(() => 0));
});

testInFolder('a start whose request threads fail closes all that is open', async (dataDir) => {
  const startRequestThread = () => {
    throw new Error('no thread can start');
  };
  const { opening, events } = await open(dataDir, { engine: createSqliteEngine(), startRequestThread }, '2');
  expect(await opening.then(() => 'opened', messageOf)).toBe('no thread can start');
  expect(events).not.toContain('storage-not-closed');
  await expectClosed(dataDir, 'threads');
});

testInFolder('a background job that cannot be stopped does not keep the storage open', async (dataDir) => {
  const unsubscribe = () => Promise.reject(new Error('the subscription cannot be ended'));
  const engine = engineWith(() => ({ subscribe: async () => unsubscribe }));
  const { opening, events } = await open(dataDir, { engine });
  const app = await opening;
  expect(await app.close().then(() => 'closed', messageOf)).toBe('the subscription cannot be ended');
  expect(events.at(-1)).toBe('part-not-stopped');
  await expectClosed(dataDir, 'unsubscribe');
});

testInFolder('a writer thread that cannot start leaves nothing open', async (dataDir) => {
  const startWriter = () => {
    throw new Error('no writer can start');
  };
  const { opening } = await open(dataDir, { engine: createSqliteEngine({ startWriter }) });
  expect(await opening.then(() => 'opened', messageOf)).toContain('no writer can start');
  await expectClosed(dataDir, 'writer');
});
