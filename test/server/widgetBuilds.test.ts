import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { PINNED_WIDGET } from '../../src/server/embeddedFiles.ts';
import { createOlderWidget } from '../support/olderWidget.ts';
import type { DatabaseAddress } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';

/** Two nodes with different versions on one PostgreSQL database, as during a rolling upgrade. */

setDefaultTimeout(120_000);

const older = createOlderWidget();
let address: DatabaseAddress;
let old: TestServer;
let upgraded: TestServer;

beforeAll(async () => {
  address = await migratedDatabase();
  old = await startServer({ database: address, widgetArchive: older.archive });
  upgraded = await startServer({ database: address });
});
afterAll(async () => {
  await old.stop();
  await upgraded.stop();
  await (await sharedPostgres()).dropDatabase(address);
});

const get = async (server: TestServer, path: string) => {
  // Only current files are also compressed with Brotli.
  const encodings = { 'Accept-Encoding': 'gzip' };
  const response = await fetch(server.url + path.replace(':hash', 'b2c3'), { headers: encodings });
  const headers = [...response.headers].filter(
    ([name]) => !/^(?:date|content-length|etag|x-request-id|x-trace-id)$/.test(name),
  );
  return { status: response.status, headers: Object.fromEntries(headers), text: await response.text() };
};

test('the upgraded node serves every file of the old build', async () => {
  for (const path of older.paths) {
    const { status } = await get(upgraded, path);
    expect([path, status]).toEqual([path, 200]);
  }
});

test('the responses to stored and to current files have the same headers', async () => {
  const { path } = PINNED_WIDGET;
  const [current, stored] = [await get(upgraded, path), await get(upgraded, older.script.path)];
  expect(stored.headers).toEqual(current.headers);
  const tag = `"${older.script.path.split('.')[1]}"`;
  const headers = { 'If-None-Match': tag };
  const known = await fetch(upgraded.url + older.script.path, { headers });
  expect([known.status, known.headers.get('etag')]).toEqual([304, tag]);
});

test('unknown paths in the widget’s folders are unknown to every node, and other methods are rejected', async () => {
  for (const path of [
    '/widget/postern.0123456789abcdef.js',
    '/1/x',
    '/turnstile/v0/api.wasm',
    '/widget/lang/de.json',
  ]) {
    expect([path, (await get(upgraded, path)).status]).toEqual([path, 404]);
  }
  const { status } = await fetch(upgraded.url + older.script.path, { method: 'POST' });
  expect(status).toBe(405);
  expect((await fetch(upgraded.url + older.script.path, { method: 'HEAD' })).status).toBe(200);
});
