import { afterEach } from 'bun:test';
import type { CountExchange } from '../../src/model/ports/cluster.ts';
import { connect } from '../../src/storage/postgres/connect.ts';
import { openCountExchange } from '../../src/storage/postgres/countExchange.ts';
import { createFakeExchange } from '../support/countNodes.ts';
import { locationOf, migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { describeCountExchange } from './countExchange.ts';

const cleanUps: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

describeCountExchange('PostgreSQL', async () => {
  const server = await sharedPostgres();
  const address = await migratedDatabase();
  const admin = server.connectAdmin(address);
  cleanUps.push(
    () => server.dropDatabase(address),
    () => admin.close(),
  );
  return {
    connect(): CountExchange {
      const exchange = openCountExchange((pool) => connect(locationOf(address), pool));
      cleanUps.push(exchange.close);
      return exchange;
    },
    async pass(milliseconds) {
      await admin`UPDATE count_batches SET stored_at = stored_at - ${milliseconds} * interval '1 millisecond'`;
    },
  };
});

describeCountExchange('the fake of the tests', async () => {
  let now = 0;
  const exchange = createFakeExchange(() => now);
  return {
    connect: () => exchange,
    async pass(milliseconds) {
      now += milliseconds;
    },
  };
});
