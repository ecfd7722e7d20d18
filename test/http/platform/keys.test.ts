import { beforeAll, describe, expect, test } from 'bun:test';
import { attackModeRoutes } from '../../../src/http/api/attackMode.ts';
import { organizationRoutes } from '../../../src/http/api/organizations.ts';
import { propertyRoutes } from '../../../src/http/api/properties.ts';
import { statisticsRoutes } from '../../../src/http/api/statistics.ts';
import { DAY, later, MINUTE } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { api, idsOf, type Named, type Route, routesFor } from '../../support/platform.ts';
import { addKey, addTenant, expectOk, type Tenant } from '../../support/server.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { type Ask, runScenarios, type Scenario, send } from '../scenario.ts';

let routes: readonly Route[];

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server);
const otherTenant = useTenant(server);
beforeAll(() => {
  routes = routesFor(idsOf(server, tenant));
});

/** Names of the routes for titles. */
const ROUTES = routesFor({ org: ':org_id', property: ':property_id' });

function asking({ method, path, body }: Route, headers: Record<string, string>): Ask {
  return {
    method,
    path,
    headers: { ...headers, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

async function ask(route: Route | undefined, key: string) {
  if (route === undefined) throw new Error('no such route');
  return api(server, key).ask(route.method, route.path, route.body);
}

test('the tests below cover all routes', () => {
  const parts = { ids: {}, operation: () => async () => new Response() };
  const routes = [
    ...organizationRoutes(parts as never),
    ...propertyRoutes(parts as never),
    ...statisticsRoutes(parts as never),
    ...attackModeRoutes(parts as never),
  ];
  const known = routes.map(({ method, path }) => `${method} ${path}`);
  const asked = ROUTES.map(({ method, path }) => `${method} ${path.replace(/\/0{32}$/, '/:id')}`);
  expect(asked.sort()).toEqual(known.sort());
});

const services = () => server.app.services;
/** A key that is used, so that it is cached, and then changes. */
async function knownKey(more: Parameters<typeof addKey>[3] = {}): Promise<string> {
  const key = await addKey(services(), tenant.account, 'portal', more);
  expect(await api(server, key).get('/orgs')).toHaveProperty('status', 200);
  return key;
}
const altered = (key: string) => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;

/** Headers without a valid key. */
const UNFIT: readonly (readonly [string, () => Record<string, string> | Promise<Record<string, string>>])[] =
  [
    ['no key', () => ({})],
    ['an empty key', () => ({ 'X-API-Key': '' })],
    ['a short key', () => ({ 'X-API-Key': 'x'.repeat(31) })],
    ['a long key', () => ({ 'X-API-Key': 'x'.repeat(5000) })],
    ['an unknown key', () => ({ 'X-API-Key': 'x'.repeat(40) })],
    ['an altered key', () => ({ 'X-API-Key': altered(tenant.portalKey) })],
    ['a key in uppercase', () => ({ 'X-API-Key': tenant.portalKey.toUpperCase() })],
    ['two keys', () => ({ 'X-API-Key': `${tenant.portalKey}, ${tenant.portalKey}` })],
    [
      'a key in another place',
      () => ({ Authorization: `Bearer ${tenant.portalKey}`, Cookie: tenant.portalKey }),
    ],
    ['a sitekey', () => ({ 'X-API-Key': tenant.property.sitekey })],
    ['SQL', () => ({ 'X-API-Key': `' OR '1'='1' -- ${'x'.repeat(20)}` })],
    [
      'a key revoked a moment ago',
      async () => {
        const key = await knownKey();
        const created = (await services().apiKeys.list(INSTALLATION, tenant.account)).at(-1);
        if (created !== undefined) expectOk(await services().apiKeys.revoke(INSTALLATION, created.id));
        return { 'X-API-Key': key };
      },
    ],
    [
      'a key that was rotated and not kept',
      async () => {
        const key = await knownKey();
        const created = (await services().apiKeys.list(INSTALLATION, tenant.account)).at(-1);
        if (created !== undefined) expectOk(await services().apiKeys.rotate(INSTALLATION, created.id, '0'));
        return { 'X-API-Key': key };
      },
    ],
    [
      'a key expired this instant',
      async () => {
        const expiresAt = later(server.clock.now, MINUTE);
        const key = await knownKey({ expiresAt });
        server.clock.now = expiresAt;
        return { 'X-API-Key': key };
      },
    ],
  ];

describe.each(ROUTES.map(({ method, path }, index) => [`${method} ${path}`, index] as const))(
  '%s',
  (_, index) => {
    const rejected = (title: string, headers: (typeof UNFIT)[number][1], status: number): Scenario => ({
      title: `with ${title} returns ${status} without data or changes`,
      ask: async () => asking(routes[index] as Route, await headers()),
      status,
      json: { meta: { code: 1001 }, data: null },
      hasNot: [/Organization \d/, 'example.com'],
      headers: { Vary: 'X-API-Key', ETag: undefined, 'Cache-Control': 'no-store' },
    });
    runScenarios(server, [
      ...UNFIT.map(([title, headers]) => rejected(title, headers, 401)),
      rejected('a key of scope verify', () => ({ 'X-API-Key': tenant.verifyKey }), 403),
    ]);
    if (ROUTES[index]?.access === 'write') {
      runScenarios(server, [
        rejected('a read-only key', async () => ({ 'X-API-Key': await knownKey({ isReadOnly: true }) }), 403),
      ]);
    } else {
      test('with a read-only key allows reads only', async () => {
        const [reading, writing] = [
          await ask(routes[index], await knownKey({ isReadOnly: true })),
          await ask(routes[index], tenant.portalKey),
        ];
        expect({ ...reading, request_id: '', headers: null }).toEqual({
          ...writing,
          request_id: '',
          headers: null,
        });
      });
    }
  },
);

/** The code of each route, in the order of the routes. */
async function codesWith(key: string, of: Tenant): Promise<readonly number[]> {
  const found = [];
  for (const route of routesFor(idsOf(server, of), `By ${key.slice(-8)}`)) {
    if (route.method !== 'DELETE') found.push((await ask(route, key)).code);
  }
  return found;
}
const READ_AND_WRITE = [
  'orgs',
  'create',
  'rename',
  'list',
  'detail',
  'statistics',
  'attackOrganization',
  'attackProperty',
  'properties',
  'update',
  'task',
];

describe('a key of', () => {
  test('another user has no access, and tasks reject each item', async () => {
    const key = otherTenant.portalKey;
    expect(READ_AND_WRITE.length).toBe((await codesWith(key, tenant)).length);
    expect(await codesWith(await addKey(services(), otherTenant.account, 'portal'), tenant)).toEqual([
      1000, 1000, 1106, 1106, 1106, 1106, 1106, 1106, 1106, 1000, 1002,
    ]);
    const { org, property } = idsOf(server, tenant);
    const as = api(server, key);
    expect(await as.delete('/org', { id: org })).toMatchObject({ status: 403, code: 1106 });
    expect(await as.run('PUT', '/properties', [{ id: property, name: 'Mine' }])).toMatchObject([
      { code: 1214 },
    ]);
    expect(await as.run('DELETE', '/properties', [property])).toMatchObject([{ code: 1214 }]);
    const { data } = await as.get<Named[]>('/orgs');
    expect(data.map(({ id }) => id)).not.toContain(org);
    expect((await services().stores.properties.list(tenant.organization.id))[0]).toMatchObject({
      name: 'Blog',
    });
  });

  test('a member can access properties, but not change the organization; a former member has no access', async () => {
    const [owner, member] = [await addTenant(server), await addTenant(server)];
    const { org, property } = idsOf(server, owner);
    expect(await codesWith(member.portalKey, owner)).toEqual([
      1000, 1000, 1106, 1106, 1106, 1106, 1106, 1106, 1106, 1000, 1002,
    ]);
    expectOk(await services().members.add(INSTALLATION, owner.organization.id, member.account));
    const as = api(server, member.portalKey);
    const { data } = await as.get<(Named & { owner: string })[]>('/orgs');
    expect(data).toContainEqual({
      id: org,
      name: owner.organization.name,
      owner: owner.account.email,
    });
    expect(await as.put('/org', { id: org, name: 'Mine' })).toMatchObject({ status: 403, code: 1106 });
    expect(await as.delete('/org', { id: org })).toMatchObject({ status: 403, code: 1106 });
    const list = `/org/${org}/properties`;
    expect(await as.run('POST', list, [{ name: 'New', domain: 'example.org' }])).toMatchObject([
      { code: 1000 },
    ]);
    expect(await as.run('PUT', '/properties', [{ id: property, level: 9 }])).toMatchObject([{ code: 1000 }]);
    expect(await as.get(`/org/${org}/property/${property}`)).toMatchObject({ data: { level: 9 } });
    expect(await as.run('DELETE', '/properties', [property])).toMatchObject([{ code: 1000 }]);
    expect(await as.get(list)).toMatchObject({ status: 200, data: [{ name: 'New' }] });
    expectOk(await services().members.remove(INSTALLATION, owner.organization.id, member.account.id));
    expect(await as.get(list)).toMatchObject({ status: 403, code: 1106, data: null });
    expect(await as.get('/orgs')).not.toMatchObject({ data: expect.arrayContaining([{ id: org }]) });
  });

  test('a member can create properties, which other members can see', async () => {
    const [owner, member] = [await addTenant(server), await addTenant(server)];
    expectOk(await services().members.add(INSTALLATION, owner.organization.id, member.account));
    // Names of organizations are unique for each owner, so a member can have one with the same name.
    const as = api(server, member.portalKey);
    expect(await as.post('/org', { name: owner.organization.name })).toMatchObject({ status: 200 });
    const twins = (await as.get<Named[]>('/orgs')).data.filter(
      ({ name }) => name === owner.organization.name,
    );
    expect(new Set(twins.map(({ id }) => id)).size).toBe(2);
  });
});

describe('a key limited to one organization', () => {
  let both: Tenant;
  let limited: string;
  let others: Tenant;
  beforeAll(async () => {
    both = await addTenant(server);
    const organization = expectOk(
      await services().organizations.create(INSTALLATION, { name: 'Second', ownerId: both.account.id }),
    );
    const draft = { organizationId: organization.id, name: 'Elsewhere', domain: 'example.com' };
    others = {
      ...both,
      organization,
      property: expectOk(await services().properties.create(INSTALLATION, draft)),
    };
    limited = await addKey(services(), both.account, 'portal', { organizationId: both.organization.id });
  });

  test('lists only that organization', async () => {
    const { data, pagination } = await api(server, limited).get<Named[]>('/orgs');
    expect(data).toMatchObject([{ id: idsOf(server, both).org, name: both.organization.name }]);
    expect(pagination).toEqual({ page: 0, per_page: 50, has_more: false });
    expect((await api(server, both.portalKey).get<Named[]>('/orgs')).data.length).toBe(2);
  });

  test('can access that organization, and cannot create others', async () => {
    expect(await codesWith(limited, both)).toEqual([
      1000, 1106, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1002,
    ]);
  });

  test('cannot access another organization of its user', async () => {
    expect(await codesWith(limited, others)).toEqual([
      1000, 1106, 1106, 1106, 1106, 1106, 1106, 1106, 1106, 1000, 1002,
    ]);
    expect(await api(server, limited).delete('/org', { id: idsOf(server, others).org })).toMatchObject({
      status: 403,
      code: 1106,
    });
  });

  test('gets 1214 for properties of another organization in tasks', async () => {
    const [own, other] = [idsOf(server, both).property, idsOf(server, others).property];
    const as = api(server, limited);
    const items = [own, other].map((id) => ({ id, validity_seconds: 77 }));
    expect(await as.run('PUT', '/properties', items)).toMatchObject([
      { code: 1000 },
      { code: 1214, id: other },
    ]);
    expect(await as.run('DELETE', '/properties', [other])).toMatchObject([{ code: 1214 }]);
    expect((await services().stores.properties.list(others.organization.id))[0]?.validitySeconds).toBe(1800);
  });

  test('does not find a property of another organization in its own', async () => {
    const path = `/org/${idsOf(server, both).org}/property/${idsOf(server, others).property}`;
    expect(await api(server, limited).get(path)).toMatchObject({ status: 400, code: 1212, data: null });
    expect(await api(server, both.portalKey).get(path)).toMatchObject({ status: 400, code: 1212 });
  });

  test('can read tasks of keys with the same limit, not those of other keys of its user', async () => {
    const items = [{ id: idsOf(server, both).property, level: 3 }];
    const [wide, narrow] = [api(server, both.portalKey), api(server, limited)];
    const { data: theirs } = await wide.put<{ id: string }>('/properties', items);
    const { data: own } = await narrow.put<{ id: string }>('/properties', items);
    expect(await narrow.get(`/asynctask/${theirs.id}`)).toMatchObject({ status: 404, code: 1002 });
    expect(await narrow.finished(own.id)).toMatchObject([{ code: 1000 }]);
    expect(await wide.finished(own.id)).toMatchObject([{ code: 1000 }]);
    expect(await api(server, otherTenant.portalKey).get(`/asynctask/${own.id}`)).toMatchObject({
      status: 404,
    });
  });

  test('lists nothing after the organization was deleted', async () => {
    const third = expectOk(
      await services().organizations.create(INSTALLATION, { name: 'Third', ownerId: both.account.id }),
    );
    const key = await addKey(services(), both.account, 'portal', { organizationId: third.id });
    const id = services().ids.seal('organization', third.id);
    const as = api(server, key);
    expect(await as.get('/orgs')).toMatchObject({ data: [{ name: 'Third' }] });
    expect(await as.delete('/org', { id })).toMatchObject({ status: 200, data: null });
    expect(await as.get('/orgs')).toMatchObject({ status: 200, data: [], pagination: { per_page: 50 } });
    expect(await as.get(`/org/${id}/properties`)).toMatchObject({ status: 404, code: 1105 });
    expect(await as.post('/org', { name: 'Fourth' })).toMatchObject({ status: 403, code: 1106 });
  });

  test('lists nothing after its user was removed from the organization', async () => {
    const guest = await addTenant(server);
    expectOk(await services().members.add(INSTALLATION, both.organization.id, guest.account));
    const as = api(
      server,
      await addKey(services(), guest.account, 'portal', { organizationId: both.organization.id }),
    );
    expect((await as.get<Named[]>('/orgs')).data.length).toBe(1);
    expectOk(await services().members.remove(INSTALLATION, both.organization.id, guest.account.id));
    expect(await as.get('/orgs')).toMatchObject({ status: 200, data: [] });
    expect(await as.get(`/org/${idsOf(server, both).org}/properties`)).toMatchObject({
      status: 403,
      code: 1106,
    });
  });
});

test('an expiring key works until its expiration', async () => {
  const expiresAt = later(server.clock.now, DAY);
  const key = await addKey(services(), tenant.account, 'portal', { expiresAt });
  server.clock.now = later(expiresAt, -1);
  const ask = { path: '/orgs', headers: { 'X-API-Key': key } };
  expect((await send(server.url, ask)).status).toBe(200);
  server.clock.now = expiresAt;
  expect((await send(server.url, ask)).status).toBe(401);
});
