import { afterAll, beforeAll, expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { type DatabaseAddress, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { fetchAndSolve, fetchPuzzle, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

let database: PostgresServer;
beforeAll(async () => {
  database = await startPostgres();
});
afterAll(async () => {
  await database.remove();
});

const ORIGIN = 'http://localhost:3000';
const ACCEPTED = { status: 200, success: true, code: 0 };
const SPENT = { status: 200, success: false };

/** A node with the demo property, whose keys are the same on all nodes of a database. */
async function startNode(folder: string, { url }: Pick<DatabaseAddress, 'url'>, settings = {}) {
  const server = await startBinary(BINARY, {
    POSTERN_DATABASE_URL: url,
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_DEMO: 'on',
    POSTERN_DNS_CHECK: 'off',
    ...HIGH_LIMITS,
    ...settings,
  });
  return server;
}

function demoOf({ output }: RunningBinary) {
  const sitekey = /Sitekey:\s+(\w+)/.exec(output())?.[1] ?? '';
  const key = /Verify key:\s+(\w+)/.exec(output())?.[1] ?? '';
  return { sitekey, key };
}

async function command<T>(address: DatabaseAddress, ...args: readonly string[]): Promise<T> {
  const child = Bun.spawn([BINARY, ...args, '--json'], {
    env: { POSTERN_DATABASE_URL: address.url, POSTERN_DNS_CHECK: 'off' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`postern ${args.join(' ')}: ${errors}`);
  return JSON.parse(output) as T;
}

async function readiness({ url }: RunningBinary) {
  const response = await fetch(`${url}/readyz`);
  const { problems } = (await response.json()) as { problems: readonly string[] };
  return { status: response.status, problems };
}

testInFolder(
  'a node needs only the URL of an empty database, and never accepts a solution twice',
  async (folder) => {
    const address = await database.createDatabase();
    const first = await startNode(folder, address);
    const { sitekey, key } = demoOf(first);
    const payload = await fetchAndSolve(first.url, sitekey, ORIGIN);
    expect(await verify(first.url, key, payload)).toMatchObject(ACCEPTED);
    expect(await verify(first.url, key, payload)).toMatchObject(SPENT);
    const second = await startNode(folder, address);
    expect(await verify(second.url, key, payload)).toMatchObject(SPENT);
    const other = await fetchAndSolve(first.url, sitekey, ORIGIN);
    const answers = await Promise.all(
      [first, second, first, second].map(({ url }) => verify(url, key, other)),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    await first.kill();
    await second.kill();
    const third = await startNode(folder, address);
    expect(await verify(third.url, key, other)).toMatchObject(SPENT);
    expect(await third.end('SIGTERM')).toBe(0);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  },
);

testInFolder(
  'changes on one node reach the other within moments, even if announcements are lost',
  async (folder) => {
    const address = await database.createDatabase();
    const [a, b] = [await startNode(folder, address), await startNode(folder, address)];
    const { sitekey } = demoOf(a);
    const [{ id: user }] = await command<[{ id: string; email: string }]>(address, 'users', 'list');
    expect(user).toBeString();
    const [{ email }] = await command<[{ email: string }]>(address, 'users', 'list');
    const { key, id } = await command<{ key: string; id: string }>(
      address,
      ...['keys', 'create', '--user', email, '--name', 'Backend', '--scope', 'verify'],
    );
    for (const { url } of [a, b]) {
      expect(await verify(url, key, await fetchAndSolve(url, sitekey, ORIGIN))).toMatchObject(ACCEPTED);
    }
    // The connections on which nodes listen are closed at every moment.
    const admin = database.admin;
    let isCutting = true;
    const cutting = (async () => {
      while (isCutting) {
        await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'listen%'`;
        await Bun.sleep(10);
      }
    })();
    await command(address, 'keys', 'revoke', id);
    for (const { url } of [a, b]) {
      await waitUntil('the key is revoked', async () => (await verify(url, key, 'x')).status === 401);
    }
    isCutting = false;
    await cutting;
  },
);

testInFolder(
  'while PostgreSQL is down, puzzles are issued and solutions are rejected with 503',
  async (folder) => {
    const address = await database.createDatabase();
    const node = await startNode(folder, address);
    const { sitekey, key } = demoOf(node);
    const spent = await fetchAndSolve(node.url, sitekey, ORIGIN);
    const unspent = await fetchAndSolve(node.url, sitekey, ORIGIN);
    expect(await verify(node.url, key, spent)).toMatchObject(ACCEPTED);
    await database.kill();
    await waitUntil('the node notices it', async () => (await readiness(node)).status === 503);
    expect((await readiness(node)).problems.length).toBeGreaterThan(0);
    expect(await fetchPuzzle(node.url, sitekey, ORIGIN)).toContain('.');
    expect((await verify(node.url, key, unspent)).status).toBe(503);
    // The replay guard still knows the solution, and may reject it without the database.
    const again = await verify(node.url, key, spent);
    expect(again.success === true).toBe(false);
    await database.start();
    await waitUntil('the node is ready again', async () => (await readiness(node)).status === 200);
    expect(await verify(node.url, key, unspent)).toMatchObject(ACCEPTED);
    expect(await verify(node.url, key, unspent)).toMatchObject(SPENT);
    expect(await verify(node.url, key, spent)).toMatchObject(SPENT);
    expect(node.output()).not.toContain(address.password);
  },
);

testInFolder('connections use TLS and verify the certificate of the server', async (folder) => {
  const server = await startPostgres({ certificateFor: 'IP:127.0.0.1' });
  try {
    const { url } = await server.createDatabase();
    const verified = { url: `${url}?sslmode=verify-full` };
    const node = await startNode(folder, verified, { POSTERN_DATABASE_CA: server.certificateFile });
    expect((await readiness(node)).status).toBe(200);
    await node.end('SIGTERM');
    const failure = await startNode(folder, verified).catch(String);
    expect(failure).toMatch(/cannot be used: .*(?:self.signed|certificate)/i);
    const plain = await startNode(folder, { url: `${url}?sslmode=disable` }).catch(String);
    expect(plain).toMatch(/cannot be used: .*(?:no encryption|28000)/);
    expect(`${failure}${plain}`).not.toContain(server.password);
  } finally {
    await server.remove();
  }
});
