import { describe, expect, test } from 'bun:test';
import { api } from '../../support/platform.ts';
import { addKey, addTenant } from '../../support/server.ts';
import { useIds, useServer, useTenant } from '../../support/useServer.ts';
import { expectCommonHeaders, send } from '../scenario.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server);
const ids = useIds(server, tenant);

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const ask = { path, method, headers: { 'X-API-Key': tenant.portalKey, ...headers } };
  const response = await send(server.url, ask);
  expectCommonHeaders(response);
  return response;
}

async function tagOf(path: string): Promise<string> {
  const response = await get(path);
  await response.text();
  return response.headers.get('etag') ?? '';
}

const PATHS = [
  ['organizations', () => '/orgs'],
  ['a list of properties', () => `/org/${ids.org}/properties`],
  ['a page of properties', () => `/org/${ids.org}/properties?per_page=1&sort=name_desc`],
  ['a property', () => `/org/${ids.org}/property/${ids.property}`],
  ['statistics', () => `/org/${ids.org}/property/${ids.property}/stats?range=7d`],
] as const;

describe.each(PATHS)('%s', (_, pathOf) => {
  test('returns 304 without a body to clients that have it', async () => {
    const path = pathOf();
    const first = await get(path);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[0-9a-f]{16}"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const second = await get(path, { 'If-None-Match': tag });
    expect([second.status, await second.text()]).toEqual([304, '']);
    expect(second.headers.get('etag')).toBe(tag);
    expect(second.headers.get('cache-control')).toBe('private, no-cache');
    expect(second.headers.get('vary')).toBe('X-API-Key');
    expect(second.headers.get('content-type')).toBeNull();
    expect(second.headers.has('x-ratelimit-remaining')).toBe(true);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  test('compares tags weakly, in lists, and with *', async () => {
    const path = pathOf();
    const tag = await tagOf(path);
    const strong = tag.slice(2);
    // biome-ignore format: a table reads best with a row on a line
    const known = [tag, strong, '*', ' * ', `"a", ${tag}`, `${tag},"b"`, `"a" ,\t${strong} , W/"c"`, `"a,b", ${tag}`, `,${tag},`];
    for (const value of known) {
      const response = await get(path, { 'If-None-Match': value });
      expect([value, response.status, await response.text()]).toEqual([value, 304, '']);
    }
    const others = [
      '""',
      'W/""',
      `"x${strong.slice(1)}`,
      strong.slice(1, -1),
      strong.toUpperCase(),
      'W/',
      '"*"',
      '**',
      `w/${strong}x`,
      "'",
    ];
    for (const value of others.filter((other) => other !== strong)) {
      const response = await get(path, { 'If-None-Match': value });
      expect([value, response.status]).toEqual([value, 200]);
      expect(await response.json()).toMatchObject({ meta: { code: 1000 } });
    }
  });

  test('supports HEAD with the headers of GET, and 304', async () => {
    const path = pathOf();
    const tag = await tagOf(path);
    const head = await get(path, {}, 'HEAD');
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', tag]);
    expect(head.headers.get('content-type')).toMatch(/^application\/json/);
    const again = await get(path, { 'If-None-Match': tag }, 'HEAD');
    expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
  });

  test('requires a valid key for 304 too', async () => {
    const path = pathOf();
    const tag = await tagOf(path);
    for (const [key, status] of [
      ['', 401],
      [tenant.verifyKey, 403],
    ] as const) {
      for (const known of [tag, '*']) {
        const response = await get(path, { 'If-None-Match': known, 'X-API-Key': key });
        expect([response.status, response.headers.get('etag')]).toEqual([status, null]);
      }
    }
  });
});

test('an error is never 304', async () => {
  for (const [path, status] of [
    ['/org/x/properties', 400],
    [`/asynctask/${'0'.repeat(32)}`, 404],
    [`/org/${ids.org}/properties?x`, 400],
  ] as const) {
    const response = await get(path, { 'If-None-Match': '*' });
    expect([response.status, response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([
      status,
      null,
      'no-store',
    ]);
  }
});

test('pages, orders, and objects have different tags', async () => {
  const list = `/org/${ids.org}/properties`;
  await api(server, tenant.portalKey).run('POST', list, [{ name: 'Another', domain: 'example.com' }]);
  const paths = [
    list,
    `${list}?per_page=1`,
    `${list}?per_page=1&page=1`,
    `${list}?page=1`,
    `${list}?sort=date_desc`,
    '/orgs',
    PATHS[3][1](),
  ];
  expect(new Set(await Promise.all(paths.map(tagOf))).size).toBe(paths.length);
});

test('a write immediately changes the tags of what it changed, and no other tags', async () => {
  const client = api(server, tenant.portalKey);
  const [list, detail, orgs] = [
    `/org/${ids.org}/properties`,
    `/org/${ids.org}/property/${ids.property}`,
    '/orgs',
  ];
  const tags = async () => ({
    list: await tagOf(list),
    detail: await tagOf(detail),
    orgs: await tagOf(orgs),
  });
  const before = await tags();
  expect(await tags()).toEqual(before);
  await client.run('PUT', '/properties', [{ id: ids.property, level: 5 }]);
  const later = await tags();
  expect(later).toEqual({ ...before, detail: later.detail });
  expect(later.detail).not.toBe(before.detail);
  expect((await get(detail, { 'If-None-Match': before.detail })).status).toBe(200);
  await client.put('/org', { id: ids.org, name: 'Renamed' });
  expect(await tags()).toMatchObject({ list: later.list, detail: later.detail });
  expect(await tagOf(orgs)).not.toBe(before.orgs);
  await client.run('PUT', '/properties', [{ id: ids.property, level: 1 }]);
  expect(await tagOf(detail)).toBe(before.detail);
});

test('the tag of a task changes when the task is finished', async () => {
  const client = api(server, tenant.portalKey);
  const { data } = await client.put<{ id: string }>('/properties', [{ id: ids.property, level: 6 }]);
  await client.finished(data.id);
  const path = `/asynctask/${data.id}`;
  const tag = await tagOf(path);
  expect((await get(path, { 'If-None-Match': tag })).status).toBe(304);
});

test('the tag differs if the data of another key differs', async () => {
  const otherTenant = await addTenant(server);
  const tag = await tagOf('/orgs');
  const theirs = await get('/orgs', { 'X-API-Key': otherTenant.portalKey, 'If-None-Match': tag });
  expect(theirs.status).toBe(200);
  expect(theirs.headers.get('vary')).toBe('X-API-Key');
  expect(theirs.headers.get('etag')).not.toBe(tag);
  const second = await addKey(server.app.services, tenant.account, 'portal');
  expect((await get('/orgs', { 'X-API-Key': second, 'If-None-Match': tag })).status).toBe(304);
});
