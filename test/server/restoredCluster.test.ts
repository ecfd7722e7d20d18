import { expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import { addTenant, startServer, type TestServer } from '../support/server.ts';
import { migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';

const NODES = 4;
/** The clocks of all nodes stand still, and nodes accept puzzles of others only if their clocks differ by at most two seconds. */
const now = Date.now() as Instant;
const EVENTS: unknown[] = ['claims-lost', 'clock-set-back'];

// Each node rejected the puzzles of all keys that it found, also those of the keys that the others had just created.
test('of several nodes that start with a restored database, one rejects the earlier puzzles and rotates the key', async () => {
  const postgres = await sharedPostgres();
  const database = await migratedDatabase();
  const before = await startServer({ database, now });
  const { property, verifyKey } = await addTenant(before);
  const old = await fetchAndSolve(before.url, property.sitekey);
  await before.stop();

  const restored = await postgres.copyDatabase(database);
  const start = () => startServer({ database: restored, now });
  const nodes: TestServer[] = await Promise.all(Array.from({ length: NODES }, start));
  nodes.push(await start());
  const logged = nodes.flatMap((node) => node.logged.map(({ event }) => event));
  expect(logged.filter((event) => EVENTS.includes(event))).toEqual(['claims-lost']);
  const metrics = await Promise.all(nodes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  expect(metrics.filter((text) => text.includes('\npostern_claims_lost 1\n'))).toHaveLength(1);
  expect(await nodes[0]?.app.services.signingKeys.list()).toHaveLength(2);
  for (const { url } of nodes) {
    const payload = await fetchAndSolve(url, property.sitekey);
    for (const [at, other] of nodes.entries()) {
      const result = await verify(other.url, verifyKey, payload);
      expect(result).toMatchObject({ success: at === 0, code: at === 0 ? 0 : 8 });
    }
    expect(await verify(url, verifyKey, old)).toMatchObject({ success: false, code: 5 });
  }
  for (const node of nodes) await node.stop();
  for (const address of [database, restored]) await postgres.dropDatabase(address);
});
