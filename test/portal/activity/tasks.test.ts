import { afterAll, beforeAll, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { PropertyId } from '../../../src/model/property.ts';
import type { TaskId, TaskOrder } from '../../../src/model/task.ts';
import { userActor } from '../../support/actors.ts';
import { api } from '../../support/platform.ts';
import { addUser, signedIn } from '../../support/portal.ts';
import { addTenant, expectOk, startServer, type Tenant, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
});
afterAll(() => server.stop());

async function run(tenant: Tenant, order: TaskOrder): Promise<TaskId> {
  const actor = userActor(tenant.account);
  const id = expectOk(await server.app.services.tasks.start(actor, order));
  await api(server, tenant.portalKey).finished(id);
  return id;
}

test('a task shows the result of each property in order, with links to existing ones', async () => {
  const tenant = await addTenant(server);
  const browser = await signedIn(server, tenant.account);
  const { services } = server.app;
  const { organization, property } = tenant;
  const item = { ...property, name: 'New one' };
  const items = [item, { ...item, name: 'BLOG' }];
  const id = await run(tenant, { kind: 'create-properties', organizationId: organization.id, items });
  const { text } = await browser.get(`/portal/activity/tasks/${id}`);
  const made = (await services.stores.properties.list(organization.id)).find(
    ({ name }) => name === 'New one',
  );
  const org = services.ids.seal('organization', organization.id);
  const path = `/portal/orgs/${org}/properties/${services.ids.seal('property', made?.id as PropertyId)}`;
  const rows = [...text.matchAll(/<tr><td[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) => row);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/New one.*<td[^>]*>1000<\/td>.*Created\./s);
  expect(rows[0]).toContain(`href="${path}"`);
  expect(rows[1]).toMatch(
    /BLOG.*<td[^>]*>1204<\/td>.*The organization already has a property with this name\./s,
  );
  expect(rows[1]).not.toContain('href');
  expect(text).toContain('Partly rejected');
  expect(text).not.toContain('data-reload');
});

test('a task does not name a property that the user can no longer access', async () => {
  const tenant = await addTenant(server);
  const stranger = await addTenant(server, { name: 'Secret name' });
  const browser = await signedIn(server, tenant.account);
  const ids = [stranger.property.id, 999_999 as PropertyId];
  const id = await run(tenant, { kind: 'delete-properties', items: ids });
  const { text } = await browser.get(`/portal/activity/tasks/${id}`);
  expect(text).not.toContain('Secret name');
  expect(text.match(/Deleted, or not accessible to you/g)).toHaveLength(2);
  expect(text).toMatch(/<td[^>]*>1214<\/td>[\s\S]*<td[^>]*>1212<\/td>/);
});

test('the list has the user’s own tasks, newest first, with pages', async () => {
  const tenant = await addTenant(server);
  const other = await addTenant(server);
  const browser = await signedIn(server, tenant.account);
  expect((await browser.get('/portal/activity/tasks')).text).toContain('No tasks in the last 7 days');
  const order = { kind: 'delete-properties', items: [1 as PropertyId] } as const;
  const foreign = await run(other, order);
  const ids: TaskId[] = [];
  for (let n = 0; n < 26; n++) ids.push(await run(tenant, order));
  const first = await browser.get('/portal/activity/tasks');
  const second = await browser.get('/portal/activity/tasks?page=1');
  const listed = (text: string) =>
    [...text.matchAll(/href="\/portal\/activity\/tasks\/([0-9a-f]{32})"/g)].map(([, id]) => id);
  expect([...listed(first.text), ...listed(second.text)]).toEqual(ids.toReversed());
  expect(listed(first.text)).toHaveLength(25);
  expect(first.text + second.text).not.toContain(foreign);
  expect(first.text).toContain('>Rejected</span>');
});

test('a user without tasks sees an empty list on every page', async () => {
  const browser = await signedIn(server, await addUser(server));
  for (const page of ['9', '-1', 'x', '1e9'])
    expect((await browser.get(`/portal/activity/tasks?page=${page}`)).status).toBe(200);
});

test('the activity of an organization has the tasks of all members, and names their users', async () => {
  const tenant = await addTenant(server);
  const member = await addTenant(server);
  const { services } = server.app;
  await services.members.add(INSTALLATION, tenant.organization.id, member.account);
  const update = { kind: 'update-properties', items: [{ id: tenant.property.id, change: {} }] } as const;
  const id = await run(member, update);
  const own = await run(member, { kind: 'delete-properties', items: [member.property.id] });
  const path = `/portal/orgs/${services.ids.seal('organization', tenant.organization.id)}/activity/tasks`;
  const browser = await signedIn(server, tenant.account);
  const { text } = await browser.get(path);
  expect(text).toContain(`href="${path}/${id}"`);
  expect(text).toContain(`<bdi>${member.account.name}</bdi>`);
  expect(text).not.toContain(own);
  const details = await browser.get(`${path}/${id}`);
  expect([details.status, details.text.includes('Changed.')]).toEqual([200, true]);
  // Another organization's task, and the page for the user's own tasks.
  for (const other of [`${path}/${own}`, `/portal/activity/tasks/${id}`, `${path}/x`])
    expect([other, (await browser.get(other)).status]).toEqual([other, 404]);
  await services.members.remove(INSTALLATION, tenant.organization.id, member.account.id);
  const theirs = await signedIn(server, member.account);
  expect((await theirs.get(path)).status).toBe(404);
  expect((await theirs.get(`/portal/activity/tasks/${id}`)).status).toBe(200);
  expect((await browser.get(path)).text).toContain('<bdi>Former member</bdi>');
});
