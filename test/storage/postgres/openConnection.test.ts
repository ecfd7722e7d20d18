import { describe, expect, test } from 'bun:test';
import { reasonOf } from '../../../src/lib/log.ts';
import { createOpenConnection } from '../../../src/storage/postgres/ledger/openConnection.ts';
import { createServers, type Servers } from '../../../src/storage/postgres/servers.ts';
import type { DatabaseAddress } from '../../support/postgres.ts';
import { migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { locationOf } from './ledgers.ts';

let created: Promise<DatabaseAddress> | undefined;
/** The database of all tests. */
function database(): Promise<DatabaseAddress> {
  created ??= migratedDatabase();
  return created;
}

/** The servers of the database, and what a connection told them. */
async function openServers(replaced: Partial<Servers> = {}) {
  const accepted: unknown[] = [];
  const servers = createServers(locationOf((await database()).url));
  const watched: Servers = {
    ...servers,
    accept(state) {
      accepted.push(state);
      return servers.accept(state);
    },
    ...replaced,
  };
  return { servers: watched, accepted };
}

/** Number of connections to the database, without that of the query. */
async function countConnections(): Promise<number> {
  const admin = (await sharedPostgres()).connectAdmin(await database());
  const [row] =
    await admin`SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()`;
  await admin.close();
  return row.count - 1;
}

describe('a connection for claims', () => {
  test.each([
    ['full', 'on'],
    ['normal', 'off'],
  ] as const)('with the durability %s has its settings', async (durability, expected) => {
    const connection = await createOpenConnection((await openServers()).servers, durability)();
    const [row] = await connection.sql.unsafe(
      "SELECT current_setting('synchronous_commit') AS commit, current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle",
    );
    expect(row).toEqual({ commit: expected, statement: '4s', idle: '4s' });
    connection.close();
  });

  test('tells the servers which one it has reached', async () => {
    const { servers, accepted } = await openServers();
    const connection = await createOpenConnection(servers, 'full')();
    expect(accepted).toMatchObject([{ isWritable: true }]);
    expect(connection.isOpen()).toBe(true);
    connection.close();
  });

  test('is not open after it was closed, by either side', async () => {
    const open = createOpenConnection((await openServers()).servers, 'full');
    const before = await countConnections();
    const [closed, ended] = [await open(), await open()];
    closed.close();
    expect([closed.isOpen(), ended.isOpen()]).toEqual([false, true]);
    await waitUntil('the connection is closed', async () => (await countConnections()) === before + 1);
    await ended.sql.unsafe('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
    await waitUntil('the end is noticed', async () => !ended.isOpen());
  });

  test('is not open while another server may be the primary', async () => {
    const state = { isCurrent: true };
    const { servers } = await openServers({ isCurrent: () => state.isCurrent });
    const connection = await createOpenConnection(servers, 'full')();
    expect(connection.isOpen()).toBe(true);
    state.isCurrent = false;
    expect(connection.isOpen()).toBe(false);
    connection.close();
  });

  test('is closed if its server is not accepted', async () => {
    const before = await countConnections();
    const { servers } = await openServers({
      accept() {
        throw new Error('an old primary');
      },
    });
    expect(await createOpenConnection(servers, 'full')().then(String, reasonOf)).toBe('an old primary');
    await waitUntil('the connection is closed', async () => (await countConnections()) === before);
  });
});
