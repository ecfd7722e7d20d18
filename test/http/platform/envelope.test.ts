import { describe, expect, test } from 'bun:test';
import { idsOf, routesFor, SENTENCE } from '../../support/platform.ts';
import { addTenant } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';
import { expectCommonHeaders, send } from '../scenario.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });

const ROUTES = routesFor({ org: '', property: '' }).map(({ method }, index) => [method, index] as const);
const LISTS = ['/orgs', '/properties'];

/** Sends a request to each route, each with its own tenant: valid, with an invalid body, and without a key. */
describe.each(ROUTES)('%s, route %d', (_, index) => {
  async function ask(headers: Record<string, string>, kind: 'valid' | 'invalid' | 'keyless') {
    const tenant = await addTenant(server);
    const { method, path, body, access } = routesFor(idsOf(server, tenant))[index] ?? {
      method: '',
      path: '',
      access: '',
    };
    const wrong = access === 'read' ? undefined : '[{]';
    const text = kind === 'invalid' ? wrong : body === undefined ? undefined : JSON.stringify(body);
    const key = kind === 'keyless' ? {} : { 'X-API-Key': tenant.portalKey };
    const response = await send(server.url, {
      method,
      path: kind === 'invalid' && access === 'read' ? `${path}x` : path,
      headers: { ...key, 'Content-Type': 'application/json', ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    return { response, path, method, access };
  }

  test.each(['valid', 'invalid', 'keyless'] as const)('returns an envelope: %s', async (kind) => {
    const { response, path, method, access } = await ask({}, kind);
    expectCommonHeaders(response);
    const { meta, data, pagination, ...rest } = (await response.json()) as Record<
      string,
      Record<string, unknown>
    >;
    expect(rest).toEqual({});
    expect(meta).toEqual({
      code: expect.any(Number),
      description: expect.stringMatching(SENTENCE),
      request_id: response.headers.get('x-request-id'),
    });
    expect(Number.isInteger(meta?.code)).toBe(true);
    expect(data).not.toBeUndefined();
    expect(response.status === 200).toBe(meta?.code === 1000);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const isRead = response.status === 200 && access === 'read';
    expect(response.headers.get('cache-control')).toBe(isRead ? 'private, no-cache' : 'no-store');
    const isList = isRead && method === 'GET' && LISTS.some((end) => path.endsWith(end));
    expect(pagination).toEqual(isList ? { page: 0, per_page: 50, has_more: false } : (undefined as never));
    if (response.status !== 404 || path.startsWith('/asynctask'))
      expect(response.headers.get('vary')).toBe('X-API-Key');
  });

  test.each(['valid', 'invalid', 'keyless'] as const)(
    'returns a valid request id that the client sent: %s',
    async (kind) => {
      for (const id of ['abc', 'A.b_c:d-1', 'x'.repeat(128), 'f4052ee3f07d-000000002']) {
        const { response } = await ask({ 'X-Request-Id': id }, kind);
        const { meta } = (await response.json()) as { meta: { request_id: string } };
        expect([
          meta.request_id,
          response.headers.get('x-request-id'),
          response.headers.get('x-trace-id'),
        ]).toEqual([id, id, id]);
      }
    },
  );

  test('replaces an invalid request id', async () => {
    for (const id of ['', 'x'.repeat(129), 'a b', 'a,b', '<b>', 'é', '{}', 'a/b']) {
      const { response } = await ask({ 'X-Request-Id': id }, 'keyless');
      const { meta } = (await response.json()) as { meta: { request_id: string } };
      expect(meta.request_id).not.toBe(id);
      expect(meta.request_id).toMatch(/^[0-9a-f]{12}-[0-9a-z]{9}$/);
    }
  });
});

test('a hundred concurrent requests get their own responses', async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => addTenant(server)));
  const asked = Array.from({ length: 100 }, async (_, i) => {
    const tenant = tenants[i % tenants.length];
    const headers = { 'X-API-Key': tenant?.portalKey ?? '', 'X-Request-Id': `id-${i}` };
    const response = await send(server.url, { path: '/orgs', headers });
    expect(await response.json()).toMatchObject({
      meta: { request_id: `id-${i}` },
      data: [{ name: tenant?.organization.name }],
    });
  });
  await Promise.all(asked);
});

test('the data of a deletion is null', async () => {
  const tenant = await addTenant(server);
  const response = await send(server.url, {
    method: 'DELETE',
    path: '/org',
    headers: { 'X-API-Key': tenant.portalKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: idsOf(server, tenant).org }),
  });
  expect(Object.keys((await response.json()) as object)).toEqual(['meta', 'data']);
});
