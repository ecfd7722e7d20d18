import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { reasonOf } from '../../../src/lib/log.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { Claim, ReplayLedger } from '../../../src/model/ports/replayLedger.ts';
import type { Connection } from '../../../src/storage/postgres/ledger/connections.ts';
import { startClientThread } from '../../support/ledgerClients.ts';
import { makeCommitsWait, type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { type Relay, startRelay } from '../../support/relay.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createLedgerDatabase, type LedgerDatabase, opener } from './ledgers.ts';

const newClaim = (): Claim => ({
  puzzleId: crypto.getRandomValues(new Uint8Array(8)),
  expiresAtSeconds: 2000,
  keyFingerprint: 1,
});

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres({ isDurable: true });
}, 120_000);
afterAll(async () => await server.remove());

type Load = { readonly accepted: Claim[]; readonly failed: Claim[] };

/** Claims new puzzles until `stop` returns true. */
async function claimUntil(ledger: ReplayLedger, load: Load, stop: () => boolean): Promise<void> {
  const client = async () => {
    while (!stop()) {
      const claim = newClaim();
      try {
        const number = await ledger.claim(claim);
        expect(number).toBe(1);
        load.accepted.push(claim);
      } catch {
        load.failed.push(claim);
        await Bun.sleep(5); // The rejection may be immediate.
      }
    }
  };
  await Promise.all(Array.from({ length: 64 }, client));
}

/** @returns the different numbers of the claims */
async function presentAgain(ledger: ReplayLedger, claims: readonly Claim[]): Promise<Set<number>> {
  const numbers = new Set<number>();
  for (let i = 0; i < claims.length; i += 5000) {
    const batch = await Promise.all(claims.slice(i, i + 5000).map(ledger.claim));
    for (const number of batch) numbers.add(number);
  }
  return numbers;
}

/** Disturbs the database while a ledger stores claims, and checks that every accepted claim is known afterward, and none twice. */
async function expectExact(
  ledger: ReplayLedger,
  disturb: () => Promise<void>,
): Promise<{ readonly failed: number }> {
  const load: Load = { accepted: [], failed: [] };
  let isDone = false;
  const clients = claimUntil(ledger, load, () => isDone);
  await waitUntil('claims are accepted', () => load.accepted.length > 200);
  await disturb();
  const before = load.accepted.length;
  await waitUntil('claims are accepted again', () => load.accepted.length > before + 200);
  isDone = true;
  await clients;
  expect(await presentAgain(ledger, load.accepted)).toEqual(new Set([2]));
  // Claims whose result was unknown are stored or not.
  const uncertain = await presentAgain(ledger, load.failed);
  expect([...uncertain].filter((number) => number !== 1 && number !== 2)).toEqual([]);
  expect(ledger.isHealthy()).toBe(true);
  return { failed: load.failed.length };
}

describe('a ledger whose server', () => {
  test('loses a backend to SIGKILL stores every accepted claim', async () => {
    const { open, address } = await createLedgerDatabase(server);
    const ledger = await open();
    const { failed } = await expectExact(ledger, async () => {
      const [backend] = await server.admin`
        SELECT pid FROM pg_stat_activity WHERE datname = ${address.name} ORDER BY random() LIMIT 1`;
      // The main process then ends all other connections, and recovers.
      process.kill(backend.pid, 'SIGKILL');
      await waitUntil('the server is back', () => server.admin`SELECT 1`.then(() => true).catch(() => false));
    });
    expect(failed).toBeGreaterThan(0);
    await ledger.close();
  });

  test('is killed and started again stores every accepted claim', async () => {
    const { open } = await createLedgerDatabase(server);
    const ledger = await open();
    const { failed } = await expectExact(ledger, async () => {
      await server.kill();
      await waitUntil('the ledger notices', () => !ledger.isHealthy());
      await server.start();
    });
    expect(failed).toBeGreaterThan(0);
    await ledger.close();
  });

  test('closes individual connections stores every accepted claim', async () => {
    const { open, address } = await createLedgerDatabase(server);
    const ledger = await open();
    await expectExact(ledger, async () => {
      for (let i = 0; i < 5; i++) {
        await server.admin`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${address.name} ORDER BY random() LIMIT 2`;
        await Bun.sleep(20); // some time in which groups are stored
      }
    });
    await ledger.close();
  });

  test('is down rejects claims at once, and recovers without requests', async () => {
    const { open } = await createLedgerDatabase(server);
    const ledger = await open();
    const claim = newClaim();
    expect(await ledger.claim(claim)).toBe(1);
    await server.stop();
    expect(await ledger.claim(newClaim()).catch(() => 'rejected')).toBe('rejected');
    await waitUntil('the ledger notices', () => !ledger.isHealthy());
    const reasons = await Promise.all(
      Array.from({ length: 100 }, () => ledger.claim(newClaim()).catch(reasonOf)),
    );
    expect(reasons.filter((reason) => typeof reason !== 'string')).toEqual([]);
    await server.start();
    await waitUntil('the ledger recovers', () => ledger.isHealthy());
    expect(await ledger.claim(claim)).toBe(2);
    await ledger.close();
  });

  test('is down rejects the claims of another thread, and accepts them after it has recovered', async () => {
    const { open } = await createLedgerDatabase(server);
    const ledger = await open();
    const thread = await startClientThread(ledger);
    const claims = [newClaim(), newClaim()];
    expect(await thread.claim(claims).results).toEqual([1, 1]);
    await server.stop();
    const rejected = await thread.claim([newClaim(), newClaim()]).results;
    expect(rejected.map((result) => typeof result)).toEqual(['string', 'string']);
    await waitUntil('the ledger notices', () => !ledger.isHealthy());
    await server.start();
    await waitUntil('the ledger recovers', () => ledger.isHealthy());
    expect(await thread.claim(claims).results).toEqual([2, 2]);
    thread.terminate();
    await ledger.close();
  });

  // The ledger was healthy, but rejected all claims: it had closed its last connection, and remembered that opening another one had failed.
  test('failed to open a connection once stores claims while the ledger is healthy', async () => {
    const { open, address } = await createLedgerDatabase(server);
    let isFailing = false;
    const opened: Connection[] = [];
    const openReal = opener(address.url, 'full');
    const ledger = await open({
      async open() {
        if (isFailing) throw new Error('unreachable');
        const connection = await openReal();
        opened.push(connection);
        return connection;
      },
    });
    const admin = server.connectAdmin(address);
    await admin.begin(async (blocking) => {
      await blocking`LOCK TABLE claims IN EXCLUSIVE MODE`;
      const waiting = ledger.claim(newClaim());
      await waitUntil('the only connection is busy', () => ledger.load?.().busy === 1);
      isFailing = true;
      expect(await ledger.purgedBefore(1).catch(reasonOf)).toBe('unreachable');
      expect(ledger.isHealthy()).toBe(false);
      await blocking`COMMIT`;
      expect(await waiting).toBe(1);
    });
    expect([ledger.isHealthy(), opened.length]).toEqual([true, 1]);
    isFailing = false;
    await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await waitUntil('the connection is closed', () => opened[0]?.isOpen() === false);
    expect(ledger.isHealthy()).toBe(true);
    expect(await ledger.claim(newClaim()).catch(reasonOf)).toBe(1);
    await admin.close();
    await ledger.close();
  });

  test('cannot be reached when the ledger is opened prevents the start', async () => {
    const { open, address } = await createLedgerDatabase(server);
    const relay = startRelay(1);
    const url = address.url.replace(String(address.port), String(relay.port));
    expect(await open({ url }).catch(() => 'rejected')).toBe('rejected');
    relay.stop();
  });
});

describe('a ledger behind a network that fails', () => {
  let relay: Relay;
  let database: LedgerDatabase;
  let ledger: ReplayLedger;

  beforeAll(async () => {
    database = await createLedgerDatabase(server);
    relay = startRelay(server.port);
    const url = database.address.url.replace(String(server.port), String(relay.port));
    ledger = await database.open({ url, timeoutMs: 1000 });
  });
  afterAll(async () => {
    await ledger.close();
    relay.stop();
  });

  test('never accepts a claim whose response was lost, even though the server stored it', async () => {
    expect(await ledger.claim(newClaim())).toBe(1);
    const lost = newClaim();
    relay.freeze();
    expect(await ledger.claim(lost).catch(reasonOf)).toContain('did not answer within 1 s');
    expect(ledger.isHealthy()).toBe(false);
    relay.thaw();
    await waitUntil('the ledger recovers', () => ledger.isHealthy());
    expect(await ledger.claim(lost)).toBe(2);
  });

  test('never counts a repeated request twice if the response of the first one was lost', async () => {
    const claim = newClaim();
    const key = {
      hash: crypto.getRandomValues(new Uint8Array(32)),
      nowSeconds: 1000,
      userId: 1 as AccountId,
    };
    relay.freeze();
    expect(await ledger.claimOnce(claim, 1, key).catch(() => 'rejected')).toBe('rejected');
    relay.thaw();
    await waitUntil('the ledger recovers', () => ledger.isHealthy());
    // The transaction was not finished, so its lock is released when the server notices the closed connection.
    const number = await ledger.claimOnce(claim, 1, key);
    expect(await ledger.claimOnce(claim, 1, key)).toBe(number);
    expect(await ledger.claim(claim)).toBe(number + 1);
  });

  // After a restart of the primary, a result is visible before the standby has it (docs/project/model.md).
  test('reports the result of a repeated request only after the standby has it', async () => {
    const key = { hash: new Uint8Array(32).fill(7), nowSeconds: 1000, userId: 1 as AccountId };
    expect(await ledger.claimOnce(newClaim(), 1, key)).toBe(1);
    await makeCommitsWait(server);
    const reason = await ledger.recall(key).then(String, reasonOf);
    await server.configure({ synchronous_standby_names: '' });
    expect(reason).toContain('did not answer within 1 s');
    await waitUntil(
      'the ledger stores claims',
      async () => (await ledger.recall(key).catch(() => false)) === true,
    );
  });

  test('stores every accepted claim while connections are cut', async () => {
    await expectExact(ledger, async () => {
      for (let i = 0; i < 5; i++) {
        relay.cut();
        await Bun.sleep(30); // some time in which connections are opened and groups are stored
      }
    });
  });
});
