import { describe, expect, test } from 'bun:test';
import { useClient, useIds, useServer, useTenant } from '../../support/useServer.ts';
import { sendRaw } from '../scenario.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server);
const client = useClient(server, tenant);
const ids = useIds(server, tenant);

describe('a path', () => {
  // An id that could not be decoded was reported as missing.
  test.each(['%', '%zz', '%ff', '%c3%28', '%ed%a0%80', 'x%', '%e2%82'])(
    'with the undecodable id %s is rejected',
    async (id) => {
      const rows = [
        ['GET', `/org/${id}/properties`, undefined, 400, 1109],
        ['POST', `/org/${id}/properties`, [{ name: 'New', domain: 'example.com' }], 400, 1109],
        ['GET', `/org/${id}/property/${ids.property}`, undefined, 400, 1109],
        ['GET', `/org/${ids.org}/property/${id}`, undefined, 400, 1212],
        ['GET', `/asynctask/${id}`, undefined, 404, 1002],
      ] as const;
      for (const [method, path, body, status, code] of rows) {
        expect([method, path, await client.ask(method, path, body)]).toMatchObject([
          method,
          path,
          { status, code },
        ]);
      }
    },
  );

  test('with invalid UTF-8 contains an invalid id', async () => {
    const head = `HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${tenant.portalKey}\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(server, `GET /org/\xe9\xff/properties ${head}`)).toContain('"code":1109');
  });

  test('with a percent-encoded id is the same path', async () => {
    const encoded = [...ids.org].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join('');
    expect(await client.get(`/org/${encoded}/properties`)).toMatchObject({
      status: 200,
      data: [{ id: ids.property }],
    });
  });

  test.each([
    '/org//properties',
    '/org/properties',
    '/org/x/property',
    '/org/x/property/',
    '/asynctask',
    '/asynctask/',
    '/ORGS',
    '/orgs/x',
  ])('without an id is unknown: %s', async (path) => {
    expect(await client.get(path)).toMatchObject({ status: 404, code: 1002, data: null });
  });

  test('of a task requires 32 lowercase hexadecimal digits', async () => {
    const { data } = await client.put<{ id: string }>('/properties', [{ id: ids.property, level: 9 }]);
    await client.finished(data.id);
    expect(data.id).toMatch(/^[0-9a-f]{32}$/);
    for (const id of [
      data.id.toUpperCase(),
      data.id.slice(1),
      `${data.id}0`,
      `%20${data.id}`,
      'x'.repeat(10_240),
      ids.org,
    ]) {
      if (id === data.id) continue;
      expect(await client.get(`/asynctask/${id}`)).toMatchObject({ status: 404, code: 1002, data: null });
    }
  });
});

test('ids of consecutive objects have nothing in common, and the id of an object never changes', async () => {
  const names = Array.from({ length: 20 }, (_, i) => ({ name: `Neighbor ${i}`, domain: 'example.com' }));
  const made = await client.run('POST', `/org/${ids.org}/properties`, names);
  const created = made.map(({ id }) => id ?? '');
  expect(new Set(created).size).toBe(20);
  for (const id of created) expect(id).toMatch(/^[\w-]{22}$/);
  expect(new Set(created.map((id) => id.slice(0, 4))).size).toBe(20);
  expect(new Set(created.map((id) => id.slice(-4))).size).toBe(20);
  expect(await client.get(`/org/${ids.org}/property/${created[0]}`)).toMatchObject({
    data: { id: created[0], name: 'Neighbor 0' },
  });
});
