import { expect, test } from 'bun:test';
import type { AuditEntry } from '../../src/model/audit.ts';
import { createStoreDatabase } from '../../src/storage/sqlite/executor.ts';
import { openMain } from '../../src/storage/sqlite/open.ts';
import { createAuditStore } from '../../src/storage/stores/audit.ts';
import { now } from '../contract/world.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

const NEEDLE: AuditEntry = {
  at: now,
  accountId: undefined,
  actor: 'command line',
  source: 'command-line',
  address: undefined,
  action: 'user-created',
  organizationId: undefined,
  object: 'needle',
};

/** Opens a log with this number of entries after NEEDLE. */
async function openLog(entries: number) {
  const database = openMain(makeFolder());
  const store = createAuditStore(createStoreDatabase(database.raw));
  await store.append(NEEDLE);
  database.raw.run(
    `INSERT INTO audit (at, actor, door, action, subject, words)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT ?, 'anna@example.com', 'api', 'property-created', 'Shop ' || i, 'anna@example.com' || char(10) || 'shop ' || i FROM n`,
    [entries, now],
  );
  return { store, close: () => database.raw.close() };
}

test('finding an old entry in a large log does not block other events', async () => {
  const { store, close } = await openLog(200_000);
  let iterations = 0;
  const timer = setInterval(() => iterations++, 0);
  const found = await store.page({ object: 'Needle' }, undefined, 5);
  clearInterval(timer);
  expect(found.map(({ object }) => object)).toEqual(['needle']);
  // The search takes several slices of the pacer. Without a pause, no timer would run.
  expect(iterations).toBeGreaterThan(0);
  close();
});

test('the newest entries are found without reading the others', async () => {
  const { store, close } = await openLog(200_000);
  let iterations = 0;
  const immediate = setImmediate(() => iterations++);
  expect(await store.page({}, undefined, 50)).toHaveLength(50);
  expect(iterations).toBe(0);
  clearImmediate(immediate);
  close();
});
