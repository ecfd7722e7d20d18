import { beforeAll, describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { api, idsOf, type Named } from '../../support/platform.ts';
import { addKey, addTenant, expectOk } from '../../support/server.ts';
import { useClient, useServer, useTenant } from '../../support/useServer.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_ORGS: '1000' } });
const tenant = useTenant(server);
const client = useClient(server, tenant);

/** Creates an organization with properties of these names, oldest first. @returns the path of its list */
async function listOf(names: readonly string[]): Promise<string> {
  const organization = await client.post<Named>('/org', { name: `List ${crypto.randomUUID()}` });
  const path = `/org/${organization.data.id}/properties`;
  for (let at = 0; at < names.length; at += 128) {
    const items = names.slice(at, at + 128).map((name) => ({ name, domain: 'example.com' }));
    await client.run('POST', path, items);
  }
  return path;
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `Shop ${i}`);

async function namesAt(path: string): Promise<readonly string[]> {
  return (await client.get<Named[]>(path)).data.map(({ name }) => name);
}

describe('a list of', () => {
  // biome-ignore format: a table reads best with a row on a line
  test.each([
    [0, [[0, false]]], [1, [[1, false]]], [49, [[49, false]]], [50, [[50, false]]], [51, [[50, true], [1, false]]],
    [100, [[50, true], [50, false]]], [120, [[50, true], [50, true], [20, false]]],
  ] as const)('%d has these pages of 50 unless said otherwise', async (count, pages) => {
    const path = await listOf(numbered(count));
    for (const [page, [length, has_more]] of pages.entries()) {
      const reply = await client.get<Named[]>(`${path}?page=${page}`);
      expect(reply.data.length).toBe(length);
      expect(reply.pagination).toEqual({ page, per_page: 50, has_more });
    }
    expect((await client.get(path)).data).toEqual((await client.get(`${path}?page=0`)).data);
    for (const page of [pages.length, 1000, 999_999_999_999]) {
      const beyond = await client.get(`${path}?page=${page}`);
      expect(beyond).toMatchObject({ status: 200, data: [] });
      expect(beyond.pagination).toEqual({ page, per_page: 50, has_more: false });
    }
  });

  test('120 properties has each of them once in pages of any size, and the correct has_more', async () => {
    const names = numbered(120);
    const path = await listOf(names);
    for (const [asked, given] of [
      [1, 1],
      [7, 7],
      [40, 40],
      [49, 49],
      [50, 50],
      [51, 50],
      [100, 50],
      [999_999_999_999, 50],
    ] as const) {
      const read: string[] = [];
      for (let page = 0, hasMore = true; hasMore; page++) {
        const { data, pagination } = await client.get<Named[]>(`${path}?page=${page}&per_page=${asked}`);
        read.push(...data.map(({ name }) => name));
        hasMore = read.length < names.length;
        expect(pagination).toEqual({ page, per_page: given, has_more: hasMore });
      }
      expect(read).toEqual(names);
    }
  });

  test('properties has the id, name, and sitekey of each', async () => {
    const { org, property } = idsOf(server, tenant);
    const { data } = await client.get<Named[]>(`/org/${org}/properties`);
    expect(data).toEqual([{ id: property, name: 'Blog', sitekey: tenant.property.sitekey } as Named]);
    expect(Object.keys(data[0] ?? {})).toEqual(['id', 'name', 'sitekey']);
    expect(await client.get(`/org/${org}/property/${property}`)).toMatchObject({ data: data[0] });
  });

  test('an organization has no properties of another one and no deleted ones', async () => {
    const [one, other] = [await listOf(['a', 'b', 'c']), await listOf(['d'])];
    const [, b] = (await client.get<Named[]>(one)).data;
    await client.run('DELETE', '/properties', [b?.id]);
    expect(await namesAt(one)).toEqual(['a', 'c']);
    expect(await namesAt(other)).toEqual(['d']);
    expect((await client.get(`${one}?per_page=2`)).pagination).toMatchObject({ has_more: false });
  });
});

describe('the order', () => {
  /** In the order of creation. The order by name folds case, but not accents. */
  const created = [
    'banana',
    'Äpfel',
    'apple',
    'Zebra',
    'äpfel 2',
    'Apple 2',
    'résumé',
    'RESUME',
    '10',
    '9',
    'ÉCLAIR',
    'eclair',
  ];
  const byName = [
    '10',
    '9',
    'apple',
    'Apple 2',
    'banana',
    'eclair',
    'RESUME',
    'résumé',
    'Zebra',
    'Äpfel',
    'äpfel 2',
    'ÉCLAIR',
  ];

  test('is by date or name, ascending or descending, and by ascending date by default', async () => {
    const path = await listOf(created);
    expect(await namesAt(path)).toEqual(created);
    expect(await namesAt(`${path}?sort=date_asc`)).toEqual(created);
    expect(await namesAt(`${path}?sort=date_desc`)).toEqual(created.toReversed());
    expect(await namesAt(`${path}?sort=name_asc`)).toEqual(byName);
    expect(await namesAt(`${path}?sort=name_desc`)).toEqual(byName.toReversed());
  });

  test.each(['date_asc', 'date_desc', 'name_asc', 'name_desc'])(
    '%s is the same across pages',
    async (sort) => {
      const path = await listOf(created);
      const whole = await namesAt(`${path}?sort=${sort}`);
      for (const size of [1, 5]) {
        const pages = [];
        for (let page = 0; page * size < created.length; page++) {
          pages.push(...(await namesAt(`${path}?sort=${sort}&page=${page}&per_page=${size}`)));
        }
        expect(pages).toEqual([...whole]);
      }
    },
  );

  test('by date does not change if a property is renamed', async () => {
    const path = await listOf(['a', 'b', 'c']);
    const [first] = (await client.get<Named[]>(path)).data;
    await client.run('PUT', '/properties', [{ id: first?.id, name: 'z' }]);
    expect(await namesAt(path)).toEqual(['z', 'b', 'c']);
    expect(await namesAt(`${path}?sort=name_asc`)).toEqual(['b', 'c', 'z']);
  });

  test('by date does not repeat properties in later pages if others are created', async () => {
    const path = await listOf(numbered(20));
    const first = await namesAt(`${path}?per_page=10`);
    await client.run('POST', path, [{ name: 'A late one', domain: 'example.com' }]);
    expect([...first, ...(await namesAt(`${path}?per_page=10&page=1`))]).toEqual(numbered(20));
    expect(await namesAt(`${path}?per_page=10&page=2`)).toEqual(['A late one']);
  });
});

describe('a query', () => {
  let path: string;
  beforeAll(async () => {
    path = await listOf(['a', 'b']);
  });

  // biome-ignore format: a table reads best with a row on a line
  test.each([
    'page=-1', 'page=', 'page', 'page=1.0', 'page=1.5', 'page=1e1', 'page=0x1', 'page=+1', 'page=%201', 'page=1%20', 'page=a', 'page=null', 'page=NaN',
    'page=1000000000000', 'page=99999999999999999999999', 'page=%D9%A1', 'page=1,2', 'page=[1]', 'page=0&page=0', 'page=0&page=1', 'page[]=1', 'page=%ff', 'page=0%00',
    'per_page=0', 'per_page=-0', 'per_page=-1', 'per_page=', 'per_page', 'per_page=1.5', 'per_page=all', 'per_page=1000000000000', 'per_page=5&per_page=5', 'per_page=00',
    'sort=', 'sort', 'sort=NAME_ASC', 'sort=Name_asc', 'sort=name', 'sort=name_asc%20', 'sort=name_asc,date_asc', 'sort=name_asc&sort=name_asc', 'sort=level_asc', 'sort=id', 'sort=1;DROP',
    'sort=toString', 'sort=__proto__', 'sort=constructor',
    'Page=1', 'perPage=1', 'limit=5', 'offset=5', 'q=a', 'key=x', '=', '=1', '__proto__=1', 'page=0&x', 'cursor=',
  ])('%s is rejected', async (query) => {
    const reply = await client.get(`${path}?${query}`);
    expect(reply).toMatchObject({ status: 400, code: 1001, data: null });
    expect(reply.pagination).toBeUndefined();
    expect(reply.description).toMatch(/\((?:(?:page|per_page|sort) (?:must .*|can be given only once)|there is no parameter ".*")\)\.$/);
  });

  test.each([
    '',
    '&',
    '&&',
    'page=0',
    'page=000',
    'per_page=50',
    'per_page=0002',
    'sort=date_asc&page=0&per_page=2',
    'pag%65=0',
    'page=%30',
    'page=0#page=x',
  ])('%p is accepted', async (query) => {
    expect(await client.get(`${path}?${query}`)).toMatchObject({
      status: 200,
      data: [{ name: 'a' }, { name: 'b' }],
    });
  });

  test('for an inaccessible organization is not validated', async () => {
    const theirs = idsOf(server, await addTenant(server)).org;
    expect(await client.get(`/org/${theirs}/properties?per_page=5`)).toMatchObject({
      status: 403,
      code: 1106,
      data: null,
    });
  });
});

describe('organizations', () => {
  test('that the user owns or is a member of are on one page, oldest first', async () => {
    const { services } = server.app;
    const [owner, other] = [await addTenant(server), await addTenant(server)];
    const as = api(server, owner.portalKey);
    const created = [];
    for (let i = 0; i < 119; i++) created.push((await as.post<Named>('/org', { name: `Own ${i}` })).data);
    expectOk(await services.members.add(INSTALLATION, other.organization.id, owner.account));
    const reply = await as.get<(Named & { readonly owner: string })[]>('/orgs');
    expect(reply.data).toEqual([
      { id: idsOf(server, owner).org, name: owner.organization.name, owner: owner.account.email },
      { id: idsOf(server, other).org, name: other.organization.name, owner: other.account.email },
      ...created.map((one) => ({ ...one, owner: owner.account.email })),
    ]);
    expect(reply.pagination).toEqual({ page: 0, per_page: 121, has_more: false });
  });

  test('with the same name are distinguished by their owners', async () => {
    const { services } = server.app;
    const [owner, other] = [await addTenant(server), await addTenant(server)];
    for (const { portalKey } of [owner, other]) await api(server, portalKey).post('/org', { name: 'Shop' });
    const [, theirs] = await services.organizations.list(INSTALLATION, other.account);
    if (theirs === undefined) throw new Error('not created');
    expectOk(await services.members.add(INSTALLATION, theirs.id, owner.account));
    const { data } = await api(server, owner.portalKey).get<(Named & { owner: string })[]>('/orgs');
    const shops = data.filter(({ name }) => name === 'Shop').map((one) => one.owner);
    expect(shops).toEqual([owner.account.email, other.account.email]);
  });

  test('can be updated with the members of the list, but not with another owner', async () => {
    const owner = await addTenant(server);
    const as = api(server, owner.portalKey);
    const [listed] = (await as.get<Named[]>('/orgs')).data;
    expect(await as.put('/org', listed)).toMatchObject({ status: 200, code: 1000 });
    expect(await as.put('/org', { ...listed, name: 'Renamed' })).toMatchObject({ data: { name: 'Renamed' } });
    for (const someone of ['someone@example.com', '', owner.account.email.toUpperCase()]) {
      const rejected = await as.put('/org', { ...listed, name: 'Other', owner: someone });
      expect(rejected).toMatchObject({ status: 400, code: 1001 });
      expect(rejected.description).toContain('This operation cannot change the owner of an organization');
    }
    expect(await as.put('/org', { ...listed, owner: 5 })).toMatchObject({ status: 400, code: 1001 });
    expect((await as.get('/orgs')).data).toEqual([{ ...listed, name: 'Renamed' }]);
  });

  test('are an empty list for a user without any', async () => {
    const { services } = server.app;
    const account = expectOk(
      await services.users.create(INSTALLATION, {
        email: 'new@example.com',
        name: undefined,
        isAdmin: false,
        password: undefined,
      }),
    );
    const reply = await api(server, await addKey(services, account, 'portal')).get('/orgs');
    expect(reply).toMatchObject({ status: 200, code: 1000, data: [] });
    expect(reply.pagination).toEqual({ page: 0, per_page: 50, has_more: false });
  });

  test('are listed once for an owner who is also a member', async () => {
    const { data } = await client.get<Named[]>('/orgs');
    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
  });
});
