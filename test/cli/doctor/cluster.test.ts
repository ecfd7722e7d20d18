import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import type { Instant } from '../../../src/lib/time.ts';
import { connect } from '../../../src/storage/postgres/connect.ts';
import { createNodeStore } from '../../../src/storage/postgres/nodes.ts';
import { type DatabaseAddress, replicateSynchronously, startPostgres } from '../../support/postgres.ts';
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
    expect(report.checks.filter(({ ok, warning }) => !ok || warning)).toEqual([]);
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
    await server.configure({ synchronous_standby_names: 'gone' });
    const alone = await examine(cli, settings);
    expect(alone.code).toBe(1);
    expect(alone.check('standbys')).toMatchObject({
      ok: false,
      detail:
        'commits wait for gone, but no standby is connected, so verifications and all other writes wait',
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

  const report = (id: string, offsetMs: number) =>
    createNodeStore(database.orm).report(
      { id, name: `node-${id}`, version: '1.2.3' },
      () => (Date.now() + offsetMs) as Instant,
    );

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
});
