import { Database } from 'bun:sqlite';
import { describe, expect } from 'bun:test';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, type PropertyAndKey, postern, testInFolder } from './support.ts';

/** Number of servers that are started and stopped. `CLEAN_STOPS=200` runs the complete series, which takes about five minutes. */
const STOPS = Number(process.env.CLEAN_STOPS ?? 12);
const FILES = ['claims.sqlite', 'postern.sqlite'];
const LOCK = 'postern.lock';

/** Combinations of the number of threads and whether there is load while the server stops. */
const KINDS = [
  { threads: '1', hasLoad: false },
  { threads: '2', hasLoad: false },
  { threads: '1', hasLoad: true },
  { threads: '2', hasLoad: true },
] as const;

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== LOCK)
    .sort();

/** Verifies solutions until the server stops. */
function startLoad({ url }: RunningBinary, { sitekey, verifyKey }: PropertyAndKey) {
  let accepted = 0;
  async function visit(): Promise<void> {
    try {
      for (;;) {
        const payload = await fetchAndSolve(url, sitekey);
        if ((await verify(url, verifyKey, payload)).code === 0) accepted += 1;
      }
    } catch {
      // The server has stopped.
    }
  }
  const visits = [visit(), visit(), visit()];
  return {
    /** The number of accepted solutions so far. */
    accepted: () => accepted,
    ended: Promise.all(visits),
  };
}

/** Copies the two files, and checks that they are complete without anything else. */
async function checkCopy(dataDir: string, copy: string, accepted: number): Promise<void> {
  mkdirSync(copy);
  for (const name of FILES) copyFileSync(join(dataDir, name), join(copy, name));
  const users = await postern<unknown[]>(copy, 'users', 'list');
  const keys = await postern<unknown[]>(copy, 'keys', 'list');
  expect([users.length, keys.length, filesIn(copy)]).toEqual([1, 1, FILES]);
  const [claims, main] = FILES.map((name) => new Database(join(copy, name), { readonly: true }));
  for (const database of [claims, main]) {
    expect(database?.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  }
  // Every accepted solution is stored; a request whose response was lost may have stored one more.
  const rows = claims?.query<{ n: number }, []>('SELECT count(*) AS n FROM claims').get()?.n;
  expect(rows).toBeWithin(accepted, accepted + 4);
  const hours = main?.query<{ n: number }, []>('SELECT count(*) AS n FROM statistics_hourly').get()?.n ?? 0;
  expect(hours > 0).toBe(accepted > 0);
  claims?.close(true);
  main?.close(true);
}

describe('a clean stop', () => {
  // 13 of 20 stops used to leave data in `postern.sqlite-wal`, most of them with a main file of one page.
  for (const { threads, hasLoad } of KINDS) {
    const title = `of a server with ${threads} threads ${hasLoad ? 'under load' : 'without load'}`;
    const rounds = Math.ceil(STOPS / KINDS.length);
    testInFolder(
      `${title} leaves two complete files`,
      async (folder) => {
        for (let round = 0; round < rounds; round++) {
          const dataDir = join(folder, `data${round}`);
          const settings = { POSTERN_DATA_DIR: dataDir, POSTERN_THREADS: threads };
          const server = await startBinary(BINARY, { ...settings, ...HIGH_LIMITS });
          // While the server is running, so that the data is only in its logs.
          const property = await addProperty(dataDir);
          const load = hasLoad ? startLoad(server, property) : undefined;
          await waitUntil('solutions are accepted', () => load === undefined || load.accepted() > 20);
          expect(await server.end('SIGTERM')).toBe(0);
          await load?.ended;
          expect([round, filesIn(dataDir), server.output()]).toEqual([
            round,
            FILES,
            expect.not.stringContaining('storage-not-closed'),
          ]);
          await checkCopy(dataDir, join(folder, `copy${round}`), load?.accepted() ?? 0);
        }
      },
      120_000 + rounds * 10_000,
    );
  }

  testInFolder('is logged as incomplete if another process prevents it', async (dataDir) => {
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, POSTERN_DEMO: 'on' });
    const reader = new Database(join(dataDir, 'postern.sqlite'), { readonly: true });
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM audit').get();
    // The reader's snapshot is older than this change.
    await postern(dataDir, 'users', 'create', '--email', 'second@example.com');
    expect(await server.end('SIGTERM')).toBe(1);
    expect(server.output()).toContain('"event":"storage-not-closed"');
    expect(server.output()).toContain('copy the file only together with');
    reader.close(true);
    expect(await postern<unknown[]>(dataDir, 'users', 'list')).toHaveLength(2);
    expect(filesIn(dataDir)).toEqual(FILES);
  });
});

/** Commands that read or write the main database, or both databases. */
const commands = (backup: string): readonly (readonly string[])[] => [
  ['users', 'list'],
  ['users', 'create', '--email', 'new@example.com'],
  ['orgs', 'list'],
  ['properties', 'list'],
  ['keys', 'list'],
  ['plans', 'list'],
  ['audit', 'list'],
  ['migrate'],
  ['doctor'],
  ['backup', backup],
];

describe('commands', () => {
  testInFolder('leave two files, without a server, and beside one that stops later', async (folder) => {
    const dataDir = join(folder, 'data');
    const property = await addProperty(dataDir);
    const settings = { POSTERN_DATA_DIR: dataDir, POSTERN_DNS_CHECK: 'off', ...HIGH_LIMITS };
    const first = await startBinary(BINARY, settings);
    expect(await first.end('SIGTERM')).toBe(0);
    for (const args of commands(join(folder, 'first.backup'))) {
      await postern(dataDir, ...args);
      expect([args, filesIn(dataDir)]).toEqual([args, FILES]);
    }
    const second = await startBinary(BINARY, settings);
    await verify(second.url, property.verifyKey, await fetchAndSolve(second.url, property.sitekey));
    for (const args of commands(join(folder, 'second.backup'))) {
      if (!args.includes('create')) await postern(dataDir, ...args);
    }
    expect(await second.end('SIGTERM')).toBe(0);
    expect(filesIn(dataDir)).toEqual(FILES);
  });

  // A backup keeps the log of the claims after a crash, so that the next server does not conclude that claims were lost.
  testInFolder('after a crash keep all data, and the next stop leaves two files', async (folder) => {
    const dataDir = join(folder, 'data');
    const { sitekey, verifyKey } = await addProperty(dataDir);
    const settings = { POSTERN_DATA_DIR: dataDir, POSTERN_DNS_CHECK: 'off', ...HIGH_LIMITS };
    const first = await startBinary(BINARY, settings);
    const spent = await fetchAndSolve(first.url, sitekey);
    expect((await verify(first.url, verifyKey, spent)).code).toBe(0);
    await first.kill();
    for (const args of commands(join(folder, 'file.backup'))) await postern(dataDir, ...args);
    const second = await startBinary(BINARY, settings);
    expect((await verify(second.url, verifyKey, spent)).code).toBe(8);
    expect(second.output()).not.toContain('claims-lost');
    expect(await second.end('SIGTERM')).toBe(0);
    expect(filesIn(dataDir)).toEqual(FILES);
    expect(await postern<unknown[]>(dataDir, 'users', 'list')).toHaveLength(2);
  });
});
