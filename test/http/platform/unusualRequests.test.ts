import { describe, expect, test } from 'bun:test';
import { idsOf } from '../../support/platform.ts';
import { useClient, useServer, useTenant } from '../../support/useServer.ts';
import { sendRaw } from '../scenario.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server);
const client = useClient(server, tenant);

const json = { 'Content-Type': 'application/json' };
const post = (body: Exclude<RequestInit['body'], undefined>, headers: Record<string, string>) =>
  fetch(`${server.url}/org`, {
    method: 'POST',
    body,
    headers: { 'X-API-Key': tenant.portalKey, ...headers },
  });

// Operations parsed the URL of the request, which is invalid without a host, and returned 500.
test.each(['', 'Host:\r\n', 'Host: a b\r\n', 'Host: h:99999\r\n'])(
  'a request with the host line %j is answered, never with 500',
  async (host) => {
    const lines = `GET /asynctask/x?a=1 HTTP/1.0\r\n${host}X-API-Key: ${tenant.portalKey}\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(server, lines)).toMatch(/^HTTP\/1\.1 4/);
    expect(server.logged.filter(({ event }) => event === 'request-failed')).toEqual([]);
  },
);

describe('a body', () => {
  test('that is compressed is rejected with the reason', async () => {
    const zipped = Bun.gzipSync(Buffer.from('{"name":"Zipped"}'));
    const response = await post(zipped, { ...json, 'Content-Encoding': 'gzip' });
    expect(response.status).toBe(415);
    expect(await response.text()).toContain('compressed bodies are not accepted');
    expect((await post('{"name":"Plain"}', { ...json, 'Content-Encoding': 'identity' })).status).toBe(200);
  });

  test('that is too large is rejected with the limit', async () => {
    const response = await post(`"${'x'.repeat(128 * 1024)}"`, json);
    expect(response.status).toBe(413);
    expect(await response.text()).toContain('at most 131072 bytes');
  });
});

test('an organization is created with a missing, empty, or null id, as generated clients send it', async () => {
  for (const [name, id] of [
    ['A', undefined],
    ['B', ''],
    ['C', null],
  ] as const) {
    expect(await client.post('/org', { name, id })).toMatchObject({ status: 200, data: { name } });
  }
  expect(await client.post('/org', { name: 'D', id: idsOf(server, tenant).org })).toMatchObject({
    code: 1107,
  });
});
