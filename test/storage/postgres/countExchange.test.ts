import { expect, test } from 'bun:test';
import { StoreFailure } from '../../../src/model/storeFailure.ts';
import { connect, type DatabaseLocation } from '../../../src/storage/postgres/connect.ts';
import { openCountExchange } from '../../../src/storage/postgres/countExchange.ts';
import { createPostgresEngine } from '../../../src/storage/postgres/engine.ts';
import { makeCommitsWait, startPostgres } from '../../support/postgres.ts';
import { locationOf, migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';

const openAt = (location: DatabaseLocation) => openCountExchange((pool) => connect(location, pool));

const NODE = '00000000-0000-4000-8000-00000000000a';
const OTHER = '00000000-0000-4000-8000-00000000000b';

test('a count exchange fails while PostgreSQL is down, and works again on the same connection afterward', async () => {
  const server = await startPostgres();
  try {
    const location = locationOf(await server.createDatabase());
    await createPostgresEngine(location).migrate('');
    const [exchange, reader] = [openAt(location), openAt(location)];
    const payload = Uint8Array.of(1);
    await exchange.exchange({ node: NODE, sequence: 1, payload }, new Map());
    await server.kill();
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await exchange
        .exchange({ node: NODE, sequence: 2, payload }, new Map())
        .catch((reason) => reason);
      expect(error).toBeInstanceOf(StoreFailure);
    }
    expect(await exchange.secret(1, payload).catch((reason) => reason)).toBeInstanceOf(StoreFailure);
    await server.start();
    // The first call can find the connection that was lost.
    const send = () => exchange.exchange({ node: NODE, sequence: 2, payload }, new Map());
    await send().catch(send);
    const batches = await reader.exchange({ node: OTHER, sequence: 1, payload: undefined }, new Map());
    // The crash has emptied the unlogged table.
    expect(batches.map(({ sequence }) => sequence)).toEqual([2]);
    await Promise.all([exchange.close(), reader.close()]);
  } finally {
    await server.remove();
  }
});

test('a count exchange does not wait for the disk or for a standby that replicates synchronously', async () => {
  const server = await startPostgres();
  try {
    const location = locationOf(await server.createDatabase());
    await createPostgresEngine(location).migrate('');
    // A standby that does not exist: from now on, every commit that must be replicated waits.
    await makeCommitsWait(server);
    const [exchange, reader] = [openAt(location), openAt(location)];
    for (let sequence = 1; sequence <= 3; sequence++) {
      await exchange.exchange({ node: NODE, sequence, payload: new Uint8Array(250_000) }, new Map());
    }
    const secret = new Uint8Array(32).fill(1);
    expect((await exchange.secret(1, secret)).toHex()).toBe(secret.toHex());
    const batches = await reader.exchange({ node: OTHER, sequence: 1, payload: undefined }, new Map());
    expect(batches.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    await Promise.all([exchange.close(), reader.close()]);
  } finally {
    await server.remove();
  }
});

test('a count exchange replaces a connection that does not answer', async () => {
  const server = await sharedPostgres();
  const address = await migratedDatabase();
  const location = locationOf(address);
  const exchange = openCountExchange((pool) => connect(location, pool), 3000);
  const send = (sequence: number) =>
    exchange.exchange({ node: NODE, sequence, payload: Uint8Array.of(1) }, new Map());
  await send(1);
  const [backend] = await server.admin`SELECT pid FROM pg_stat_activity WHERE datname = ${address.name}`;
  process.kill(backend.pid, 'SIGSTOP');
  try {
    const error = await send(2).catch((reason: unknown) => reason);
    expect(String(error)).toContain('no answer within 3 s');
    expect(await send(2)).toEqual([]);
    const admin = server.connectAdmin(address);
    const [stored] = await admin`SELECT count(*)::int AS batches FROM count_batches`;
    expect(stored.batches).toBe(2);
    await admin.close();
  } finally {
    process.kill(backend.pid, 'SIGCONT');
    await exchange.close();
  }
  await server.dropDatabase(address);
});
