import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '../../src/threads/worker.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** A server rejects the keys of earlier puzzles when it starts without their claims. Rejected keys signed for up to a second. */

const verifyNew = async ({ url }: TestServer, { property, verifyKey }: Tenant) =>
  verify(url, verifyKey, await fetchAndSolve(url, property.sitekey));

const isLost = ({ logged }: TestServer) => logged.some(({ event }) => event === 'claims-lost');

const IS_SQLITE = process.env.TEST_ENGINE !== 'postgres';

test.each(IS_SQLITE ? ['1', '2'] : [])(
  'puzzles are valid as soon as a server without its claims starts, with %s threads',
  async (count) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const options = { dataDir, settings: { POSTERN_THREADS: count } };
    const before = await startServer(options);
    const tenant = await addTenant(before);
    const old = await fetchAndSolve(before.url, tenant.property.sitekey);
    const { now } = before.clock;
    await before.stop();
    rmSync(join(dataDir, 'claims.sqlite'));
    const after = await startServer({ ...options, ...(count === '1' && { now }) });
    expect(isLost(after)).toBe(true);
    expect(await verifyNew(after, tenant)).toMatchObject({ success: true, code: 0 });
    expect(await verify(after.url, tenant.verifyKey, old)).toMatchObject({ success: false, code: 5 });
    await after.stop();
    rmSync(dataDir, { recursive: true, force: true });
  },
);

// After its claims file was deleted and its ledger thread ended, a server rejected all verifications until it was restarted.
test.each(IS_SQLITE ? ['1', '2'] : [])(
  'a server whose claims file was deleted recovers when its ledger thread ends, and accepts no spent puzzle, with %s threads',
  async (count) => {
    const workers: Worker[] = [];
    const startLedger = () => {
      const worker = startWorker('ledger');
      workers.push(worker);
      return worker;
    };
    const server = await startServer({ settings: { POSTERN_THREADS: count }, startLedger });
    const tenant = await addTenant(server);
    const { sitekey } = tenant.property;
    const [spent, unused] = [
      await fetchAndSolve(server.url, sitekey),
      await fetchAndSolve(server.url, sitekey),
    ];
    expect(await verify(server.url, tenant.verifyKey, spent)).toMatchObject({ success: true, code: 0 });
    rmSync(join(server.dataDir, 'claims.sqlite'));
    workers[0]?.terminate();
    await waitUntil('the loss is reported', () => isLost(server));
    await waitUntil('the server is ready', async () => (await fetch(`${server.url}/readyz`)).status === 200);
    expect(await verify(server.url, tenant.verifyKey, spent)).toMatchObject({ success: false });
    expect(await verify(server.url, tenant.verifyKey, unused)).toMatchObject({ success: false, code: 5 });
    expect(await verifyNew(server, tenant)).toMatchObject({ success: true, code: 0 });
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('\npostern_claims_lost 1\n');
    expect(existsSync(join(server.dataDir, 'claims.sqlite'))).toBe(true);
    await server.stop();
  },
);

test('all nodes sign with the new key at once after one of them has rejected the old keys', async () => {
  const database = await migratedDatabase();
  const postgres = await sharedPostgres();
  const running = await startServer({ database });
  const { now } = running.clock;
  const tenant = await addTenant(running);
  expect(await verifyNew(running, tenant)).toMatchObject({ success: true, code: 0 });
  const admin = postgres.connectAdmin(database);
  await admin`DELETE FROM claims_origin`;
  const started = await startServer({ database, now });
  expect(isLost(started)).toBe(true);
  expect(await verifyNew(started, tenant)).toMatchObject({ success: true, code: 0 });
  // The clocks of both nodes stand still, so the age of the new key does not change.
  await waitUntil(
    'the other node signs with the new key',
    async () => (await verifyNew(running, tenant)).code === 0,
  );
  await Promise.all([running.stop(), started.stop()]);
  await admin.close();
  await postgres.dropDatabase(database);
});
