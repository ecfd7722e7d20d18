import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { later } from '../../src/lib/time.ts';
import type { TaskId } from '../../src/model/task.ts';
import { api, idsOf } from '../support/platform.ts';
import { addTenant, expectDone, startServer, type Tenant, type TestServer } from '../support/server.ts';

let server: TestServer;
let tenant: Tenant;

beforeEach(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
  tenant = await addTenant(server);
});
afterEach(() => server.stop());

const raw = () => server.app.office.database.raw;
const unfinished = () =>
  raw().query<{ n: number }, []>('SELECT count(*) AS n FROM tasks WHERE finished_at IS NULL').get()?.n;
const properties = () => raw().query<{ n: number }, []>('SELECT count(*) AS n FROM properties').get()?.n;
const eventsOf = (event: string) => server.logged.filter((line) => line.event === event);

/** Keeps a batch that makes 128 properties, and breaks the database before anybody takes it up. */
async function breakBefore(work: () => void): Promise<TaskId> {
  const { maintenance, tasks } = server.app.office;
  const { account, organization, property } = tenant;
  await maintenance.set(true);
  const caller = { accountId: account.id, organizationId: undefined };
  const { id: _, sitekey: __, organizationId, isEnabled: ___, createdAt: ____, ...rest } = property;
  const items = Array.from({ length: 128 }, (_item, i) => ({ ...rest, name: `Site ${i}` }));
  const order = { kind: 'create-properties', organizationId: organization.id, items } as const;
  const id = expectDone(await tasks.start(caller, order));
  await maintenance.set(false);
  work();
  return id;
}

/** A deadline, for what the background does in its own time. */
async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 8000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('it never came to it');
    await Bun.sleep(5);
  }
}

async function expectDoneAfterwards(id: TaskId): Promise<void> {
  await until(() => unfinished() === 0);
  const result = await api(server, tenant.portalKey).finished(id);
  expect(result.map(({ code }) => code)).toEqual(Array.from({ length: 128 }, () => 1000));
  expect(properties()).toBe(129);
}

describe('a batch on a database', () => {
  test('that is full is not half done; it is done when there is room', async () => {
    // Room enough to take it up, which writes the order anew, and too little for what it makes.
    const id = await breakBefore(() => {
      const pages = raw().query<{ page_count: number }, []>('PRAGMA page_count').get()?.page_count ?? 0;
      raw().run(`PRAGMA max_page_count = ${pages + 7}`);
    });
    await until(() => eventsOf('task-failed').length > 0);
    expect(eventsOf('task-failed')[0]).toMatchObject({ failures: 1, reason: expect.stringMatching(/full/) });
    expect([unfinished(), properties()]).toEqual([1, 1]);
    raw().run('PRAGMA max_page_count = 1000000');
    server.clock.now = later(server.clock.now, 5000);
    await expectDoneAfterwards(id);
  }, 10_000);

  test('that cannot be written waits, and visitors are served; it is done when it can', async () => {
    const id = await breakBefore(() => raw().run('PRAGMA query_only = ON'));
    await until(() => eventsOf('database-failed').length > 0);
    const { sitekey } = tenant.property;
    const puzzle = await fetch(`${server.url}/puzzle?sitekey=${sitekey}`, {
      headers: { Origin: 'https://example.com' },
    });
    expect(puzzle.status).toBe(200);
    expect([unfinished(), properties()]).toEqual([1, 1]);
    expect(eventsOf('database-failed')).toHaveLength(1);
    raw().run('PRAGMA query_only = OFF');
    await expectDoneAfterwards(id);
    expect(eventsOf('task-failed')).toEqual([]);
  }, 15_000);
});

describe('a member who is put out while a batch waits', () => {
  test('has nothing done in the name of a permission that is gone', async () => {
    const { office } = server.app;
    const member = await addTenant(server);
    expectDone(await office.organizations.addMember(tenant.organization.id, member.account));
    const { property } = idsOf(server, tenant);
    await office.maintenance.set(true);
    const caller = { accountId: member.account.id, organizationId: undefined };
    const order = { kind: 'delete-properties', items: [tenant.property.id] } as const;
    const id = expectDone(await office.tasks.start(caller, order));
    expectDone(await office.organizations.removeMember(tenant.organization.id, member.account));
    await office.maintenance.set(false);
    const [entry] = await api(server, member.portalKey).finished(id);
    expect(entry).toMatchObject({ code: 1214, id: property });
    expect(properties()).toBe(2);
  });
});
