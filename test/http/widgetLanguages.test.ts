import { expect, test } from 'bun:test';
import { widgetLanguages } from '../../bundle.ts';
import { hashOf } from '../../src/http/etag.ts';
import { useServer } from '../support/useServer.ts';

const server = useServer();

const TABLE = JSON.parse(widgetLanguages());
const VERSION = hashOf(widgetLanguages());

const get = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/widget/lang/${name}`, { headers });

test('every language of the table has its own file', async () => {
  for (const [tag, entry] of Object.entries<{ dir: string; texts: object }>(TABLE)) {
    const response = await get(`${tag}.${VERSION}.json`);
    expect([tag, response.status]).toEqual([tag, 200]);
    expect(await response.json()).toEqual({ dir: entry.dir, texts: entry.texts });
  }
});

test('any page can load a language, and caches can store it permanently', async () => {
  const { headers } = await get(`ar.${VERSION}.json`, { Origin: 'https://shop.example' });
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(headers.has('set-cookie')).toBe(false);
  const again = await get(`ar.${VERSION}.json`, { 'If-None-Match': headers.get('etag') ?? '' });
  expect(again.status).toBe(304);
});

test('the script loads the served version', async () => {
  const script = await (await fetch(`${server.url}/widget/postern.js`)).text();
  expect(script).toContain(`${VERSION} ${Object.keys(TABLE).join(' ')}`);
});

test.each([
  'de.json',
  `de.0123456789abcdef.json`,
  `en.${VERSION}.json`,
  `tlh.${VERSION}.json`,
  `constructor.${VERSION}.json`,
])('%s does not exist', async (name) => {
  const response = await get(name);
  expect(response.status).toBe(404);
  expect(response.headers.get('cache-control') ?? '').not.toContain('immutable');
});
