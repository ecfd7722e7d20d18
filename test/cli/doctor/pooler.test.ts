import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { parseDatabaseUrl } from '../../../src/model/databaseUrl.ts';
import { connect } from '../../../src/storage/postgres/connect.ts';
import { freePort, spawnServer, startBinary } from '../../support/binary.ts';
import { type Pooler, startPgbouncer } from '../../support/pgbouncer.ts';
import type { DatabaseAddress } from '../../support/postgres.ts';
import { emptyDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';
import { addSampleData, type CommandLine, createCommandLine, PROGRAM } from '../commandLine.ts';
import { examine } from './examine.ts';

/** The line that docs/how-to/cluster.md shows. */
const IGNORED = {
  ignore_startup_parameters:
    'bytea_output, IntervalStyle, extra_float_digits, default_transaction_isolation, statement_timeout, lock_timeout, idle_in_transaction_session_timeout, idle_session_timeout, exit_on_error, jit, tcp_keepalives_idle, tcp_keepalives_interval, tcp_keepalives_count',
};

let cli: CommandLine;
let address: DatabaseAddress;
let pooler: Pooler | undefined;
beforeEach(async () => {
  cli = createCommandLine();
  address = await emptyDatabase();
});
afterEach(async () => {
  await pooler?.stop();
  pooler = undefined;
  await (await sharedPostgres()).dropDatabase(address);
  await cli.remove();
});

async function start(settings: Readonly<Record<string, string>>) {
  pooler = await startPgbouncer(address, settings);
  return { POSTERN_DATABASE_URL: pooler.url };
}

/** Expects that the server, commands, and `doctor` reject the pooler. @returns the check of `doctor` */
async function expectRejection(settings: Readonly<Record<string, string>>, message: RegExp) {
  const command = await cli.run('users list', { settings });
  expect([command.code, command.out]).toEqual([1, '']);
  expect(command.err).toMatch(message);
  expect((await cli.run('migrate', { settings })).err).toMatch(message);
  const server = spawnServer(PROGRAM, { ...(await cli.environment()), ...settings, POSTERN_PORT: '0' });
  expect(await server.exited).toBe(1);
  expect(server.output()).toMatch(message);
  const { code, check } = await examine(cli, settings);
  expect(code).toBe(1);
  expect(check('database')?.detail).toMatch(message);
  return check('database');
}

describe('a connection pooler', () => {
  // A second client used to fail with: prepared statement "P0" already exists.
  test.each([
    ['transaction', {}],
    ['transaction', { server_round_robin: '1', min_pool_size: '2' }],
    ['transaction', { server_round_robin: '1', min_pool_size: '5' }],
    ['statement', {}],
  ] as const)('in %s mode is rejected %o', async (mode, more) => {
    const settings = await start({ pool_mode: mode, ...IGNORED, ...more });
    const check = await expectRejection(settings, /leads to a connection pooler in transaction mode/);
    expect(check?.fix).toMatch(/Connect directly to PostgreSQL, or to a pooler in session mode/);
  });

  test('in transaction mode is rejected while other clients use its sessions', async () => {
    const settings = await start({ pool_mode: 'transaction', ...IGNORED });
    const url = parseDatabaseUrl(settings.POSTERN_DATABASE_URL);
    if (url === undefined) throw new Error('invalid URL');
    const others = Array.from({ length: 5 }, () => connect({ url }, { max: 1 }));
    let isEnded = false;
    const traffic = others.map(async ({ sql }) => {
      while (!isEnded) await sql.unsafe('SELECT pg_sleep(0.001)').simple();
    });
    const { err } = await cli.run('users list', { settings });
    isEnded = true;
    await Promise.all(traffic);
    await Promise.all(others.map(({ close }) => close()));
    expect(err).toMatch(/in transaction mode/);
  });

  test('is rejected if the URL names several servers', async () => {
    const { POSTERN_DATABASE_URL } = await start({ pool_mode: 'transaction', ...IGNORED });
    const closed = await freePort();
    const url = POSTERN_DATABASE_URL.replace(/@([^/]+)\//, `@$1,127.0.0.1:${closed}/`);
    await expectRejection({ POSTERN_DATABASE_URL: url }, /in transaction mode/);
  });

  test('that rejects the settings of connections is named, with the line that it needs', async () => {
    const settings = await start({ pool_mode: 'session' });
    const check = await expectRejection(
      settings,
      /a connection pooler that rejects settings of its clients \(unsupported startup parameter: /,
    );
    expect(check?.fix).toEndWith(`ignore_startup_parameters = ${IGNORED.ignore_startup_parameters}`);
  });

  test('in session mode works after the role has the settings that the message lists', async () => {
    const settings = await start({ pool_mode: 'session', ...IGNORED });
    const check = await expectRejection(settings, /a connection pooler that ignores settings of its clients/);
    const admin = (await sharedPostgres()).connectAdmin(address);
    try {
      for (const [statement] of (check?.fix ?? '').matchAll(/ALTER ROLE [^;]+;/g)) {
        // Only for this database, because other tests share the role.
        await admin.unsafe(statement.replace(' SET ', ` IN DATABASE ${address.name} SET `));
      }
    } finally {
      await admin.close();
    }
    await pooler?.stop();
    const configured = await start({ pool_mode: 'session', ...IGNORED });
    expect((await examine(cli, configured)).check('database')).toMatchObject({ ok: true });
    await expectCluster(configured);
  });
});

/** Expects that two nodes share claims and changes. */
async function expectCluster(settings: Readonly<Record<string, string>>): Promise<void> {
  const run: CommandLine = { ...cli, json: (command) => cli.json(command, { settings }) };
  const { sitekey } = await addSampleData(run);
  const { key } = await run.json('keys create --user ann@example.com --name Shop --scope verify');
  const environment = { ...(await cli.environment()), ...settings };
  const [first, second] = [await startBinary(PROGRAM, environment), await startBinary(PROGRAM, environment)];
  const payload = await fetchAndSolve(first.url, sitekey);
  expect(await verify(first.url, key, payload)).toMatchObject({ success: true });
  expect(await verify(second.url, key, payload)).toMatchObject({ success: false, code: 8 });
  // Both nodes hold their connections at the same time, including those for announcements and job locks.
  expect((await examine(cli, settings)).check('nodes')?.detail).toMatch(/their clocks differ by/);
  expect([await first.end('SIGTERM'), await second.end('SIGTERM')]).toEqual([0, 0]);
  // Calls are slow on a busy machine.
  const isTrouble = (line: string) =>
    /"level":"(?:warn|error)"/.test(line) && !line.includes('"event":"store-call-slow"');
  for (const { output } of [first, second]) expect(output().split('\n').filter(isTrouble)).toEqual([]);
}
