import { describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { api, type Entry, idsOf, type Named } from '../../support/platform.ts';
import { addTenant, expectOk, type Tenant } from '../../support/server.ts';
import { useServer, useTenant } from '../../support/useServer.ts';

/** The tenant already has one organization and one property. */
const server = useServer(
  {
    settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_ORGS: '2', POSTERN_PLAN_PROPERTIES: '3' },
  },
  { per: 'test' },
);
const tenant = useTenant(server, {}, { per: 'test' });

const ORGANIZATIONS_FULL = {
  status: 403,
  code: 1104,
  description:
    "The user's plan does not allow more organizations; delete an organization, or ask the operator for another plan.",
  data: null,
};
const PROPERTIES_FULL = {
  code: 1300,
  description:
    "The plan of the organization's owner does not allow more properties; delete some properties, or ask the operator for another plan.",
};

const as = ({ portalKey }: Tenant = tenant) => api(server, portalKey);
const listOf = (of: Tenant = tenant) => `/org/${idsOf(server, of).org}/properties`;
const items = (...names: readonly string[]) => names.map((name) => ({ name, domain: 'example.com' }));
const codesOf = (entries: readonly Entry[]) => entries.map(({ code }) => code);
const setDefault = (organizations: number, properties: number) =>
  server.app.services.plans.set(INSTALLATION, { name: 'default', organizations, properties });

describe('organizations of a user', () => {
  test('are limited by the configuration, and deletion makes room', async () => {
    const second = await as().post<Named>('/org', { name: 'Second' });
    expect(second).toMatchObject({ status: 200, code: 1000 });
    expect(await as().post('/org', { name: 'Third' })).toMatchObject(ORGANIZATIONS_FULL);
    expect(await as().put('/org', { id: second.data.id, name: 'Renamed' })).toMatchObject({ code: 1000 });
    await as().delete('/org', { id: second.data.id });
    expect(await as().post('/org', { name: 'Third' })).toMatchObject({ code: 1000 });
    expect(await as().post('/org', { name: 'Fourth' })).toMatchObject(ORGANIZATIONS_FULL);
  });

  test('are limited by a new quota while the server runs', async () => {
    await setDefault(3, 3);
    expect(await as().post('/org', { name: 'Second' })).toMatchObject({ code: 1000 });
    expect(await as().post('/org', { name: 'Third' })).toMatchObject({ code: 1000 });
    expect(await as().post('/org', { name: 'Fourth' })).toMatchObject(ORGANIZATIONS_FULL);
    await setDefault(1, 3);
    expect(await as().post('/org', { name: 'Fourth' })).toMatchObject(ORGANIZATIONS_FULL);
    // Existing ones stay and work.
    expect((await as().get<Named[]>('/orgs')).data).toHaveLength(3);
    await server.app.services.plans.set(INSTALLATION, { name: 'large', organizations: 4, properties: 3 });
    expectOk(await server.app.services.users.setPlan(INSTALLATION, tenant.account.id, 'large'));
    expect(await as().post('/org', { name: 'Fourth' })).toMatchObject({ code: 1000 });
    const other = await addTenant(server).then((one) => as(one).post('/org', { name: 'Another' }));
    expect(other).toMatchObject(ORGANIZATIONS_FULL);
  });

  test('cannot be created with a quota of zero', async () => {
    await setDefault(0, 0);
    await as().delete('/org', { id: idsOf(server, tenant).org });
    expect(await as().post('/org', { name: 'First' })).toMatchObject(ORGANIZATIONS_FULL);
  });

  test('do not exceed the quota with fifty concurrent requests', async () => {
    await setDefault(5, 3);
    const names = Array.from({ length: 50 }, (_, i) => `At once ${i}`);
    const replies = await Promise.all(names.map((name) => as().post('/org', { name })));
    expect(replies.filter(({ code }) => code === 1000)).toHaveLength(4);
    expect(replies.filter(({ code }) => code === 1104)).toHaveLength(46);
    expect((await as().get<Named[]>('/orgs')).data).toHaveLength(5);
  });

  test('are created once by fifty concurrent requests with the same name', async () => {
    await setDefault(1000, 3);
    const replies = await Promise.all(Array.from({ length: 50 }, () => as().post('/org', { name: 'Once' })));
    expect(replies.filter(({ code }) => code === 1000)).toHaveLength(1);
    expect(replies.filter(({ code }) => code === 1103)).toHaveLength(49);
  });

  test('do not include organizations of others', async () => {
    const owners = [await addTenant(server), await addTenant(server), await addTenant(server)];
    for (const { organization } of owners) {
      expectOk(await server.app.services.members.add(INSTALLATION, organization.id, tenant.account));
    }
    expect((await as().get<Named[]>('/orgs')).data).toHaveLength(4);
    expect(await as().post('/org', { name: 'Second' })).toMatchObject({ code: 1000 });
  });

  test('at the limit are rejected for an invalid name first', async () => {
    await setDefault(1, 3);
    expect(await as().post('/org', { name: '' })).toMatchObject({ code: 1100 });
    expect(await as().post('/org', { name: 'Second' })).toMatchObject(ORGANIZATIONS_FULL);
  });
});

describe('properties of an owner', () => {
  test('are limited by the configuration, and a batch creates as many as possible in order', async () => {
    const entries = await as().run('POST', listOf(), items('a', 'b', 'c', 'd'));
    expect(codesOf(entries)).toEqual([1000, 1000, 1300, 1300]);
    expect(entries[2]).toEqual({ ...PROPERTIES_FULL, name: 'c' });
  });

  test('that are rejected for another reason do not count', async () => {
    const entries = await as().run('POST', listOf(), items('BLOG', 'a', 'b', 'c'));
    expect(codesOf(entries)).toEqual([1204, 1000, 1000, 1300]);
  });

  test('do not count after they or their organization are deleted', async () => {
    const { data: second } = await as().post<Named>('/org', { name: 'Second' });
    const other = `/org/${second.id}/properties`;
    expect(codesOf(await as().run('POST', other, items('a', 'b', 'c')))).toEqual([1000, 1000, 1300]);
    expect(codesOf(await as().run('POST', listOf(), items('d')))).toEqual([1300]);
    await as().run('DELETE', '/properties', [idsOf(server, tenant).property]);
    expect(codesOf(await as().run('POST', listOf(), items('d', 'e')))).toEqual([1000, 1300]);
    await as().delete('/org', { id: second.id });
    expect(codesOf(await as().run('POST', listOf(), items('e', 'f', 'g')))).toEqual([1000, 1000, 1300]);
  });

  test('are limited by a new quota while the server runs', async () => {
    await setDefault(2, 4);
    expect(codesOf(await as().run('POST', listOf(), items('a', 'b', 'c', 'd')))).toEqual([
      1000, 1000, 1000, 1300,
    ]);
    await setDefault(2, 1);
    expect(codesOf(await as().run('POST', listOf(), items('d')))).toEqual([1300]);
    const { property } = idsOf(server, tenant);
    expect(codesOf(await as().run('PUT', '/properties', [{ id: property, level: 9 }]))).toEqual([1000]);
    expect((await as().get<Named[]>(listOf())).data).toHaveLength(4);
  });

  test('count for the owner, not for the member who creates them', async () => {
    const member = await addTenant(server);
    expectOk(await server.app.services.members.add(INSTALLATION, tenant.organization.id, member.account));
    const entries = await as(member).run('POST', listOf(), items('a', 'b', 'c'));
    expect(codesOf(entries)).toEqual([1000, 1000, 1300]);
    expect(codesOf(await as(member).run('POST', listOf(member), items('a', 'b', 'c')))).toEqual([
      1000, 1000, 1300,
    ]);
  });

  test('do not exceed the quota if an owner and two members create them concurrently', async () => {
    await setDefault(2, 20);
    const members = [await addTenant(server), await addTenant(server)];
    for (const { account } of members) {
      expectOk(await server.app.services.members.add(INSTALLATION, tenant.organization.id, account));
    }
    const batches = [tenant, ...members].flatMap((one, who) =>
      Array.from({ length: 4 }, (_, i) =>
        as(one).run('POST', listOf(), items(...Array.from({ length: 5 }, (_, j) => `${who} ${i} ${j}`))),
      ),
    );
    const codes = (await Promise.all(batches)).flatMap(codesOf);
    expect(codes.filter((code) => code === 1000)).toHaveLength(19);
    expect(codes.filter((code) => code === 1300)).toHaveLength(41);
    expect((await as().get<Named[]>(listOf())).data).toHaveLength(20);
  });

  test('with the same name are created once by two concurrent members', async () => {
    await setDefault(2, 20);
    const member = await addTenant(server);
    expectOk(await server.app.services.members.add(INSTALLATION, tenant.organization.id, member.account));
    const both = await Promise.all(
      [tenant, member].map((one) => as(one).run('POST', listOf(), items('Once'))),
    );
    expect(both.flatMap(codesOf).sort()).toEqual([1000, 1204]);
  });
});
