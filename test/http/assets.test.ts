import { beforeAll, describe, expect, test } from 'bun:test';
import { brotliDecompressSync } from 'node:zlib';
import { hashedPath } from '../../src/http/assets.ts';
import { useServer } from '../support/useServer.ts';
import { expectCommonHeaders, runScenarios } from './scenario.ts';

let text: string;
let etag: string;
let hashed: string;

const PATH = '/widget/postern.js';

const server = useServer({ settings: { POSTERN_DEMO: 'on' } });
beforeAll(async () => {
  const response = await get(PATH, { 'Accept-Encoding': 'identity' });
  text = await response.text();
  etag = response.headers.get('etag') ?? '';
  hashed = hashedPath({ path: PATH, contents: text });
});

/** Does not decompress the body. */
function get(path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${server.url}${path}`, { headers, decompress: false });
}

describe('the widget’s script', () => {
  test('can be loaded by any page and is revalidated after five minutes', async () => {
    const { status, headers } = await get(PATH, {});
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('cache-control')).toBe('public, max-age=300, must-revalidate');
    expect(headers.get('vary')).toBe('Accept-Encoding');
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]{16}"$/);
    expect(headers.has('set-cookie')).toBe(false);
  });

  test('is immutable at the path with its hash', async () => {
    expect(hashed).toMatch(/^\/widget\/postern\.[0-9a-f]{16}\.js$/);
    const response = await get(hashed, {});
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await response.text()).toBe(text);
  });

  test('sends requests to its own host only', () => {
    const hosts = [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map((match) => match[1]);
    expect(hosts.filter((host) => host !== 'www.w3.org')).toEqual([]);
  });

  test('is compressed with Brotli or gzip only for clients that accept it', async () => {
    const rows: readonly (readonly [accepted: string, coding: 'br' | 'gzip' | null])[] = [
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['br;q=1.0, gzip;q=0.5', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['br ; q=0.000 , gzip', 'gzip'],
      ['br;q=0', null],
      ['gzip;q=0.001', 'gzip'],
      ['gzip;q=0', null],
      ['gzip;q=0.0, br', 'br'],
      ['gzip ; q=0', null],
      ['identity', null],
      ['br', 'br'],
      ['', null],
      ['xgzipx', null],
      ['xbrx', null],
    ];
    const decode = {
      br: (bytes: Uint8Array<ArrayBuffer>) => brotliDecompressSync(bytes),
      gzip: (bytes: Uint8Array<ArrayBuffer>) => Buffer.from(Bun.gunzipSync(bytes)),
    };
    for (const [accepted, coding] of rows) {
      const response = await get(PATH, { 'Accept-Encoding': accepted });
      expect([accepted, response.headers.get('content-encoding')]).toEqual([accepted, coding]);
      expect([accepted, response.headers.get('etag')]).toEqual([accepted, etag]);
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect((coding ? decode[coding](bytes) : Buffer.from(bytes)).toString()).toBe(text);
      if (coding) expect(bytes.length).toBeLessThan(text.length / 2);
    }
  });

  test('returns 304 to clients that have it', async () => {
    const rows: readonly (readonly [known: string, status: number])[] = [
      [etag, 304],
      [`W/${etag}`, 304],
      [`"other", ${etag}`, 304],
      [`"other",W/${etag} , "third"`, 304],
      ['*', 304],
      ['"other"', 200],
      [etag.replaceAll('"', ''), 200],
      ['', 200],
    ];
    for (const path of [PATH, hashed]) {
      for (const [known, status] of rows) {
        const response = await get(path, { 'If-None-Match': known });
        expect([known, response.status]).toEqual([known, status]);
        expect(response.headers.get('etag')).toBe(etag);
        expect(response.headers.get('cache-control')).toStartWith('public, max-age=');
        expect(response.headers.get('access-control-allow-origin')).toBe('*');
        expectCommonHeaders(response);
        if (status === 304) expect(await response.text()).toBe('');
      }
    }
  });
});

describe('an unknown file', () => {
  const paths = [
    '/widget/',
    '/widget',
    '/widget/postern.0000000000000000.js',
    '/widget/postern.js.map',
    '/widget/../package.json',
    '/widget/%2e%2e/package.json',
    '/widget/..%2fpackage.json',
    '/package.json',
    '/demo/demo.js.map',
  ];
  runScenarios(
    server,
    paths.map((path) => ({
      title: `${path} returns 404`,
      ask: { path },
      status: 404,
      headers: { 'Access-Control-Allow-Origin': undefined },
    })),
  );
});

describe('a file for pages of the server', () => {
  runScenarios(server, [
    {
      title: 'cannot be loaded by other origins',
      ask: { path: '/demo/demo.css' },
      status: 200,
      headers: {
        'Content-Type': 'text/css; charset=utf-8',
        'Access-Control-Allow-Origin': undefined,
        'Cross-Origin-Resource-Policy': 'same-origin',
      },
      hasNot: [/https?:\/\//, /@import/],
    },
  ]);
});
