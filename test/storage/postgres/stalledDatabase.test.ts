import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type CommandLine, createCommandLine } from '../../cli/commandLine.ts';
import {
  type DatabaseAddress,
  makeCommitsWait,
  type PostgresServer,
  replicateSynchronously,
  startPostgres,
} from '../../support/postgres.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { waitUntil } from '../../support/waitUntil.ts';

let postgres: PostgresServer;
let database: DatabaseAddress;
let cli: CommandLine;
let settings: Record<string, string>;
let org: string;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.createDatabase();
  cli = createCommandLine();
  settings = { POSTERN_DATABASE_URL: database.url };
  await cli.json('users create --email ann@example.com', { settings });
  org = (await cli.json('orgs create --user ann@example.com --name Ann', { settings })).id;
}, 120_000);
afterEach(async () => {
  postgres.thaw();
  await postgres.configure({ synchronous_standby_names: '' });
});
afterAll(async () => {
  await cli.remove();
  await postgres.remove();
});

const troublesOf = async ({ url }: TestServer) =>
  ((await (await fetch(`${url}/readyz`)).json()) as { problems: readonly string[] }).problems;

/** Waits until the server has noticed that the database has failed. @returns the reason that it has logged */
async function noticedBy(server: TestServer): Promise<unknown> {
  const find = () => server.logged.find(({ event }) => event === 'database-failed');
  await waitUntil('database-failed is logged', () => find() !== undefined);
  expect(await troublesOf(server)).toEqual(['database-unavailable']);
  return find()?.reason;
}

async function failuresOf({ url }: TestServer): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^postern_storage_failures_total\{database="main"\} (\d+)$/m.exec(metrics)?.[1]);
}

async function countWaiting(): Promise<number> {
  const [row] = await postgres.admin`
    SELECT count(*)::integer AS waiting FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
  return row.waiting;
}

const isReady = async (server: TestServer) => (await troublesOf(server)).length === 0;
const create = (name: string) => `properties create --org ${org} --name ${name} --domain ${name}.example.com`;
const namesOf = async () => {
  const properties = await cli.json(`properties list --org ${org}`, { settings });
  return properties.map(({ name }: { name: string }) => name);
};

// The server logged database-failed when a call had reached its time limit of 40 seconds.
test('a server notices a frozen database without a request, and recovers', async () => {
  const server = await startServer({ database });
  postgres.freeze();
  expect(await noticedBy(server)).toBe('the database server does not answer');
  postgres.thaw();
  await waitUntil('the server is ready', () => isReady(server));
  await server.stop();
}, 120_000);

describe('while commits wait for a synchronous standby that is gone', () => {
  const cause = 'commits wait for gone, but no synchronous standby is connected';

  test('a server notices it without a request, and recovers', async () => {
    const server = await startServer({ database });
    await makeCommitsWait(postgres);
    expect(await noticedBy(server)).toStartWith(cause);
    // Each attempt to write used to wait on another connection, until none was left for reads.
    const waiting = await countWaiting();
    const failures = await failuresOf(server);
    await waitUntil('further attempts', async () => (await failuresOf(server)) > failures + 3);
    expect(await countWaiting()).toBe(waiting);
    await postgres.configure({ synchronous_standby_names: '' });
    await waitUntil('the server is ready', () => isReady(server));
    await server.stop();
  }, 120_000);

  // It failed after 45 seconds with "no answer within 40 s". Commands that only read failed, too.
  test('a command that writes states the cause, and that its change may take effect later', async () => {
    await makeCommitsWait(postgres);
    const { code, err } = await cli.run(create('shop'), { settings });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(cause) });
    expect(err).toContain('PostgreSQL may already have stored the change');
    expect(await namesOf()).toEqual([]);
    await postgres.configure({ synchronous_standby_names: '' });
    await waitUntil('the change takes effect', async () => (await namesOf()).length > 0);
    expect(await namesOf()).toEqual(['shop']);
  }, 120_000);
});

// PostgreSQL closes the connection to such a standby only after a minute.
test('a command that writes states the cause while a connected standby is frozen', async () => {
  const standby = await startPostgres({ standbyOf: postgres });
  try {
    await replicateSynchronously(postgres, standby);
    standby.freeze();
    const { code, err } = await cli.run(create('frozen'), { settings });
    const cause = `commits wait for ${standby.name}, which does not confirm them`;
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(cause) });
    standby.thaw();
    await waitUntil('the change takes effect', async () => (await namesOf()).includes('frozen'));
  } finally {
    standby.thaw();
    await standby.remove();
  }
}, 120_000);
