import { describe, expect, test } from 'bun:test';
import { CLAIM_DEADLINE_MS, LONGEST_WAIT_MS } from '../../src/server/claimWatch.ts';
import { createLedgerClients } from '../../src/storage/ledgerClient/clients.ts';
import type { ServerLedger } from '../../src/storage/storage.ts';
import { addTenant, startServer, type TestServer } from '../support/server.ts';
import { migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { createVirtualTime } from '../support/virtualTime.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';

const readiness = async ({ url }: Pick<TestServer, 'url'>) => {
  const response = await fetch(`${url}/readyz`);
  const { problems } = (await response.json()) as { readonly problems: readonly string[] };
  return [response.status, problems];
};
const READY = [200, []];
const NOT_READY = [503, ['claims-not-writable']];
const delaysIn = ({ logged }: TestServer) => logged.filter(({ event }) => event === 'claims-delayed');

/** A ledger whose answers the test can withhold. The claims are counted. */
function createWithheld() {
  const waiting: (() => void)[] = [];
  let isWithholding = false;
  async function withhold<T>(answer: Promise<T>): Promise<T> {
    const result = await answer;
    if (isWithholding) await new Promise<void>((resolve) => waiting.push(resolve));
    return result;
  }
  return {
    wrapLedger: (ledger: ServerLedger): ServerLedger => ({
      ...ledger,
      claim: (claim) => withhold(ledger.claim(claim)),
      claimOnce: (claim, maxCount, key) => withhold(ledger.claimOnce(claim, maxCount, key)),
      recall: (key) => withhold(ledger.recall(key)),
    }),
    count: () => waiting.length,
    withhold() {
      isWithholding = true;
    },
    release() {
      isWithholding = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

describe('a ledger that does not answer', () => {
  test('makes the server unready and verifications fail', async () => {
    const time = createVirtualTime();
    await time.pass(1);
    const withheld = createWithheld();
    const server = await startServer({
      wrapLedger: withheld.wrapLedger,
      claimTime: time,
      // Request threads have their own clock.
      settings: { POSTERN_THREADS: '1' },
    });
    const { property, verifyKey } = await addTenant(server);
    const solved = await Promise.all([1, 2, 3].map(() => fetchAndSolve(server.url, property.sitekey)));
    const [plain = '', repeatable = '', later = ''] = solved;
    const repeat = async () => {
      const body = { secret: verifyKey, response: repeatable, idempotency_key: crypto.randomUUID() };
      const response = await fetch(`${server.url}/turnstile/v0/siteverify`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      return response.json();
    };
    withheld.withhold();
    const verdicts = Promise.all([verify(server.url, verifyKey, plain), repeat()]);
    await waitUntil('the claims wait', () => withheld.count() === 2);
    await time.pass(LONGEST_WAIT_MS);
    expect(await readiness(server)).toEqual(READY);
    await time.pass(1000);
    expect(await readiness(server)).toEqual(NOT_READY);
    expect(delaysIn(server)).toHaveLength(1);
    await time.pass(CLAIM_DEADLINE_MS);
    const [verdict, repeated] = await verdicts;
    expect(verdict).toMatchObject({ status: 503, success: false, code: 1 });
    expect(repeated).toMatchObject({ success: false, 'error-codes': ['internal-error'] });

    withheld.release();
    await waitUntil('the server is ready', async () => Bun.deepEquals(await readiness(server), READY));
    expect(await verify(server.url, verifyKey, later)).toMatchObject({ status: 200, success: true });
    // The ledger had counted the claim.
    expect(await verify(server.url, verifyKey, plain)).toMatchObject({ success: false, code: 8 });
    await server.stop();
  });

  test('makes the server unready and verifications of request threads fail', async () => {
    const ports: MessagePort[] = [];
    /** Connects each thread to a port that nobody reads. */
    const wrapLedger = (ledger: ServerLedger): ServerLedger => ({
      ...ledger,
      connect: createLedgerClients((port) => ports.push(port), 32).connect,
    });
    const server = await startServer({ wrapLedger, settings: { POSTERN_THREADS: '2' } });
    const { property, verifyKey } = await addTenant(server);
    const payload = await fetchAndSolve(server.url, property.sitekey);
    const verdict = verify(server.url, verifyKey, payload);
    await waitUntil('the server is not ready', async () =>
      Bun.deepEquals(await readiness(server), NOT_READY),
    );
    expect(await verdict).toMatchObject({ status: 503, success: false, code: 1 });
    expect(delaysIn(server)).toHaveLength(1);
    // The ledger itself works, and no claim waits.
    await waitUntil('the server is ready', async () => Bun.deepEquals(await readiness(server), READY));
    await server.stop();
    for (const port of ports) port.close();
  });
});

test('while another session locks the table of claims in PostgreSQL, verifications fail, and then succeed', async () => {
  const database = await migratedDatabase();
  const postgres = await sharedPostgres();
  const server = await startServer({ database });
  const { property, verifyKey } = await addTenant(server);
  const payloads = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => fetchAndSolve(server.url, property.sitekey)),
  );
  const admin = postgres.connectAdmin(database);
  const released = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const locking = admin.begin(async (sql) => {
    await sql`LOCK TABLE claims IN ACCESS EXCLUSIVE MODE`;
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  const verdicts = await Promise.all(payloads.map((payload) => verify(server.url, verifyKey, payload)));
  expect(new Set(verdicts.map(({ status }) => status))).toEqual(new Set([503]));
  expect(await readiness(server)).toEqual(NOT_READY);
  released.resolve();
  await locking;
  await waitUntil('the server is ready', async () => Bun.deepEquals(await readiness(server), READY));
  for (const payload of payloads)
    expect(await verify(server.url, verifyKey, payload)).toMatchObject({ status: 200, success: true });
  await server.stop();
  await admin.close();
  await postgres.dropDatabase(database);
});
