import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { SQL } from 'bun';
import type { Instant } from '../../../src/lib/time.ts';
import type { PropertyId, Sitekey } from '../../../src/model/property.ts';
import {
  type Day,
  firstHourOf,
  type Hour,
  toDay,
  type UsageBatch,
  type UsageRecord,
} from '../../../src/model/statistics.ts';
import { connect, type Database } from '../../../src/storage/postgres/connect.ts';
import { createStoreDatabase } from '../../../src/storage/postgres/createStores.ts';
import { createStatisticsStore, deleteDays } from '../../../src/storage/stores/statistics.ts';
import type { DatabaseAddress } from '../../support/postgres.ts';
import { createReset, locationOf, migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';

const TODAY = toDay(Date.UTC(2026, 0, 31) as Instant);
const NOON = (firstHourOf(TODAY) + 12) as Hour;
const PROPERTIES = 200;
const sitekeyOf = (id: number) => id.toString(16).padStart(32, '0') as Sitekey;

let address: DatabaseAddress;
let admin: SQL;
let databases: readonly Database[];
let stores: readonly ReturnType<typeof createStatisticsStore>[];
let reset: () => Promise<void>;

beforeAll(async () => {
  const server = await sharedPostgres();
  address = await migratedDatabase();
  admin = server.connectAdmin(address);
  await admin`INSERT INTO accounts (id, email, name, is_admin, created_at) VALUES (1, 'a@example.com', 'A', false, 0)`;
  await admin`INSERT INTO organizations (id, owner_id, name, name_folded, created_at) VALUES (1, 1, 'O', 'o', 0)`;
  await admin`
    INSERT INTO properties (id, organization_id, name, name_folded, domain, sitekey, level, growth, validity_seconds,
      allows_subdomains, allows_localhost, allowance, is_enabled, created_at)
    SELECT id, 1, id, id, 'example.com', lpad(to_hex(id), 32, '0'), 1, 'constant', 1, true, true, 1, true, 0
    FROM generate_series(1, ${PROPERTIES}::integer) AS id`;
  reset = await createReset(admin);
  databases = [0, 1].map(() => connect(locationOf(address), { max: 4 }));
  stores = databases.map((database) => createStatisticsStore(createStoreDatabase(database)));
});

beforeEach(() => reset());

afterAll(async () => {
  await Promise.all([admin.close(), ...databases.map((database) => database.close())]);
  await (await sharedPostgres()).dropDatabase(address);
});

const storeOf = (node: number) => {
  const store = stores[node];
  if (store === undefined) throw new Error(`there is no node ${node}`);
  return store;
};

/** A count of one event for each property. @param ids 0 for the installation */
function recordsOf(ids: readonly number[], hour: Hour = NOON): readonly UsageRecord[] {
  return ids.map((id) => ({ sitekey: id === 0 ? undefined : sitekeyOf(id), hour, counts: [1] }));
}

/** The number of events of a property, or of the installation, on all days. */
async function countOf(id: number): Promise<number> {
  const scope = id === 0 ? 'none' : { property: id as PropertyId };
  const days = await storeOf(0).byDay(scope, (TODAY - 100) as Day, (TODAY + 2) as Day);
  return days.reduce((sum, { counts }) => sum + (counts[0] as number), 0);
}

const someIds = (count: number) =>
  Array.from({ length: count }, () => Math.floor(Math.random() * (PROPERTIES + 1)));

test('a repeated batch is not counted twice, on any node', async () => {
  const batch = { writer: 'a', number: 1 };
  for (const node of [0, 0, 1]) await storeOf(node).add(recordsOf([0, 1]), batch);
  expect([await countOf(0), await countOf(1)]).toEqual([1, 1]);
  await storeOf(1).add(recordsOf([1]), { writer: 'a', number: 2 });
  await storeOf(0).add(recordsOf([1]), batch);
  await storeOf(0).add(recordsOf([1]), { writer: 'b', number: 1 });
  expect(await countOf(1)).toBe(3);
});

test('a batch that is repeated while it is being added is counted once', async () => {
  for (let number = 1; number <= 10; number++) {
    const adds = [0, 1, 0, 1].map((node) => storeOf(node).add(recordsOf([1, 2, 3]), { writer: 'a', number }));
    await Promise.all(adds);
  }
  expect(await Promise.all([1, 2, 3].map(countOf))).toEqual([10, 10, 10]);
});

test('nodes that add to the same properties at the same time lose and duplicate nothing', async () => {
  const expected = new Map<number, number>();
  const adds = Array.from({ length: 60 }, (_, n) => {
    const ids = someIds(128);
    for (const id of ids) expected.set(id, (expected.get(id) ?? 0) + 1);
    return storeOf(n % 2).add(recordsOf(ids, (NOON + (n % 3)) as Hour));
  });
  await Promise.all(adds);
  for (const [id, count] of expected) expect([id, await countOf(id)]).toEqual([id, count]);
});

test('counts that are added during a roll-up are in exactly one of the two tables', async () => {
  let isAdding = true;
  const rollUps = stores.map(async ({ rollUp }) => {
    while (isAdding) await rollUp((NOON + 100) as Hour);
  });
  const reads = async () => {
    let before = 0;
    while (isAdding) {
      const count = await countOf(0);
      expect(count).toBeGreaterThanOrEqual(before);
      before = count;
    }
  };
  const reading = reads();
  for (let round = 0; round < 30; round++)
    await Promise.all(
      stores.map(({ add }) => add(recordsOf([0, ...Array.from({ length: 127 }, (_, n) => n + 1)]))),
    );
  isAdding = false;
  await Promise.all([...rollUps, reading]);
  expect(await Promise.all([0, 1, 127].map(countOf))).toEqual([60, 60, 60]);
  while ((await storeOf(0).rollUp((NOON + 100) as Hour)) > 0);
  expect(await Promise.all([0, 1, 127].map(countOf))).toEqual([60, 60, 60]);
  expect(await storeOf(0).byHour('none', (NOON - 1) as Hour, (NOON + 1) as Hour)).toEqual([]);
});

// The commit of a batch whose connection was lost may have succeeded.
test('batches that are repeated after lost connections are counted once', async () => {
  let [failures, isDone] = [0, false];
  async function write(node: number, batch: UsageBatch): Promise<void> {
    for (;;) {
      try {
        return await storeOf(node).add(recordsOf([0, 1, 2, 3]), batch);
      } catch {
        failures++;
      }
    }
  }
  const killer = (async () => {
    while (!isDone) {
      await admin`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = ${address.name} AND pid <> pg_backend_pid() AND random() < 0.5`;
      await Bun.sleep(5);
    }
  })();
  const writers = [0, 1, 0, 1].map(async (node, index) => {
    for (let number = 1; number <= 50 || failures < 20; number++)
      await write(node, { writer: `writer ${index}`, number });
  });
  await Promise.all(writers);
  isDone = true;
  await killer;
  const [row] = await admin`SELECT sum(last_batch)::integer AS written FROM statistics_writers`;
  expect(await Promise.all([0, 1, 2, 3].map(countOf))).toEqual([0, 1, 2, 3].map(() => row.written));
});

test('the days of purged properties are deleted', async () => {
  const { rollUp, add } = storeOf(0);
  await add(recordsOf([1, 2, 3]));
  await rollUp((NOON + 1) as Hour);
  const { transact } = createStoreDatabase(databases[0] as Database);
  await transact((tx) =>
    deleteDays(
      tx,
      [
        { id: 1, createdAt: 0 as Instant },
        { id: 3, createdAt: 0 as Instant },
      ],
      Date.now() as Instant,
    ),
  );
  expect(await Promise.all([1, 2, 3].map(countOf))).toEqual([0, 1, 0]);
});

test('the last batches of processes are deleted after a month', async () => {
  await storeOf(0).add(recordsOf([1]), { writer: 'old', number: 1 });
  await storeOf(0).add(recordsOf([1]), { writer: 'new', number: 1 });
  const monthAgo = Date.now() - 30 * 24 * 3_600_000 - 60_000;
  await admin`UPDATE statistics_writers SET at = ${monthAgo}::bigint WHERE writer = 'old'`;
  await storeOf(0).purge(TODAY);
  expect(Array.from(await admin`SELECT writer FROM statistics_writers`)).toEqual([{ writer: 'new' }]);
});
