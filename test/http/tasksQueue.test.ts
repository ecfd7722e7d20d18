import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { PropertyId } from '../../src/model/property.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { userActor } from '../support/actors.ts';
import { api, type Entry, idsOf, LEASE_MS } from '../support/platform.ts';
import { countRows } from '../support/rawDatabase.ts';
import { addTenant, expectOk, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { fetchAndSolve, fetchPuzzle, solve, verify } from '../support/visitor.ts';

const settings = { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_PROPERTIES: '100000' };

let dataDir: string;
let server: TestServer;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'postern-tasks-'));
  server = await startServer({ settings, dataDir });
});
afterEach(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const clientOf = ({ portalKey }: Tenant) => api(server, portalKey);
const item = (name: string, more: object = {}) => ({ name, domain: 'example.com', ...more });

type Task = { readonly id: string; readonly finished: boolean; readonly result: readonly Entry[] | null };

/** Polls without a delay. @returns the time when the task was finished */
async function untilFinished({ portalKey }: Tenant, id: string): Promise<void> {
  const init = { headers: { 'X-API-Key': portalKey } };
  while (!(await (await fetch(`${server.url}/asynctask/${id}`, init)).text()).includes('"finished":true')) {}
}

async function start(tenant: Tenant, method: string, path: string, body: unknown): Promise<string> {
  const { code, data } = await clientOf(tenant).ask<{ id: string }>(method, path, body);
  expect(code).toBe(1000);
  return data.id;
}

const puzzleOf = (sitekey: string, origin = 'https://example.com') =>
  fetch(`${server.url}/puzzle?sitekey=${sitekey}`, { headers: { Origin: origin } });

describe('when a task is finished', () => {
  test('deleted properties issue no puzzles, and their solutions are rejected', async () => {
    for (let round = 0; round < 10; round++) {
      const tenant = await addTenant(server, { allowance: 100 });
      const { sitekey } = tenant.property;
      const solved = await fetchAndSolve(server.url, sitekey);
      expect((await verify(server.url, tenant.verifyKey, solved)).code).toBe(0);
      const id = await start(tenant, 'DELETE', '/properties', [idsOf(server, tenant).property]);
      await untilFinished(tenant, id);
      const [puzzle, verdict] = await Promise.all([
        puzzleOf(sitekey),
        verify(server.url, tenant.verifyKey, solved),
      ]);
      expect([puzzle.status, verdict.success, verdict.code]).toEqual([403, false, 6]);
    }
  });

  test('changed settings apply to the next puzzle and verdict', async () => {
    const tenant = await addTenant(server, { allowance: 2 });
    const { sitekey } = tenant.property;
    const solved = await fetchAndSolve(server.url, sitekey);
    expect((await verify(server.url, tenant.verifyKey, solved)).code).toBe(0);
    const { property } = idsOf(server, tenant);
    const change = { id: property, domain: 'other.example', level: 99, max_replay_count: 1 };
    await untilFinished(tenant, await start(tenant, 'PUT', '/properties', [change]));
    const [before, now, verdict] = await Promise.all([
      puzzleOf(sitekey),
      fetchPuzzle(server.url, sitekey, 'https://other.example'),
      verify(server.url, tenant.verifyKey, solved),
    ]);
    expect(before.status).toBe(403);
    expect(parsePuzzle(Uint8Array.fromBase64(now.split('.')[0] ?? ''))?.difficulty).toBe(99);
    expect([verdict.success, verdict.code]).toEqual([false, 8]);
  });

  test('created properties issue puzzles, and their solutions are accepted', async () => {
    const tenant = await addTenant(server);
    const path = `/org/${idsOf(server, tenant).org}/properties`;
    const id = await start(tenant, 'POST', path, [item('a', { level: 1, growth: 'constant' })]);
    await untilFinished(tenant, id);
    const [created] = await clientOf(tenant).finished(id);
    const payload = solve(await fetchPuzzle(server.url, created?.sitekey ?? ''));
    expect(await verify(server.url, tenant.verifyKey, payload)).toMatchObject({ success: true, code: 0 });
  });
});

describe('maintenance', () => {
  test('rejects new tasks, shows finished ones, and delays waiting ones until it ends', async () => {
    const tenant = await addTenant(server);
    const { maintenance, tasks } = server.app.services;
    const client = clientOf(tenant);
    const { org, property } = idsOf(server, tenant);
    const old = await start(tenant, 'PUT', '/properties', [{ id: property, level: 2 }]);
    await client.finished(old);
    await maintenance.set(INSTALLATION, true);
    for (const [method, path, body] of [
      ['POST', `/org/${org}/properties`, [item('a')]],
      ['PUT', '/properties', [{ id: property, level: 3 }]],
      ['DELETE', '/properties', [property]],
    ] as const) {
      const rejected = await client.ask(method, path, body);
      expect([rejected.status, rejected.code, rejected.headers.get('retry-after')]).toEqual([
        503,
        1001,
        '60',
      ]);
    }
    expect((await client.get<Task>(`/asynctask/${old}`)).data.finished).toBe(true);
    const actor = userActor(tenant.account);
    const order = { kind: 'delete-properties', items: [tenant.property.id] } as const;
    const waiting = expectOk(await tasks.start(actor, order));
    for (let i = 0; i < 20; i++) {
      expect((await client.get<Task>(`/asynctask/${waiting}`)).data.finished).toBe(false);
    }
    await maintenance.set(INSTALLATION, false);
    expect((await client.finished(waiting))[0]?.code).toBe(1000);
  });
});

describe('a full queue', () => {
  test('returns 429 with Retry-After to its user only', async () => {
    const [tenant, other] = [await addTenant(server), await addTenant(server)];
    const { raw } = server;
    // Leased by a process that does not exist, so they stay.
    await raw.query(
      `INSERT INTO tasks (id, account_id, task_order, lease, leased_until, created_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       SELECT 'task ' || i, ?, '{"kind":"delete-properties","items":[]}', 'x', ?, 0 FROM n`,
      [tenant.account.id, server.clock.now + LEASE_MS],
    );
    const { property } = idsOf(server, tenant);
    const rejected = await clientOf(tenant).put('/properties', [{ id: property, level: 3 }]);
    expect([rejected.status, rejected.code, rejected.data]).toEqual([429, 1001, null]);
    expect(rejected.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const theirs = [{ id: idsOf(server, other).property, level: 3 }];
    expect((await clientOf(other).run('PUT', '/properties', theirs))[0]?.code).toBe(1000);
    await raw.query(
      'DELETE FROM tasks WHERE number = (SELECT max(number) FROM tasks WHERE lease IS NOT NULL)',
    );
    await start(tenant, 'PUT', '/properties', [{ id: property, level: 3 }]);
  });
});

describe('many tasks', () => {
  const COUNT = 250;
  const order = (id: PropertyId) => ({ kind: 'update-properties', items: [{ id, change: {} }] }) as const;

  test.each([1, 50])('of %d users are processed while visitors are served', async (users) => {
    const tenants: Tenant[] = [];
    for (let i = 0; i < users; i++) tenants.push(await addTenant(server));
    const { tasks, maintenance } = server.app.services;
    await maintenance.set(INSTALLATION, true);
    for (let i = 0; i < COUNT; i++) {
      const { account, property } = tenants[i % users] as Tenant;
      const actor = userActor(account);
      expectOk(await tasks.start(actor, order(property.id)));
    }
    const left = () => countRows(server, 'tasks WHERE finished_at IS NULL');
    expect(await left()).toBe(COUNT);
    await maintenance.set(INSTALLATION, false);
    const seen = new Set<number>();
    for (let n = await left(); n > 0; n = await left()) {
      seen.add(n);
      expect((await puzzleOf(tenants[0]?.property.sitekey ?? '')).status).toBe(200);
    }
    // Served during the tasks.
    expect(seen.size).toBeGreaterThan(20);
    const errors = server.logged.filter(({ level }) => level === 'error');
    expect(errors).toEqual([]);
  });
});

describe('a restarted server', () => {
  test('has the results of earlier tasks', async () => {
    const tenant = await addTenant(server);
    const path = `/org/${idsOf(server, tenant).org}/properties`;
    const id = await start(tenant, 'POST', path, [item('a'), item('b')]);
    const before = await clientOf(tenant).finished(id);
    await server.stop();
    server = await startServer({ settings, dataDir });
    expect(await clientOf(tenant).finished(id)).toEqual(before);
  });

  test('immediately continues the task of a process that was killed', async () => {
    const tenant = await addTenant(server);
    await server.app.services.maintenance.set(INSTALLATION, true);
    const actor = userActor(tenant.account);
    const items = [{ id: tenant.property.id, change: { level: 42 } }];
    const { tasks, stores, maintenance } = server.app.services;
    const id = expectOk(await tasks.start(actor, { kind: 'update-properties', items }));
    // The state after a process was killed.
    const held = await stores.tasks.claim({ token: 'x', until: 1e15 as never }, server.clock.now);
    expect(held?.id).toBe(id);
    await maintenance.set(INSTALLATION, false);
    await server.stop();
    server = await startServer({ settings, dataDir });
    expect((await clientOf(tenant).finished(id))[0]?.code).toBe(1000);
    expect((await server.app.services.stores.properties.byId(tenant.property.id))?.level).toBe(42);
  });
});
