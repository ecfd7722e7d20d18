import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hostname } from 'node:os';
import { sql } from 'drizzle-orm';
import type { Instant } from '../../../src/lib/time.ts';
import { connect } from '../../../src/storage/postgres/connect.ts';
import { createNodeStore } from '../../../src/storage/postgres/nodes.ts';
import { CONNECTIONS_PER_NODE } from '../../../src/storage/postgres/poolSizes.ts';
import { version } from '../../../src/version.ts';
import {
  type DatabaseAddress,
  makeCommitsWait,
  type PostgresServer,
  replicateSynchronously,
  startPostgres,
} from '../../support/postgres.ts';
import { startServer } from '../../support/server.ts';
import { emptyDatabase, locationOf, migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type CommandLine, createCommandLine } from '../commandLine.ts';
import { examine } from './examine.ts';

let cli: CommandLine;
beforeEach(() => {
  cli = createCommandLine();
});
afterEach(() => cli.remove());

const settingsFor = ({ url }: Pick<DatabaseAddress, 'url'>) => ({ POSTERN_DATABASE_URL: url });

test('a server with safe settings passes every check, and the data folder is not checked', async () => {
  const server = await startPostgres({ isDurable: true });
  try {
    const { code, report, check } = await examine(cli, settingsFor(await server.createDatabase()));
    // Queries are slow on a busy machine.
    const failed = report.checks.filter(({ name, ok, warning }) => !ok || (warning && name !== 'latency'));
    expect(failed).toEqual([]);
    expect(code).toBe(0);
    expect(check('database')?.detail).toMatch(
      /^PostgreSQL \d+.+without a schema; the first start creates it$/,
    );
    expect(check('durability')?.detail).toBe('synchronous_commit is on');
    expect(check('data-folder')).toBeUndefined();
    await server.configure({ synchronous_commit: 'local', synchronous_standby_names: '' });
    const relaxed = await examine(cli, settingsFor(await server.createDatabase()));
    expect(relaxed.check('durability')).toMatchObject({ ok: true, warning: true });
  } finally {
    await server.remove();
  }
});

test('a server that can lose commits fails', async () => {
  const address = await emptyDatabase();
  const { code, check } = await examine(cli, settingsFor(address));
  expect(code).toBe(1);
  expect(check('durability')?.detail).toMatch(/fsync is off/);
  expect(check('autovacuum')).toMatchObject({ ok: false });
  await (await sharedPostgres()).dropDatabase(address);
});

// `doctor` used to say only for which standby commits wait.
test('a server whose commits wait for a standby that is gone fails', async () => {
  const server = await startPostgres();
  try {
    const settings = settingsFor(await server.createDatabase());
    await makeCommitsWait(server);
    const alone = await examine(cli, settings);
    expect(alone.code).toBe(1);
    expect(alone.check('standbys')).toMatchObject({
      ok: false,
      detail:
        'commits wait for gone, but no synchronous standby is connected, so verifications and all other writes wait',
      fix: expect.stringContaining("ALTER SYSTEM SET synchronous_standby_names = ''"),
    });
    const standby = await startPostgres({ standbyOf: server });
    try {
      await replicateSynchronously(server, standby);
      expect((await examine(cli, settings)).check('standbys')).toMatchObject({
        ok: true,
        detail: `commits wait for ${standby.name}; connected standbys: 1`,
      });
      await standby.stop();
      await waitUntil('the standby is gone', async () => {
        return (await examine(cli, settings)).check('standbys')?.ok === false;
      });
    } finally {
      await standby.remove();
    }
    await server.configure({ synchronous_standby_names: '' });
    expect((await examine(cli, settings)).check('standbys')).toMatchObject({ ok: true });
  } finally {
    await server.remove();
  }
});

test('a server that cannot be reached fails, and the output does not contain the password', async () => {
  const address = await emptyDatabase();
  const url = address.url.replace(/:[^:@]+@/, ':secret-password@');
  const { code, check, out } = await examine(cli, settingsFor({ url }));
  expect(code).toBe(1);
  expect(check('database')?.detail).toMatch(/28P01.*password authentication failed/);
  expect(out).not.toContain('secret-password');
  await (await sharedPostgres()).dropDatabase(address);
});

test('a database that requires a newer version of Postern fails', async () => {
  const address = await migratedDatabase();
  const database = connect(locationOf(address), { max: 1 });
  await database.sql`INSERT INTO migrations VALUES (1000, 'future', 0, 1000)`;
  await database.close();
  const { code, check } = await examine(cli, settingsFor(address));
  expect(code).toBe(1);
  expect(check('database')).toMatchObject({ ok: false, fix: 'Use a newer version of Postern.' });
  await (await sharedPostgres()).dropDatabase(address);
});

describe('the nodes', () => {
  let address: DatabaseAddress;
  let database: ReturnType<typeof connect>;
  beforeEach(async () => {
    address = await migratedDatabase();
    database = connect(locationOf(address), { max: 1 });
  });
  afterEach(async () => {
    await database.close();
    await (await sharedPostgres()).dropDatabase(address);
  });

  const report = (id: string, offsetMs = 0, name = `node-${id}`, isFirst = false) =>
    createNodeStore(database.orm).report(
      { id, name, version: '1.2.3' },
      () => (Date.now() + offsetMs) as Instant,
      isFirst,
    );
  const age = (id: string, seconds: number) =>
    database.sql`UPDATE nodes SET seen_at = now() - make_interval(secs => ${seconds}) WHERE id = ${id}`;

  test('are listed with the difference of their clocks', async () => {
    await report('a', 0);
    await report('b', 500);
    const nodes = (await examine(cli, settingsFor(address))).check('nodes');
    expect(nodes).toMatchObject({ ok: true });
    expect(nodes?.detail).toMatch(
      /^node-a 1\.2\.3 \(-?\d+ ms\), node-b 1\.2\.3 \(\d+ ms\); their clocks differ by \d+ ms$/,
    );
  });

  test('fail if their clocks differ by more than two seconds', async () => {
    await report('a', -3_600_000);
    await report('b', 0);
    expect((await examine(cli, settingsFor(address))).check('nodes')).toMatchObject({ ok: false });
  });

  test('are no longer listed a minute after their last report', async () => {
    await report('a', -3_600_000);
    await database.orm.execute(sql`UPDATE nodes SET seen_at = now() - interval '61 seconds'`);
    expect((await examine(cli, settingsFor(address))).check('nodes')?.detail).toBe('none running');
    await report('b', 0);
    const [row] = await database.sql`SELECT count(*)::integer AS rows FROM nodes`;
    expect(row.rows).toBe(1);
  });

  // A stopped node was listed for another minute.
  test('are listed with their host and port until they stop', async () => {
    const start = (port: string) => startServer({ database: address, settings: { POSTERN_PORT: port } });
    const [first, second] = [await start('8081'), await start('8082')];
    const listed = async () => (await examine(cli, settingsFor(address))).check('nodes')?.detail ?? '';
    expect(await listed()).toContain(`${hostname()}:8081 ${version} (`);
    expect(await listed()).toContain(`, ${hostname()}:8082 ${version} (`);
    await first.stop();
    expect(await listed()).toStartWith(`${hostname()}:8082 ${version} (`);
    await second.stop();
    expect(await listed()).toBe('none running');
  });

  // Containers can have the same host name, so the list contained the same name several times.
  test('are distinguishable if they have the same name', async () => {
    await report('aaaaaaaa1', 0, 'web:8080', true);
    await report('bbbbbbbb1', 0, 'web:8080', true);
    await report('aaaaaaaa1', 0, 'web:8080');
    await report('c', 0, 'other:8080');
    expect((await examine(cli, settingsFor(address))).check('nodes')?.detail).toMatch(
      /^other:8080 1\.2\.3 \(.+\), web:8080 \[aaaaaaaa\] 1\.2\.3 \(.+\), web:8080 \[bbbbbbbb\] 1\.2\.3 \(/,
    );
  });

  // The check failed for a minute after a node was killed and another one was started.
  test('that have not reported for 20 seconds only cause warnings', async () => {
    const check = async (name: string) => (await examine(cli, settingsFor(address))).check(name);
    const settings = await sharedPostgres();
    const [{ max_connections: limit }] = await settings.admin`SHOW max_connections`;
    const count = Math.ceil(limit / CONNECTIONS_PER_NODE);
    for (let i = 0; i < count; i++) await report(String(i));
    const detail = expect.stringContaining(`, and ${count} nodes have reported in the last minute`);
    expect(await check('connections')).toMatchObject({ ok: false, detail });
    await age('0', 40);
    expect(await check('connections')).toMatchObject({ ok: true, warning: true, detail });
    await report('0', -3_600_000);
    expect(await check('nodes')).toMatchObject({ ok: false });
    await age('0', 40);
    expect(await check('nodes')).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^node-0 1\.2\.3 \(-3\d{6} ms, last report 4\d s ago\), node-1 /),
    });
  });
});

// The advice for servers with equal timelines was also to stop the one with the lower timeline.
test('two servers that accept writes fail, with advice that depends on their timelines', async () => {
  const old = await startPostgres();
  const promoted = [
    await startPostgres({ standbyOf: old }),
    await startPostgres({ standbyOf: old }),
  ] as const;
  try {
    const { name } = await old.createDatabase();
    for (const { promote, admin } of promoted) {
      await waitUntil('the database is replicated', async () => {
        return (await admin`SELECT FROM pg_database WHERE datname = ${name}`).length > 0;
      });
      await promote();
      await waitUntil('the server accepts writes', async () => {
        return (await admin`SELECT pg_is_in_recovery() AS is_standby`)[0].is_standby === false;
      });
    }
    const fixFor = async (one: PostgresServer, other: PostgresServer) => {
      const url = one.addressOf(name).url.replace(`:${one.port}/`, `:${one.port},127.0.0.1:${other.port}/`);
      const check = (await examine(cli, settingsFor({ url }))).check('database-servers');
      expect(check?.ok).toBe(false);
      return check?.fix;
    };
    expect(await fixFor(old, promoted[0])).toContain('Stop the server with the lower timeline');
    const fix = await fixFor(...promoted);
    expect(fix).not.toContain('lower timeline');
    expect(fix).toContain('SELECT max(seen_at) FROM nodes');
  } finally {
    for (const server of [...promoted, old]) await server.remove();
  }
}, 120_000);
