import { describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { type Api, api, blockTasks, idsOf, type Named } from '../../support/platform.ts';
import { addKey, addTenant, expectOk, type Tenant } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';
import { send } from '../scenario.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });

type Opened = {
  readonly tenant: Tenant;
  readonly client: Api;
  readonly org: string;
  readonly property: string;
};

async function open(): Promise<Opened> {
  const tenant = await addTenant(server);
  return { tenant, client: api(server, tenant.portalKey), ...idsOf(server, tenant) };
}

async function puzzleStatus({ property }: Tenant): Promise<number> {
  const path = `/puzzle?sitekey=${property.sitekey}`;
  return (await send(server.url, { path, headers: { Origin: 'https://example.com' } })).status;
}

describe('a deleted organization', () => {
  test('immediately issues no puzzles, and its solutions are rejected', async () => {
    const { tenant, client, org } = await open();
    const [first, second] = [0, 0].map(() => fetchAndSolve(server.url, tenant.property.sitekey));
    expect(await verify(server.url, tenant.verifyKey, (await first) ?? '')).toMatchObject({ code: 0 });
    expect(await puzzleStatus(tenant)).toBe(200);
    expect(await client.delete('/org', { id: org })).toMatchObject({ status: 200, code: 1000, data: null });
    expect(await puzzleStatus(tenant)).toBe(403);
    expect(await verify(server.url, tenant.verifyKey, (await second) ?? '')).toMatchObject({
      success: false,
      code: 6,
    });
  });

  test('is unknown on every route, to its owner too', async () => {
    const { client, org, property } = await open();
    await client.delete('/org', { id: org });
    const gone = { status: 404, code: 1105, data: null };
    expect(await client.get(`/org/${org}/properties`)).toMatchObject(gone);
    expect(await client.get(`/org/${org}/property/${property}`)).toMatchObject(gone);
    expect(
      await client.post(`/org/${org}/properties`, [{ name: 'New', domain: 'example.com' }]),
    ).toMatchObject(gone);
    expect(await client.put('/org', { id: org, name: 'New' })).toMatchObject(gone);
    expect(await client.delete('/org', { id: org })).toMatchObject(gone);
    expect(await client.get('/orgs')).toMatchObject({ data: [], pagination: { per_page: 50 } });
    expect(await client.run('PUT', '/properties', [{ id: property, level: 9 }])).toMatchObject([
      { code: 1212 },
    ]);
    expect(await client.run('DELETE', '/properties', [property])).toMatchObject([{ code: 1212 }]);
  });

  test('makes its name available for another organization', async () => {
    const { tenant, client, org } = await open();
    await client.delete('/org', { id: org });
    const again = await client.post<Named>('/org', { name: tenant.organization.name });
    expect(again).toMatchObject({ code: 1000 });
    expect(again.data.id).not.toBe(org);
    expect(await client.get(`/org/${again.data.id}/properties`)).toMatchObject({ status: 200, data: [] });
  });

  test('is unknown to members and limited keys', async () => {
    const { tenant, client, org } = await open();
    const member = await addTenant(server);
    const { services } = server.app;
    expectOk(await services.members.add(INSTALLATION, tenant.organization.id, member.account));
    const limit = { organizationId: tenant.organization.id };
    const limited = api(server, await addKey(services, tenant.account, 'portal', limit));
    expect(await limited.get('/orgs')).toMatchObject({ data: [{ id: org }] });
    await client.delete('/org', { id: org });
    expect(await limited.get('/orgs')).toMatchObject({ status: 200, data: [] });
    expect(await limited.get(`/org/${org}/properties`)).toMatchObject({ code: 1105 });
    const theirs = await api(server, member.portalKey).get<Named[]>('/orgs');
    expect(theirs.data.map(({ id }) => id)).toEqual([idsOf(server, member).org]);
  });

  test('rejects all items of a waiting batch', async () => {
    const { tenant, client, org, property } = await open();
    const letGo = await blockTasks(server, tenant);
    const [creation, change, deletion] = [
      await client.post<{ id: string }>(`/org/${org}/properties`, [{ name: 'New', domain: 'example.com' }]),
      await client.put<{ id: string }>('/properties', [{ id: property, level: 9 }]),
      await client.delete<{ id: string }>('/properties', [property]),
    ];
    expect(await client.get(`/asynctask/${creation.data.id}`)).toMatchObject({
      data: { id: creation.data.id, finished: false, result: null },
    });
    await client.delete('/org', { id: org });
    await letGo();
    await (await open()).client.run('DELETE', '/properties', [property]);
    expect(await client.finished(creation.data.id)).toMatchObject([{ code: 1105, name: 'New' }]);
    expect(await client.finished(change.data.id)).toMatchObject([{ code: 1212, id: property }]);
    expect(await client.finished(deletion.data.id)).toMatchObject([{ code: 1212, id: property }]);
  });

  test('is deleted once by fifty concurrent requests', async () => {
    const { client, org } = await open();
    const replies = await Promise.all(Array.from({ length: 50 }, () => client.delete('/org', { id: org })));
    expect(replies.filter(({ code }) => code === 1000)).toHaveLength(1);
    expect(replies.filter(({ code }) => code === 1105)).toHaveLength(49);
  });

  test('stays deleted if it is renamed concurrently, and its name is available', async () => {
    const { client, org } = await open();
    const [renamed, deleted] = await Promise.all([
      client.put('/org', { id: org, name: 'Renamed' }),
      client.delete('/org', { id: org }),
    ]);
    expect([1000, 1105]).toContain(renamed?.code ?? 0);
    expect(deleted?.code).toBe(1000);
    expect(await client.post('/org', { name: 'Renamed' })).toMatchObject({ code: 1000 });
  });
});

describe('a deleted property', () => {
  test('stops immediately, and a new property of the same name has another sitekey', async () => {
    const { tenant, client, org, property } = await open();
    const solved = await fetchAndSolve(server.url, tenant.property.sitekey);
    await client.run('DELETE', '/properties', [property]);
    expect(await puzzleStatus(tenant)).toBe(403);
    expect(await verify(server.url, tenant.verifyKey, solved)).toMatchObject({ success: false, code: 6 });
    const [again] = await client.run('POST', `/org/${org}/properties`, [
      { name: 'Blog', domain: 'example.com' },
    ]);
    expect(again?.sitekey).not.toBe(tenant.property.sitekey);
    expect(again?.id).not.toBe(property);
    expect(await puzzleStatus(tenant)).toBe(403);
  });

  test('returns 1212', async () => {
    const { client, org, property } = await open();
    await client.run('DELETE', '/properties', [property]);
    expect(await client.get(`/org/${org}/property/${property}`)).toMatchObject({
      status: 400,
      code: 1212,
      data: null,
    });
  });
});

describe('a change applies immediately', () => {
  test('to the next puzzle: domain, subdomains, localhost', async () => {
    const { tenant, client, property } = await open();
    const statusFrom = async (origin: string) => {
      const path = `/puzzle?sitekey=${tenant.property.sitekey}`;
      return (await send(server.url, { path, headers: { Origin: origin } })).status;
    };
    expect(await statusFrom('https://shop.example.com')).toBe(403);
    await client.run('PUT', '/properties', [{ id: property, allow_subdomains: true, allow_localhost: true }]);
    expect(await statusFrom('https://shop.example.com')).toBe(200);
    expect(await statusFrom('http://localhost:3000')).toBe(200);
    await client.run('PUT', '/properties', [{ id: property, domain: 'example.org' }]);
    expect(await statusFrom('https://example.com')).toBe(403);
    expect(await statusFrom('https://shop.example.org')).toBe(200);
  });

  test('to solutions: max_replay_count', async () => {
    const { tenant, client, property } = await open();
    await client.run('PUT', '/properties', [{ id: property, max_replay_count: 2 }]);
    const solved = await fetchAndSolve(server.url, tenant.property.sitekey);
    const codes = [];
    for (let i = 0; i < 3; i++) {
      const { code, success } = await verify(server.url, tenant.verifyKey, solved);
      codes.push([code, success]);
    }
    expect(codes).toEqual([
      [0, true],
      [8, true],
      [8, false],
    ]);
  });

  test('to the list of organizations', async () => {
    const { client, org } = await open();
    const renamed = await client.put('/org', { id: org, name: '  New name ' });
    expect(renamed).toMatchObject({ status: 200, data: { id: org, name: 'New name' } });
    expect(Object.keys(renamed.data as object)).toEqual(['id', 'name']);
    expect(await client.get('/orgs')).toMatchObject({ data: [{ id: org, name: 'New name' }] });
  });
});
