import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { reasonOf } from '../../../src/lib/log.ts';
import type { Claim } from '../../../src/model/ports/replayLedger.ts';
import { CHANGE_CHANNEL, subscribeToChanges } from '../../../src/storage/postgres/announcements.ts';
import { connectToPrimary } from '../../../src/storage/postgres/failover.ts';
import { createServers } from '../../../src/storage/postgres/servers.ts';
import { freePort } from '../../support/binary.ts';
import { type PostgresServer, replicateSynchronously, startPostgres } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createLedgerDatabase, type LedgerDatabase, locationOf } from './ledgers.ts';

const newClaim = (): Claim => ({
  puzzleId: crypto.getRandomValues(new Uint8Array(8)),
  expiresAtSeconds: 2000,
  keyFingerprint: 1,
});

describe('a primary with a synchronous standby', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let database: LedgerDatabase;
  /** Names the standby first. */
  let url: string;

  beforeAll(async () => {
    primary = await startPostgres({ isDurable: true });
    standby = await startPostgres({ isDurable: true, standbyOf: primary });
    await replicateSynchronously(primary, standby);
    database = await createLedgerDatabase(primary);
    const hosts = [standby.port, primary.port].map((port) => `127.0.0.1:${port}`).join(',');
    url = database.address.url.replace(`127.0.0.1:${primary.port}`, hosts);
  }, 120_000);
  afterAll(async () => {
    await standby.remove();
    await primary.remove();
  });

  test('is found among several servers, in any order', async () => {
    const found = await createServers(locationOf(url)).find();
    expect(found.location.url.hosts).toEqual([{ host: '127.0.0.1', port: primary.port }]);
  });

  test('is not found if no server accepts writes, and the error states the reason for each server', async () => {
    const closed = await freePort();
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${closed}`;
    const location = locationOf(database.address.url.replace(`127.0.0.1:${primary.port}`, hosts));
    const reason = () =>
      createServers(location)
        .find()
        .then(() => 'found', reasonOf);
    await waitUntil('the standby has the database', async () => !(await reason()).includes('does not exist'));
    const message = await reason();
    expect(message).toContain('no database server accepts writes');
    expect(message).toContain(`127.0.0.1:${standby.port}: the server is read-only`);
    expect(message).toContain(`127.0.0.1:${closed}: `);
  });

  test('that is killed under load loses no acknowledged claim, and claims, statements, and announcements continue on the standby', async () => {
    const ledgers = [await database.open({ url }), await database.open({ url })] as const;
    const location = locationOf(url);
    const servers = createServers(location);
    const pool = connectToPrimary(location, servers, await servers.find(), { max: 2 });
    let announcements = 0;
    const unsubscribe = await subscribeToChanges(servers, () => announcements++);

    const accepted: Claim[] = [];
    let failures = 0;
    let isDone = false;
    const client = async (_: unknown, i: number) => {
      while (!isDone) {
        const claim = newClaim();
        try {
          expect(await (ledgers[i % 2] ?? ledgers[0]).claim(claim)).toBe(1);
          accepted.push(claim);
        } catch {
          failures++;
          await Bun.sleep(5); // The rejection may be immediate.
        }
      }
    };
    const clients = Promise.all(Array.from({ length: 64 }, client));
    await waitUntil('claims are accepted', () => accepted.length > 500);
    await primary.kill();
    await waitUntil('claims fail', () => failures > 0);
    const beforePromotion = accepted.length;
    await standby.promote();
    await waitUntil('claims are accepted again', () => accepted.length > beforePromotion + 500);
    isDone = true;
    await clients;
    // A rejected claim may have been stored, and a busy machine may cause rejections.
    const claimAgain = (claim: Claim, i: number): Promise<number> =>
      (ledgers[i % 2] ?? ledgers[0]).claim(claim).catch(async () => {
        await Bun.sleep(50);
        return claimAgain(claim, i);
      });
    const again: number[] = [];
    for (let i = 0; i < accepted.length; i += 1000)
      again.push(...(await Promise.all(accepted.slice(i, i + 1000).map(claimAgain))));
    expect(again.filter((number) => number < 2)).toEqual([]);

    await waitUntil('statements work', async () => {
      const rows = await pool.sql`SELECT pg_is_in_recovery() AS is_standby`.catch(() => []);
      return rows[0]?.is_standby === false;
    });
    // Also when the connection is opened, because changes may have been missed.
    await waitUntil('the subscription is renewed', () => announcements >= 2);
    const before = announcements;
    await pool.sql.notify(CHANGE_CHANNEL);
    await waitUntil('the announcement arrives', () => announcements > before);
    expect(await pool.sql.begin(async (sql) => (await sql`SELECT 1 AS one`)[0].one)).toBe(1);
    await unsubscribe();
    await pool.close();
    for (const ledger of ledgers) await ledger.close();
  }, 120_000);
});
