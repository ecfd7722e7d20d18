import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SQL } from 'bun';
import type { Instant } from '../../../src/lib/time.ts';
import { connect, type Database } from '../../../src/storage/postgres/connect.ts';
import { createUsedFormStore } from '../../../src/storage/postgres/shared/clusterState.ts';
import type { DatabaseAddress } from '../../support/postgres.ts';
import { locationOf, migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';

let address: DatabaseAddress;
let admin: SQL;
let database: Database;

beforeAll(async () => {
  address = await migratedDatabase();
  admin = (await sharedPostgres()).connectAdmin(address);
  database = connect(locationOf(address), { max: 1 });
});

afterAll(async () => {
  await Promise.all([admin.close(), database.close()]);
  await (await sharedPostgres()).dropDatabase(address);
});

test('a purge deletes the oldest tokens above the capacity, even if they are new', async () => {
  await admin`INSERT INTO used_forms (token, used_at) SELECT n, n FROM generate_series(1, 101500) AS n`;
  const store = createUsedFormStore(database);
  const purged = [];
  for (let n = 0; n < 3; n++) purged.push(await store.purge(0 as Instant));
  expect(purged).toEqual([1000, 500, 0]);
  const [row] =
    await admin`SELECT count(*)::integer AS tokens, min(used_at)::integer AS oldest FROM used_forms`;
  expect(row).toEqual({ tokens: 100_000, oldest: 1501 });
});
