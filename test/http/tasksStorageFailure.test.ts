import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { TaskId } from '../../src/model/task.ts';
import { MAIN_FILE } from '../../src/storage/sqlite/open.ts';
import { userActor } from '../support/actors.ts';
import { createFaultyWriter } from '../support/faultyWriter.ts';
import { api, idsOf } from '../support/platform.ts';
import { countRows } from '../support/rawDatabase.ts';
import { addTenant, expectOk } from '../support/server.ts';
import { describeSqlite } from '../support/testStorage.ts';
import { useFixture, useServer, useTenant } from '../support/useServer.ts';
import { waitUntil } from '../support/waitUntil.ts';

const writer = useFixture(createFaultyWriter, { per: 'test' });
const server = useServer(
  () => ({ settings: { POSTERN_DNS_CHECK: 'off' }, startWriter: writer.startWriter }),
  { per: 'test' },
);
const tenant = useTenant(server, {}, { per: 'test' });

const unfinished = () => countRows(server, 'tasks WHERE finished_at IS NULL');
const properties = () => countRows(server, 'properties');
const eventsOf = (event: string) => server.logged.filter((line) => line.event === event);

/** Starts a batch of 128 properties and breaks the database before the runner leases it. */
async function breakBefore(work: () => void | Promise<void>): Promise<TaskId> {
  const { maintenance, tasks } = server.app.services;
  const { account, organization, property } = tenant;
  await maintenance.set(INSTALLATION, true);
  const actor = userActor(account);
  const { id: _, sitekey: __, organizationId, createdAt: ___, ...rest } = property;
  const items = Array.from({ length: 128 }, (_item, i) => ({ ...rest, name: `Blog ${i}` }));
  const order = { kind: 'create-properties', organizationId: organization.id, items } as const;
  const id = expectOk(await tasks.start(actor, order));
  await maintenance.set(INSTALLATION, false);
  await work();
  return id;
}

async function expectOkAfterwards(id: TaskId): Promise<void> {
  await waitUntil('the task is finished', async () => (await unfinished()) === 0);
  const result = await api(server, tenant.portalKey).finished(id);
  expect(result.map(({ code }) => code)).toEqual(Array.from({ length: 128 }, () => 1000));
  expect(await properties()).toBe(129);
}

describeSqlite('a batch', () => {
  test('is not applied partially if the disk is full, and is applied later', async () => {
    // Enough space to lease the task, which rewrites the order, but not for the new properties.
    const id = await breakBefore(async () => {
      const [row] = await server.raw.query<{ pages: number; needed: number }>(
        `SELECT page_count AS pages, (SELECT length(task_order) FROM tasks) / page_size + 1 AS needed
         FROM pragma_page_count, pragma_page_size`,
      );
      writer.run(`PRAGMA max_page_count = ${(row?.pages ?? 0) + (row?.needed ?? 0)}`);
    });
    await waitUntil('database-failed is logged', () => eventsOf('database-failed').length > 0);
    expect([await unfinished(), await properties()]).toEqual([1, 1]);
    // The task was leased; finishing it failed.
    expect(await server.raw.query('SELECT lease IS NOT NULL AS held FROM tasks')).toEqual([{ held: 1 }]);
    writer.run('PRAGMA max_page_count = 1000000');
    await expectOkAfterwards(id);
    // This is not counted as a failure of the batch.
    expect(eventsOf('task-failed')).toEqual([]);
  });

  test('waits while the database is read-only, visitors are served, and the batch is applied later', async () => {
    const id = await breakBefore(() => writer.run('PRAGMA query_only = ON'));
    await waitUntil('database-failed is logged', () => eventsOf('database-failed').length > 0);
    const { sitekey } = tenant.property;
    const puzzle = await fetch(`${server.url}/puzzle?sitekey=${sitekey}`, {
      headers: { Origin: 'https://example.com' },
    });
    expect(puzzle.status).toBe(200);
    expect([await unfinished(), await properties()]).toEqual([1, 1]);
    expect(eventsOf('database-failed')).toHaveLength(1);
    writer.run('PRAGMA query_only = OFF');
    await expectOkAfterwards(id);
    expect(eventsOf('task-failed')).toEqual([]);
  });
});

describeSqlite('a read-only database', () => {
  const name = { name: 'New' };

  test('causes errors for writes and then maintenance, which ends when writes work again', async () => {
    const client = api(server, tenant.portalKey);
    writer.run('PRAGMA query_only = ON');
    const first = await client.post('/org', name);
    expect(first).toMatchObject({ status: 503, code: 1001 });
    expect(first.headers.get('retry-after')).toBe('1');
    // The server checks the database five times a second; a successful read does not end maintenance.
    await Bun.sleep(700);
    const second = await client.post('/org', name);
    expect(second).toMatchObject({ status: 503, description: expect.stringContaining('maintenance') });
    expect(await client.get('/orgs')).toMatchObject({ status: 200, data: [{}] });
    expect(eventsOf('database-failed')).toHaveLength(1);
    expect(eventsOf('database-recovered')).toEqual([]);
    writer.run('PRAGMA query_only = OFF');
    await waitUntil('the database recovers', () => eventsOf('database-recovered').length === 1);
    expect(await client.post('/org', name)).toMatchObject({ status: 200 });
    expect(eventsOf('request-failed')).toEqual([]);
  });

  test('delays writes while another process writes, but not visitors', async () => {
    const other = new Database(join(server.dataDir, MAIN_FILE));
    other.run('BEGIN IMMEDIATE');
    let isDone = false;
    const created = api(server, tenant.portalKey)
      .post('/org', name)
      .finally(() => {
        isDone = true;
      });
    const { sitekey } = tenant.property;
    for (let i = 0; i < 50; i++) {
      const headers = { Origin: 'https://example.com' };
      expect((await fetch(`${server.url}/puzzle?sitekey=${sitekey}`, { headers })).status).toBe(200);
    }
    expect(isDone).toBe(false);
    other.run('COMMIT');
    other.close();
    expect(await created).toMatchObject({ status: 200 });
  });
});

describe('a member who is removed while a batch waits', () => {
  test('has no access when the batch runs', async () => {
    const { services } = server.app;
    const member = await addTenant(server);
    expectOk(await services.members.add(INSTALLATION, tenant.organization.id, member.account));
    const { property } = idsOf(server, tenant);
    await services.maintenance.set(INSTALLATION, true);
    const actor = userActor(member.account);
    const order = { kind: 'delete-properties', items: [tenant.property.id] } as const;
    const id = expectOk(await services.tasks.start(actor, order));
    expectOk(await services.members.remove(INSTALLATION, tenant.organization.id, member.account.id));
    await services.maintenance.set(INSTALLATION, false);
    const [entry] = await api(server, member.portalKey).finished(id);
    expect(entry).toMatchObject({ code: 1214, id: property });
    expect(await properties()).toBe(2);
  });
});
