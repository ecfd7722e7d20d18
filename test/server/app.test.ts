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

/**
 * SQLite with one call that fails. The ledger has lost claims, so that the server also rejects earlier puzzles.
 *
 * @param failing the name of the call and its number among the calls with this name, from 1, such as `signingKeys.list 2`
 */
function createFailing(failing?: string) {
  let [isClosed, leaked] = [false, 0];
  const counts = new Map<string, number>();
  const calls: string[] = [];
  const intercept: Intercept = (name, call) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    calls.push(`${name} ${count}`);
    // Each check for changes of other processes begins with this call.
    if (isClosed && name === 'installation.changeVersion') leaked++;
    if (calls.at(-1) !== failing) return call();
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
  return { engine, calls, leaked: () => leaked };
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
  async function start(failing?: string): Promise<readonly string[]> {
    const dataDir = `${folder}/${runs.length}`;
    const run = createFailing(failing);
    runs.push(run);
    const { opening, events } = await open(dataDir, { engine: run.engine });
    let calls: readonly string[] = [];
    const outcome = await opening.then(async (app) => {
      calls = [...run.calls];
      await app.close();
      return 'opened';
    }, messageOf);
    if (outcome !== 'opened') {
      expect([failing, outcome]).toEqual([failing, expect.stringContaining('a test failure')]);
      failures.push(String(failing));
    }
    expect([failing, events]).toEqual([failing, expect.not.arrayContaining(['storage-not-closed'])]);
    await expectClosed(dataDir, failing);
    return calls;
  }

  for (const call of await start()) await start(call);
  // Every step of the start is among them.
  expect(failures).toEqual(
    expect.arrayContaining([
      'installation.secret 1',
      'openLedger 1',
      'ledger.purge 1',
      'openCountExchange 1',
      'subscribe 1',
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
