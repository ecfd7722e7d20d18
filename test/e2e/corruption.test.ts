import { Database } from 'bun:sqlite';
import { describe, expect } from 'bun:test';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/run.ts';
import { freePort, startBinary } from '../support/binary.ts';
import { fetchAndSolve, fetchPuzzle, verify } from '../support/visitor.ts';
import { addProperty, BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

const PAGE = 4096;
const [MAIN, CLAIMS] = ['postern.sqlite', 'claims.sqlite'];

/** Overwrites bytes of a file with random data. */
function scramble(file: string, from: number, length: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, crypto.getRandomValues(new Uint8Array(length)), 0, length, from);
  closeSync(descriptor);
}

function replaceByForeign(file: string): void {
  rmSync(file);
  const database = new Database(file, { create: true });
  database.run('CREATE TABLE recipes (title TEXT)');
  database.close();
}

function replaceByFirstPage(file: string): void {
  rmSync(file);
  const database = new Database(file, { create: true });
  database.run('PRAGMA journal_mode = WAL');
  database.close(true);
  expect(statSync(file).size).toBe(PAGE);
}

/** Creates a folder with a property, in which a server has verified a solution, and which it has closed. */
async function createFolder(dataDir: string) {
  const property = await addProperty(dataDir);
  const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
  const spent = await fetchAndSolve(server.url, property.sitekey);
  expect((await verify(server.url, property.verifyKey, spent)).code).toBe(0);
  expect(await server.end('SIGTERM')).toBe(0);
  return { ...property, spent };
}

async function runDoctor(dataDir: string): Promise<{ exitCode: number; details: string }> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const environment = { POSTERN_DATA_DIR: dataDir, POSTERN_DNS_CHECK: 'off' };
  const exitCode = await runCommandLine(['doctor', '--json'], {
    environment,
    out: write,
    err: write,
    stdin: async () => '',
  });
  const { checks } = JSON.parse(lines.join('')) as { checks: { ok: boolean; detail: string }[] };
  const failed = checks.filter(({ ok }) => !ok).map(({ detail }) => detail);
  return { exitCode, details: failed.join('\n') };
}

type Damage = readonly [title: string, damage: (file: string, folder: string) => void, message: RegExp];

const DAMAGED = /is damaged, and nothing was changed; run "postern doctor", and restore a backup/;
const FOREIGN = /database of another program, or another file of Postern; nothing was changed/;

const DAMAGES: readonly Damage[] = [
  ['a damaged header', (file) => scramble(file, 0, 100), DAMAGED],
  ['a damaged first page', (file) => scramble(file, 100, PAGE - 100), DAMAGED],
  ['a damaged page in the middle', (file) => scramble(file, 2 * PAGE, PAGE), DAMAGED],
  ['a truncated file', (file) => truncateSync(file, statSync(file).size / 2 - 100), DAMAGED],
  ['a text file', (file) => writeFileSync(file, 'not a database '.repeat(999)), DAMAGED],
  ['a database of another program', replaceByForeign, FOREIGN],
];
const CASES = [
  ...[MAIN, CLAIMS].flatMap((name) => DAMAGES.map((damage) => [name, ...damage] as const)),
  [MAIN, 'an empty file', (file: string) => truncateSync(file, 0), /is empty, but claims.sqlite is not/],
  [MAIN, 'a missing file', (file: string) => rmSync(file), /is missing, but claims.sqlite is not/],
  // A copy without the write-ahead log used to be a new installation without users.
  [
    MAIN,
    'only the page that SQLite writes first',
    replaceByFirstPage,
    /has no tables, but claims.sqlite is not empty/,
  ],
  [
    MAIN,
    'the files swapped',
    (_: string, folder: string) => {
      renameSync(join(folder, MAIN), join(folder, 'other'));
      renameSync(join(folder, CLAIMS), join(folder, MAIN));
      renameSync(join(folder, 'other'), join(folder, CLAIMS));
    },
    FOREIGN,
  ],
] as const;

describe('a start with a damaged database', () => {
  testInFolder(
    'fails with code 1, names the file and the remedy, and does not change the file',
    async (folder) => {
      const original = join(folder, 'original');
      await createFolder(original);
      for (const [name, title, damage, message] of CASES) {
        const dataDir = join(folder, `${name} ${title}`);
        cpSync(original, dataDir, { recursive: true });
        const file = join(dataDir, name);
        damage(file, dataDir);
        const bytes = existsSync(file) ? readFileSync(file) : undefined;
        const env = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: String(await freePort()) };
        const child = Bun.spawnSync([BINARY, 'serve'], { env, timeout: 60_000 });
        const output = child.stderr.toString();
        expect([name, title, child.exitCode, output]).toEqual([
          name,
          title,
          1,
          expect.stringMatching(message),
        ]);
        expect(output).toContain(file);
        expect(existsSync(file) ? readFileSync(file) : undefined, title).toEqual(bytes);
        const { exitCode, details } = await runDoctor(dataDir);
        expect([name, title, exitCode, details]).toEqual([name, title, 1, expect.stringMatching(message)]);
        expect(details).toContain(file);
        expect(existsSync(file) ? readFileSync(file) : undefined, title).toEqual(bytes);
        rmSync(dataDir, { recursive: true });
      }
      expect((await runDoctor(original)).exitCode).toBe(0);
    },
  );
});

describe('a start without the claims of verified solutions', () => {
  const remove = (...names: string[]) => {
    return (dataDir: string) => {
      for (const name of names) rmSync(join(dataDir, name));
    };
  };
  // Such a server used to accept every spent solution again.
  for (const [title, isKilled, lose] of [
    ['whose file was deleted', false, remove(CLAIMS)],
    ['whose file is empty', false, (dataDir: string) => truncateSync(join(dataDir, CLAIMS), 0)],
    ['whose write-ahead log was deleted after a crash', true, remove(`${CLAIMS}-wal`, `${CLAIMS}-shm`)],
  ] as const) {
    testInFolder(`${title} rejects all earlier puzzles and logs an event`, async (dataDir) => {
      const { sitekey, verifyKey, spent } = await createFolder(dataDir);
      const settings = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS };
      const first = await startBinary(BINARY, settings);
      expect((await verify(first.url, verifyKey, spent)).code).toBe(8);
      const later = await fetchAndSolve(first.url, sitekey);
      expect((await verify(first.url, verifyKey, later)).code).toBe(0);
      await first.end(isKilled ? 'SIGKILL' : 'SIGTERM');
      lose(dataDir);
      for (const isLost of [true, false]) {
        const server = await startBinary(BINARY, settings);
        expect(server.output().includes('"event":"claims-lost"')).toBe(isLost);
        for (const payload of [spent, later]) {
          expect((await verify(server.url, verifyKey, payload)).code).toBe(5);
        }
        // The new signing key signs after a second.
        let code = 5;
        while (code === 5)
          code = (await verify(server.url, verifyKey, await fetchAndSolve(server.url, sitekey))).code;
        expect(code).toBe(0);
        await server.kill();
      }
    });
  }
});

describe('a running server whose files are damaged', () => {
  testInFolder('answers 503 instead of wrong results', async (dataDir) => {
    const { sitekey, verifyKey, spent } = await createFolder(dataDir);
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
    const unspent = await Promise.all(Array.from({ length: 20 }, () => fetchAndSolve(server.url, sitekey)));
    // The server caches the API key, so that the damaged main database does not keep it from the claims.
    expect((await verify(server.url, verifyKey, spent)).status).toBe(200);
    // A write by another process invalidates the server's page cache, and enough claims make the file too large for it.
    const claims = new Database(join(dataDir, CLAIMS));
    claims.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
      INSERT INTO claims SELECT 4000000000 - i, randomblob(8), 1 FROM n`);
    claims.run('PRAGMA wal_checkpoint(TRUNCATE)');
    claims.close();
    for (const name of [MAIN, CLAIMS]) {
      const file = join(dataDir, name);
      scramble(file, PAGE, statSync(file).size - PAGE);
    }
    for (const payload of unspent) {
      const verdict = await verify(server.url, verifyKey, payload);
      expect(verdict).toMatchObject({ status: 503, success: false, code: 1 });
    }
    // Another key is not cached.
    expect((await verify(server.url, `postern_verify_${'0'.repeat(49)}`, spent)).status).toBeOneOf([
      401, 403, 503,
    ]);
    await fetchPuzzle(server.url, sitekey);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    await server.kill();
  });
});
