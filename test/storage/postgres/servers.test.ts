import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../../src/lib/log.ts';
import type { Claim } from '../../../src/model/ports/replayLedger.ts';
import { connectToPrimary } from '../../../src/storage/postgres/failover.ts';
import { openLedger } from '../../../src/storage/postgres/ledger/ledger.ts';
import { createOpenConnection } from '../../../src/storage/postgres/ledger/openConnection.ts';
import { findConflict, type ServerState } from '../../../src/storage/postgres/serverStates.ts';
import { createServers } from '../../../src/storage/postgres/servers.ts';
import { type PostgresServer, replicateSynchronously, startPostgres } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createLedgerDatabase, type LedgerDatabase, locationOf } from './ledgers.ts';

const state = (changes: Partial<ServerState>): ServerState => ({
  name: 'db:5432',
  failure: undefined,
  isWritable: true,
  system: '1',
  timeline: 1,
  ...changes,
});

test.each([
  ['one server', [state({})], undefined],
  ['none', [], undefined],
  ['a newer timeline', [state({}), state({ timeline: 2 })], undefined],
  ['the same timeline', [state({ timeline: 2 }), state({ timeline: 2 }), state({})], 'same-timeline'],
  ['an unknown timeline', [state({ timeline: undefined }), state({})], 'same-timeline'],
  ['other data', [state({}), state({ system: '2', timeline: 2 })], 'not-copies'],
] as const)('servers that accept writes: %s', (_, servers, conflict) => {
  expect(findConflict(servers)).toBe(conflict as ReturnType<typeof findConflict>);
});

const newClaim = (): Claim => ({
  puzzleId: crypto.getRandomValues(new Uint8Array(8)),
  expiresAtSeconds: 2000,
  keyFingerprint: 1,
});

describe('an old primary that runs again after a failover', () => {
  let old: PostgresServer;
  let promoted: PostgresServer;
  let database: LedgerDatabase;
  let url: string;

  beforeAll(async () => {
    old = await startPostgres({ isDurable: true });
    promoted = await startPostgres({ isDurable: true, standbyOf: old });
    await replicateSynchronously(old, promoted);
    database = await createLedgerDatabase(old);
    const hosts = [old.port, promoted.port].map((port) => `127.0.0.1:${port}`).join(',');
    url = database.address.url.replace(`127.0.0.1:${old.port}`, hosts);
    await old.configure({ synchronous_standby_names: '' });
    await old.kill();
    await promoted.promote();
    const isPrimary = async () =>
      (await promoted.admin`SELECT pg_is_in_recovery() AS is_standby`)[0].is_standby === false;
    await waitUntil('the standby is promoted', isPrimary);
    await old.start();
  }, 120_000);
  afterAll(async () => {
    await promoted.remove();
    await old.remove();
  });

  const nameOf = ({ port }: PostgresServer) => `127.0.0.1:${port}`;

  test('is not used by a node that starts, and the check reports both servers', async () => {
    const servers = createServers(locationOf(url));
    expect((await servers.find()).location.url.hosts).toEqual([{ host: '127.0.0.1', port: promoted.port }]);
    expect(await servers.check()).toEqual({
      writable: [`${nameOf(old)} (timeline 1)`, `${nameOf(promoted)} (timeline 2)`],
      used: nameOf(promoted),
    });
    servers.close();
  });

  test('gets no more claims and statements from a node that was using it when the node finds the new primary', async () => {
    await promoted.stop();
    const servers = createServers(locationOf(url));
    const first = await servers.find();
    expect(first.location.url.hosts).toEqual([{ host: '127.0.0.1', port: old.port }]);
    const pool = connectToPrimary(locationOf(url), servers, first, { max: 1 });
    const ledger = await openLedger({ open: createOpenConnection(servers, 'full'), durability: 'full' });
    const spent = newClaim();
    expect(await ledger.claim(spent)).toBe(1);
    await promoted.start();
    await waitUntil(
      'the node finds the new primary',
      async () => (await servers.check()).used === nameOf(promoted),
    );
    // The solution is new on the new primary, which does not have the claims of the old one.
    expect(await ledger.claim(spent)).toBe(1);
    const claims = await promoted
      .connectAdmin(database.address)
      .unsafe('SELECT count(*)::integer AS claims FROM claims');
    expect(claims[0].claims).toBe(1);
    await waitUntil('statements reach the new primary', async () => {
      const rows = await pool.sql`SELECT inet_server_port() AS port`.catch(() => []);
      return rows[0]?.port === promoted.port;
    });
    await ledger.close();
    await pool.close();
    servers.close();
  });

  test('is rejected by a node that has seen the new primary, even if only the old one answers', async () => {
    const servers = createServers(locationOf(url));
    await servers.find();
    await promoted.stop();
    const reason = await servers.find().then(() => 'found', reasonOf);
    expect(reason).toContain('timeline 1');
    const open = await createOpenConnection(servers, 'full')().then(() => 'open', reasonOf);
    expect(open).toContain('timeline 1');
    await promoted.start();
    servers.close();
  });
});

test('servers that are not copies of each other are not used', async () => {
  const [one, other] = await Promise.all([startPostgres(), startPostgres()]);
  try {
    const { url } = await one.createDatabase();
    await other.admin.unsafe(`ALTER ROLE postern PASSWORD '${one.password}'`);
    await other.createDatabase();
    // A promotion, so that its timeline is newer.
    await other.stop();
    writeFileSync(join(other.folder, 'data/standby.signal'), '');
    await other.start();
    await other.promote();
    const both = url.replace(`:${one.port}/`, `:${one.port},127.0.0.1:${other.port}/`);
    const servers = createServers(locationOf(both));
    expect(await servers.find().then(() => 'found', reasonOf)).toContain('are not copies of each other');
    expect(await servers.check()).toMatchObject({ used: undefined });
    expect(servers.isCurrent({ timeline: 1 })).toBe(false);
    // Its timeline must not exclude the server that is left.
    await other.stop();
    expect((await servers.find()).location.url.hosts).toEqual([{ host: '127.0.0.1', port: one.port }]);
    servers.close();
  } finally {
    await Promise.all([one.remove(), other.remove()]);
  }
}, 120_000);
