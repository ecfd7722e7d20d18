import { expect, test } from 'bun:test';
import { TEST_SITEKEY } from '../../../src/model/property.ts';
import { createPostgresEngine } from '../../../src/storage/postgres/engine.ts';
import { AMPLE } from '../../contract/world.ts';
import { locationOf, migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';

test('lookups of properties and API keys do not wait for management reads that use all other connections', async () => {
  const server = await sharedPostgres();
  const address = await migratedDatabase();
  const storage = await createPostgresEngine(locationOf(address)).open({
    dataDir: '',
    defaults: AMPLE,
    onAuditFailure: () => {},
  });
  const admin = server.connectAdmin(address);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
  const holding = admin.begin(async (tx) => {
    await tx`LOCK TABLE audit IN ACCESS EXCLUSIVE MODE`;
    locked();
    await isReleased;
  });
  await isLocked;
  let finished = 0;
  const reads = Array.from({ length: 50 }, () =>
    storage.stores.audit.page({}, undefined, 1).then(() => finished++),
  );
  expect(await storage.stores.properties.bySitekey(TEST_SITEKEY)).toBeUndefined();
  expect(await storage.stores.apiKeys.byKeyHash('unknown')).toBeUndefined();
  expect(finished).toBe(0);
  release();
  await holding;
  await Promise.all(reads);
  await storage.close();
  await admin.close();
  await server.dropDatabase(address);
});
