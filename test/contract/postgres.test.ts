import { afterAll, afterEach } from 'bun:test';
import type { Quotas } from '../../src/model/plan.ts';
import { connect } from '../../src/storage/postgres/connect.ts';
import { createPostgresStores } from '../../src/storage/postgres/createStores.ts';
import { rawPostgres } from '../support/rawDatabase.ts';
import { createReset, locationOf, migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { checkAnnouncements } from './checkAnnouncements.ts';
import { checkInvalidation } from './checkInvalidation.ts';
import { describeStores } from './storeSuites.ts';
import { AMPLE, type World } from './world.ts';

type Place = Awaited<ReturnType<typeof createPlace>>;

const idle: Place[] = [];
const used: Place[] = [];

afterEach(async () => {
  for (const place of used.splice(0)) {
    await place.reset();
    idle.push(place);
  }
});

afterAll(async () => {
  for (const place of idle.splice(0)) await place.remove();
});

/** A database that several tests use, one after another. */
async function createPlace() {
  const server = await sharedPostgres();
  const address = await migratedDatabase();
  const database = connect(locationOf(address), { max: 4 });
  const admin = server.connectAdmin(address, { bigint: true });
  return {
    database,
    raw: rawPostgres(admin),
    reset: await createReset(admin),
    async remove() {
      await admin.close();
      await database.close();
      await server.dropDatabase(address);
    },
  };
}

async function open(quotas: Quotas = AMPLE): Promise<World> {
  const place = idle.pop() ?? (await createPlace());
  used.push(place);
  const stores = createPostgresStores(place.database, quotas);
  return checkInvalidation(checkAnnouncements(stores, place.raw), place.raw);
}

describeStores('PostgreSQL', open, true);
