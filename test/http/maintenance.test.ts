import { beforeAll, describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../src/model/actor.ts';
import { CLAIMS_FILE } from '../../src/storage/sqlite/open.ts';
import { addKey, addTenant, startServer, type TestServer } from '../support/server.ts';
import { openTestServices } from '../support/services.ts';
import { openRaw } from '../support/testStorage.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve, fetchPuzzle, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { withDuplicates, withFlippedBit, withWrongNonce } from './payload.ts';
import { errorEnvelope, runScenarios, send } from './scenario.ts';

async function siteverify(server: TestServer, secret: string, response: string) {
  const body = new URLSearchParams({ secret, response });
  const answer = await send(server.url, { path: '/siteverify', method: 'POST', body });
  return { status: answer.status, ...((await answer.json()) as object) };
}

describe('during maintenance by configuration', () => {
  const server = useServer({ settings: { POSTERN_MAINTENANCE: 'on' } }, { per: 'test' });

  test('a valid solution succeeds once with code 9, and is counted', async () => {
    const { property, verifyKey } = await addTenant(server);
    const solved = await fetchAndSolve(server.url, property.sitekey);
    const before = await server.written();
    const first = await verify(server.url, verifyKey, solved);
    expect(first).toMatchObject({ status: 200, success: true, code: 9, origin: 'example.com' });
    expect(await server.written()).toEqual({ ...before, claims: before.claims + 1 });
    expect(await verify(server.url, verifyKey, solved)).toMatchObject({ success: false, code: 8 });
  });

  test('a permitted repeat succeeds with code 8', async () => {
    const { property, verifyKey } = await addTenant(server, { allowance: 2 });
    const solved = await fetchAndSolve(server.url, property.sitekey);
    const codes = [];
    for (let i = 0; i < 3; i++) {
      const { success, code } = await verify(server.url, verifyKey, solved);
      codes.push([code, success]);
    }
    expect(codes).toEqual([
      [9, true],
      [8, true],
      [8, false],
    ]);
  });

  test('invalid solutions are rejected and not counted', async () => {
    const tenant = await addTenant(server, { level: 64 });
    const otherTenant = await addTenant(server);
    const solved = await fetchAndSolve(server.url, tenant.property.sitekey);
    const before = await server.written();
    const rows = [
      [tenant.verifyKey, withFlippedBit(solved, 'puzzle', 20), 11],
      [tenant.verifyKey, withDuplicates(solved), 2],
      [tenant.verifyKey, withWrongNonce(solved, 1), 3],
      [tenant.verifyKey, 'nonsense', 4],
      [otherTenant.verifyKey, solved, 7],
      ['x'.repeat(40), solved, 1],
    ] as const;
    for (const [key, payload, code] of rows) {
      expect(await verify(server.url, key, payload)).toMatchObject({ success: false, code });
    }
    expect(await server.written()).toEqual(before);
  });

  test('/siteverify succeeds and names maintenance', async () => {
    const { property, verifyKey } = await addTenant(server);
    const solved = await fetchAndSolve(server.url, property.sitekey);
    expect(await siteverify(server, verifyKey, solved)).toMatchObject({
      status: 200,
      success: true,
      hostname: 'example.com',
      'error-codes': ['maintenance-mode'],
    });
  });
});

describe('maintenance that an operator turns on', () => {
  const server = useServer({}, { per: 'test' });

  test('starts and ends immediately in the same process', async () => {
    const { property, verifyKey } = await addTenant(server);
    const code = async () =>
      (await verify(server.url, verifyKey, await fetchAndSolve(server.url, property.sitekey))).code;
    expect(await code()).toBe(0);
    await server.app.services.maintenance.set(INSTALLATION, true);
    expect(await code()).toBe(9);
    await server.app.services.maintenance.set(INSTALLATION, false);
    expect(await code()).toBe(0);
  });

  test('starts and ends within a second if another process sets it', async () => {
    const { property, verifyKey } = await addTenant(server);
    const code = async () =>
      (await verify(server.url, verifyKey, await fetchAndSolve(server.url, property.sitekey))).code;
    const other = await openTestServices(server.dataDir);
    await other.maintenance.set(INSTALLATION, true);
    await waitUntil('maintenance begins', async () => (await code()) === 9);
    await other.maintenance.set(INSTALLATION, false);
    await waitUntil('maintenance ends', async () => (await code()) === 0);
    await other.close();
  });
});

describe('while the database cannot be read', () => {
  let repair: () => void;

  const server = useServer({}, { per: 'test' });
  const tenant = useTenant(server, { allowance: 5 }, { per: 'test' });

  function breakDatabase(of = server): void {
    const { properties, apiKeys } = of.app.services.stores;
    const [bySitekey, byKeyHash] = [properties.bySitekey, apiKeys.byKeyHash];
    const fail = () => {
      throw new Error('disk I/O error in /var/lib/postern');
    };
    properties.bySitekey = fail;
    apiKeys.byKeyHash = fail;
    repair = () => Object.assign(properties, { bySitekey }) && Object.assign(apiKeys, { byKeyHash });
  }

  /** Invalidates the caches. */
  async function invalidateCaches(): Promise<void> {
    await server.app.services.organizations.create(INSTALLATION, {
      name: `Later ${crypto.randomUUID()}`,
      ownerId: tenant.account.id,
    });
  }

  const failures = () => server.logged.filter(({ event }) => event === 'database-failed');

  test('cached properties and keys still work', async () => {
    const { property, verifyKey } = tenant;
    await verify(server.url, verifyKey, await fetchAndSolve(server.url, property.sitekey));
    breakDatabase();
    await invalidateCaches();
    const solved = await fetchAndSolve(server.url, property.sitekey);
    expect(await verify(server.url, verifyKey, solved)).toMatchObject({
      status: 200,
      success: true,
      code: 9,
    });
    // The property is cached, so its allowance of five verifications is known.
    expect(await verify(server.url, verifyKey, solved)).toMatchObject({ success: true, code: 8 });
    expect(failures()).toHaveLength(1);
  });

  test('a solution of a property that is not cached succeeds once, because the puzzle proves it', async () => {
    const { property, verifyKey } = tenant;
    const other = await addTenant(server);
    await verify(server.url, verifyKey, await fetchAndSolve(server.url, other.property.sitekey));
    const solved = await fetchAndSolve(server.url, property.sitekey);
    const dataDir = server.dataDir;
    // A second server, which has cached only the key.
    const second = await startServer({ dataDir });
    second.clock.now = server.clock.now;
    await verify(second.url, verifyKey, 'nonsense');
    breakDatabase(second);
    expect(await verify(second.url, verifyKey, withDuplicates(solved))).toMatchObject({
      success: false,
      code: 2,
    });
    expect(await verify(second.url, verifyKey, solved)).toMatchObject({
      success: true,
      code: 9,
      origin: 'example.com',
    });
    expect(await verify(second.url, verifyKey, solved)).toMatchObject({ success: false, code: 8 });
    await second.stop();
  });

  test('a key that is not cached gets 503, and the solution is not counted', async () => {
    const solved = await fetchAndSolve(server.url, tenant.property.sitekey);
    const unknown = await addKey(server.app.services, tenant.account, 'verify');
    const before = await server.written();
    breakDatabase();
    const response = await send(server.url, {
      path: '/verify',
      method: 'POST',
      headers: { 'X-API-Key': unknown },
      body: solved,
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ success: false, code: 1, origin: '' });
    expect(text).not.toContain('disk');
    expect(await siteverify(server, unknown, solved)).toMatchObject({
      status: 200,
      success: false,
      'error-codes': ['error-other'],
    });
    expect(await server.written()).toEqual(before);
    repair();
    expect((await verify(server.url, unknown, solved)).success).toBe(true);
  });

  test('maintenance ends within a second after the database works again', async () => {
    const { property, verifyKey } = tenant;
    const code = async () =>
      (await verify(server.url, verifyKey, await fetchAndSolve(server.url, property.sitekey))).code;
    await code();
    breakDatabase();
    await invalidateCaches();
    expect(await code()).toBe(9);
    repair();
    await waitUntil('maintenance ends', async () => (await code()) === 0);
  });

  test('a puzzle of a property that is not cached is rejected without internal details', async () => {
    const fresh = await addTenant(server);
    breakDatabase();
    const response = await send(server.url, {
      path: `/puzzle?sitekey=${fresh.property.sitekey}`,
      headers: { Origin: 'https://example.com' },
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject(errorEnvelope(1001));
    expect(text).not.toContain('disk');
    repair();
    await fetchPuzzle(server.url, fresh.property.sitekey);
  });
});

describe('while claims cannot be stored', () => {
  const server = useServer();
  const tenant = useTenant(server);

  async function rename(from: string, to: string): Promise<void> {
    const claims = await openRaw(server.dataDir, CLAIMS_FILE);
    await claims.query(`ALTER TABLE ${from} RENAME TO ${to}`);
    await claims.close();
  }

  beforeAll(() => rename('claims', 'hidden'));

  const solved = () => fetchAndSolve(server.url, tenant.property.sitekey);
  const ask = (path: string, headers: Record<string, string>, body: string | URLSearchParams) => ({
    path,
    method: 'POST',
    headers,
    body,
  });
  /** Checks only the response, because the claims cannot be counted. */
  const failed = async (path: string, headers: Record<string, string>, body: string | URLSearchParams) => {
    const response = await send(server.url, ask(path, headers, body));
    const text = await response.text();
    expect(text).not.toMatch(/claims|table|sqlite|relation|postgres/i);
    return { status: response.status, wait: response.headers.get('retry-after'), body: JSON.parse(text) };
  };

  test('/verify returns 503 with code 1 and never success', async () => {
    expect(await failed('/verify', { 'X-API-Key': tenant.verifyKey }, await solved())).toMatchObject({
      status: 503,
      body: { success: false, code: 1, timestamp: expect.stringMatching(/Z$/) },
    });
    expect(server.logged.at(-1)).toMatchObject({ level: 'error', event: 'claim-failed' });
  });

  test('/siteverify returns error-other', async () => {
    const body = new URLSearchParams({ secret: tenant.verifyKey, response: await solved() });
    expect(await failed('/siteverify', {}, body)).toMatchObject({
      status: 200,
      body: { success: false, 'error-codes': ['error-other'] },
    });
  });

  test('/readyz reports it, /livez returns 200, and puzzles are issued', async () => {
    const ready = await send(server.url, { path: '/readyz' });
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'unavailable', problems: ['claims-not-writable'] },
    ]);
    expect((await send(server.url, { path: '/livez' })).status).toBe(200);
    await fetchPuzzle(server.url, tenant.property.sitekey);
  });

  test('a solution that could not be counted is accepted later', async () => {
    const payload = await solved();
    expect(await verify(server.url, tenant.verifyKey, payload)).toMatchObject({ status: 503 });
    await rename('hidden', 'claims');
    expect(await verify(server.url, tenant.verifyKey, payload)).toMatchObject({ success: true, code: 0 });
    expect(await verify(server.url, tenant.verifyKey, payload)).toMatchObject({ success: false, code: 8 });
    expect((await send(server.url, { path: '/readyz' })).status).toBe(200);
  });
});

describe('while the server drains', () => {
  const server = useServer();

  runScenarios(server, [
    {
      title: '/readyz is ready before',
      ask: { path: '/readyz' },
      status: 200,
      json: { status: 'ok', problems: [] },
    },
  ]);

  test('/readyz reports it, and connections are closed', async () => {
    void server.app.drain();
    const response = await send(server.url, { path: '/readyz' });
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'unavailable', problems: ['draining'] },
    ]);
    for (const path of ['/readyz', '/livez', '/nothing', '/puzzle']) {
      expect((await send(server.url, { path })).headers.get('connection')).toBe('close');
    }
  });
});
