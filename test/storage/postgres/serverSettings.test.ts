import { afterAll, expect, test } from 'bun:test';
import { reasonOf } from '../../../src/lib/log.ts';
import { createPostgresEngine } from '../../../src/storage/postgres/engine.ts';
import { addUser, createBrowserClient, PASSWORD, tokenIn } from '../../support/portal.ts';
import type { DatabaseAddress } from '../../support/postgres.ts';
import { addTenant, startServer } from '../../support/server.ts';
import { emptyDatabase, locationOf, migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';

/** Settings of the role or the database, which apply to sessions that do not set them. */

/** Settings that Postern has to set itself, or that do not affect it. */
const HARMLESS: Readonly<Record<string, string>> = {
  bytea_output: 'escape',
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kathmandu',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  escape_string_warning: 'off',
  extra_float_digits: '-15',
  client_encoding: 'LATIN1',
  lock_timeout: '1ms',
  statement_timeout: '1ms',
  idle_in_transaction_session_timeout: '1ms',
  idle_session_timeout: '1ms',
  exit_on_error: 'on',
  quote_all_identifiers: 'on',
  row_security: 'off',
  xmloption: 'document',
  transform_null_equals: 'on',
  array_nulls: 'off',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_indexscan: 'off',
  enable_hashjoin: 'off',
  enable_nestloop: 'off',
  jit_above_cost: '0',
  synchronous_commit: 'off',
  check_function_bodies: 'off',
  lc_messages: 'C',
  lc_numeric: 'C',
};

/** Starts a server, and signs in, creates a property, and issues and verifies a puzzle. */
async function useServerOn(database: DatabaseAddress): Promise<void> {
  const server = await startServer({ database });
  try {
    const account = await addUser(server);
    const browser = createBrowserClient(server);
    const form = {
      email: account.email,
      password: PASSWORD,
      form_token: tokenIn(await browser.get('/portal/login')),
    };
    expect((await browser.post('/portal/login', form)).status).toBe(303);
    expect((await browser.get('/portal')).status).toBeLessThan(400);
    const { property, verifyKey } = await addTenant(server, { name: 'Grüße, 世界' });
    const payload = await fetchAndSolve(server.url, property.sitekey);
    expect(await verify(server.url, verifyKey, payload)).toMatchObject({ success: true, code: 0 });
    expect(await verify(server.url, verifyKey, payload)).toMatchObject({ success: false, code: 8 });
    const stored = await server.app.services.stores.properties.bySitekey(property.sitekey);
    expect(stored).toMatchObject({ name: 'Grüße, 世界' });
    await server.app.flush();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    // Calls are slow on a busy machine.
    const isTrouble = ({ level, event }: Readonly<Record<string, unknown>>) =>
      level === 'error' || (level === 'warn' && event !== 'store-call-slow');
    expect(server.logged.filter(isTrouble)).toEqual([]);
  } finally {
    await server.stop();
  }
}

async function applySettings({ name }: DatabaseAddress, settings: typeof HARMLESS): Promise<void> {
  const { admin } = await sharedPostgres();
  for (const [setting, value] of Object.entries(settings))
    await admin.unsafe(`ALTER ROLE postern IN DATABASE ${name} SET ${setting} = '${value}'`);
}

const used: DatabaseAddress[] = [];
async function prepared(database: Promise<DatabaseAddress>, settings: typeof HARMLESS) {
  const address = await database;
  used.push(address);
  await applySettings(address, settings);
  return address;
}
afterAll(async () => {
  const postgres = await sharedPostgres();
  for (const address of used) await postgres.dropDatabase(address);
});

/** Few servers. Neighboring rows of the table are on different servers, because related settings could hide each other's effects. */
const GROUPS = Array.from({ length: 8 }, (_, group) =>
  Object.fromEntries(Object.entries(HARMLESS).filter((_entry, i) => i % 8 === group)),
);

test.each(GROUPS.map((group) => [Object.keys(group).join(', '), group] as const))(
  'a server works with the role settings %s',
  async (_, group) => {
    await useServerOn(await prepared(migratedDatabase(), group));
  },
);

test('a server and commands work with all of these role settings on an empty database', async () => {
  const database = await prepared(emptyDatabase(), HARMLESS);
  const engine = createPostgresEngine(locationOf(database));
  expect((await engine.migrate('')).migrations.length).toBeGreaterThan(0);
  expect(await engine.inspect('')).toMatchObject({ lastBackupAt: undefined });
  expect(await engine.examine()).toMatchObject({ hasAutovacuum: expect.any(Boolean) });
  await useServerOn(database);
});

test('a server uses the schema of the search path', async () => {
  const database = await emptyDatabase();
  const postgres = await sharedPostgres();
  const admin = postgres.connectAdmin(database);
  await admin`CREATE SCHEMA own AUTHORIZATION postern`;
  await useServerOn(await prepared(Promise.resolve(database), { search_path: 'own' }));
  const tables = await admin`SELECT DISTINCT schemaname FROM pg_tables WHERE tableowner = 'postern'`;
  expect([...tables]).toEqual([{ schemaname: 'own' }]);
  await admin.close();
});

// Providers turn it on when the disk is almost full.
test('a server does not start on a database that is read-only by default', async () => {
  const database = await prepared(emptyDatabase(), { default_transaction_read_only: 'on' });
  expect(await startServer({ database }).catch(reasonOf)).toContain('read-only transaction');
});

test('a server does not start if references are not checked', async () => {
  const database = await prepared(migratedDatabase(), { session_replication_role: 'replica' });
  expect(await startServer({ database }).catch(reasonOf)).toContain('session_replication_role is replica');
});
