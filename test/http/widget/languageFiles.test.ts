import { expect, test } from 'bun:test';
import { widgetLanguages } from '../../../build/bundle.ts';
import { hashOf } from '../../../src/http/etag.ts';
import { useServer } from '../../support/useServer.ts';

const server = useServer();

const TABLE = JSON.parse(widgetLanguages());
const VERSION = hashOf(widgetLanguages());

const get = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/widget/lang/${name}`, { headers });

test('every language of the table has its own file', async () => {
  for (const [tag, entry] of Object.entries<{ dir: string; texts: object }>(TABLE)) {
    const response = await get(`${tag}.${VERSION}.json`);
    expect([tag, response.status]).toEqual([tag, 200]);
    expect(await response.json()).toEqual({ tag, dir: entry.dir, texts: entry.texts });
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
  expect(script).toContain(VERSION);
});

test.each([
  ['de-AT', 'de'],
  ['ZH-hk', 'zh-Hant'],
  ['no', 'nb'],
  ['fr-x-shop', 'fr'],
])('the file of %s contains the matching language, %s', async (wanted, tag) => {
  const found = await (await get(`${wanted}.${VERSION}.json`)).json();
  expect(found).toMatchObject({ tag, texts: TABLE[tag].texts });
});

test.each(['tlh', 'en', 'none'])(
  'the file of %s, which is not available, is empty, so that pages get no error',
  async (wanted) => {
    const response = await get(`${wanted}.${VERSION}.json`);
    expect([response.status, await response.text()]).toEqual([200, '{}']);
  },
);

test.each([
  'de.json',
  `de.0123456789abcdef.json`,
  `constructor.${VERSION}.json`,
  `__proto__.${VERSION}.json`,
  `de_AT.${VERSION}.json`,
  `-.${VERSION}.json`,
  `${'a'.repeat(9)}.${VERSION}.json`,
  `de-${'a-'.repeat(500)}a.${VERSION}.json`,
])('%s does not exist', async (name) => {
  const response = await get(name);
  expect(response.status).toBe(404);
  expect(response.headers.get('cache-control') ?? '').not.toContain('immutable');
});
