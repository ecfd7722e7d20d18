import { expect, test } from 'bun:test';
import { COMMAND_LINE } from '../../../src/model/actor.ts';
import { addTenant, startServer, type TestServer } from '../../support/server.ts';
import { migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';
import { waitUntil } from '../../support/waitUntil.ts';

/** Reads a part of the metrics at the same time. @returns their values; undefined for a metric that does not exist */
async function readMetrics({ url }: TestServer, ...series: readonly string[]) {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  return series.map((name) => {
    const line = lines.find((one) => one.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  });
}

test('metrics and a log event show calls that wait for a lock, and claims that wait for a connection', async () => {
  const database = await migratedDatabase();
  const postgres = await sharedPostgres();
  const server = await startServer({ database });
  const { property, verifyKey } = await addTenant(server);
  const payloads = await Promise.all([1, 2, 3].map(() => fetchAndSolve(server.url, property.sitekey)));
  const read = async (series: string) => (await readMetrics(server, series))[0];
  const admin = postgres.connectAdmin(database);
  const released = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const locking = admin.begin(async (sql) => {
    // Writes wait, but not the scrapes, which read the sizes of all tables.
    await sql`LOCK TABLE plans, claims IN SHARE MODE`;
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  const { services } = server.app;
  const setting = services.plans.set(COMMAND_LINE, {
    name: 'small',
    organizations: 1,
    properties: 1,
  });
  const [first = '', ...others] = payloads;
  const verdicts = [verify(server.url, verifyKey, first)];
  await waitUntil(
    'a claim uses a connection',
    async () => (await read('postern_claim_connections_busy')) === 1,
  );
  verdicts.push(...others.map((payload) => verify(server.url, verifyKey, payload)));
  // Both claims use one or two more connections after they have waited for a larger group.
  await waitUntil('more claims wait', async () => ((await read('postern_claim_connections_busy')) ?? 0) > 1);
  expect(await read('postern_claims_waiting')).toBe(0);
  expect(await read('postern_claim_connections_available')).toBeLessThan(3);
  expect(await read('postern_store_calls_running{kind="write"}')).toBeGreaterThanOrEqual(1);
  // Longer than the duration from which a call is slow.
  await Bun.sleep(1100);
  released.resolve();
  await locking;
  await setting;
  for (const { status, success } of await Promise.all(verdicts))
    expect({ status, success }).toEqual({ status: 200, success: true });
  const slow = server.logged.filter(
    // Other calls may be slow too on a busy machine.
    ({ event, store }) => event === 'store-call-slow' && store === 'plans',
  );
  expect(slow).toEqual([
    expect.objectContaining({ level: 'warn', store: 'plans', method: 'set', ms: expect.any(Number) }),
  ]);
  expect(Object.keys(slow[0] ?? {}).sort()).toEqual(['event', 'level', 'method', 'ms', 'store', 'time']);
  const bucket = (bound: string) => `postern_store_call_duration_seconds_bucket{kind="write",le="${bound}"}`;
  const [all = 0, fast = 0] = await readMetrics(server, bucket('+Inf'), bucket('1'));
  expect(all - fast).toBeGreaterThanOrEqual(1);
  await server.stop();
  await admin.close();
  await postgres.dropDatabase(database);
});
