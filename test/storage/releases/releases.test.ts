import { Database } from 'bun:sqlite';

/** Names that have changed since release 0.1.0: the members of objects, and the names of actions. */
const NEW_NAMES: Readonly<Record<string, string>> = {
  door: 'source',
  subject: 'object',
  told: 'reported',
  'session-refused': 'session-rejected',
  'password-refused': 'password-rejected',
  'set-up-completed': 'setup-completed',
};

function withNewNames<Content>(content: Content): Content {
  const text = JSON.stringify(content).replace(/"([a-z-]+)"/g, (old, name) =>
    name in NEW_NAMES ? `"${NEW_NAMES[name]}"` : old,
  );
  return JSON.parse(text) as Content;
}

import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { MIGRATIONS, migrate } from '../../../src/storage/sqlite/migrate.ts';
import { createBrowserClient } from '../../support/portal.ts';
import { startServer } from '../../support/server.ts';
import { verify } from '../../support/visitor.ts';
import { useFolders } from '../folder.ts';
import { readContent } from './content.ts';
import {
  fixtureOf,
  hashesOf,
  hashMigrations,
  RELEASES,
  readSnapshot,
  requireRows,
  tablesOf,
  unpack,
} from './fixtures.ts';
import { CONTINUED_AT, EMAIL, PASSWORD, VERIFY_KEY, verifyRepeated } from './installation.ts';

const makeFolder = useFolders();

describe.each(RELEASES)('release %s', (release) => {
  const fixture = fixtureOf(release);
  const snapshot = readSnapshot(fixture);
  const { known } = snapshot;

  async function upgrade() {
    const dataDir = join(makeFolder(), 'data');
    unpack(fixture, dataDir);
    return startServer({ dataDir, now: CONTINUED_AT, settings: { POSTERN_DNS_CHECK: 'off' } });
  }

  test('has migrations that have not changed since', () => {
    const now = hashMigrations().split('\n');
    const then = hashesOf(fixture).trimEnd().split('\n');
    expect(now.slice(0, then.length)).toEqual(then);
  });

  test('has a fixture with data in every table', () => {
    const dataDir = join(makeFolder(), 'data');
    unpack(fixture, dataDir);
    requireRows(dataDir);
  });

  test('upgrades, and the commands and the Platform API return the same data', async () => {
    const server = await upgrade();
    // A newer version may return more members, and write a newer version of the export format.
    const content = withNewNames(snapshot.content);
    const exported = { ...(content.export as object), version: expect.any(Number) };
    expect(await readContent(server, known)).toMatchObject({ ...content, export: exported });
    await server.stop();
  });

  test('upgrades, and rejects spent solutions, accepts unspent ones, and repeats results', async () => {
    const { url, stop } = await upgrade();
    const { spent, repeated, fresh, idempotencyKey } = known;
    expect(await verify(url, VERIFY_KEY, spent)).toMatchObject({ success: false, code: 8 });
    expect(await verify(url, known.revokedKey, fresh)).toMatchObject({ status: 401 });
    expect(await verify(url, known.limitedKey, fresh)).toMatchObject({ success: true, code: 0 });
    expect(await verify(url, VERIFY_KEY, fresh)).toMatchObject({ success: false, code: 8 });
    expect(await verifyRepeated(url, repeated, idempotencyKey)).toMatchObject({ success: true });
    expect(await verifyRepeated(url, repeated, crypto.randomUUID())).toMatchObject({ success: false });
    await stop();
  });

  test('upgrades, and sessions, passwords, recovery codes, and invitations continue to work', async () => {
    const server = await upgrade();
    const returning = createBrowserClient(server);
    returning.cookies.set('postern-session', known.session);
    expect((await returning.get('/portal/settings/profile')).text).toContain(EMAIL);
    const browser = createBrowserClient(server);
    const shown = await browser.fill('/portal/login', { email: EMAIL, password: PASSWORD });
    expect(shown.redirectPath).toBe('/portal/login/code');
    const done = await browser.fill('/portal/login/code', { code: known.recoveryCode });
    expect(done.redirectPath).toBe('/portal');
    const guest = createBrowserClient(server);
    const { text } = await guest.get(`/portal/invitation#token=${known.invitationToken}`);
    expect(text).toContain('guest@example.com');
    await server.stop();
  });
});

describe('the data of the newest release', () => {
  const fixture = fixtureOf(RELEASES.at(-1) ?? '');
  const columnsOf = (database: Database, table: string, schema = 'main'): readonly string[] =>
    database
      .query<{ name: string }, []>(`PRAGMA ${schema}.table_info(${table})`)
      .all()
      .map(({ name }) => name);

  /** The columns of a table that the release has too; empty if the release does not have the table. */
  const sharedColumnsOf = (database: Database, table: string): readonly string[] => {
    const released = columnsOf(database, table, 'release');
    return columnsOf(database, table).filter((name) => released.includes(name));
  };

  /** A database with the schema of a version, and the rows of the release in its tables and columns. */
  function createAt(version: number): { readonly database: Database; readonly read: () => unknown } {
    const dataDir = join(makeFolder(), 'data');
    unpack(fixture, dataDir);
    const database = new Database(':memory:');
    migrate(database, MIGRATIONS.slice(0, version));
    database.run('ATTACH ? AS release', [join(dataDir, 'postern.sqlite')]);
    const tables = tablesOf(database).filter((table) => table !== 'migrations');
    const shared = tables.map((table) => [table, sharedColumnsOf(database, table).join(', ')] as const);
    const columns = new Map(shared.filter(([, names]) => names !== ''));
    for (const [table, names] of columns) {
      database.run(`INSERT INTO ${table} (${names}) SELECT ${names} FROM release.${table}`);
    }
    const read = () =>
      [...columns].map(([table, names]) => [
        table,
        database.query(`SELECT ${names} FROM ${table} ORDER BY ${names}`).all(),
      ]);
    return { database, read };
  }

  test.each(MIGRATIONS.slice(0, -1))('upgrades from schema version $version', ({ version }) => {
    const { database, read } = createAt(version);
    const before = read();
    expect(migrate(database)).toEqual(MIGRATIONS.slice(version).map(({ name }) => name));
    expect(read()).toEqual(before);
    expect(database.query('PRAGMA foreign_key_check').all()).toEqual([]);
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect(tablesOf(database)).toEqual(tablesOf(createAt(MIGRATIONS.length).database));
    database.close();
  });
});
