import { beforeAll, describe, expect, test } from 'bun:test';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { toSeconds } from '../../src/lib/time.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { Property, Sitekey } from '../../src/model/property.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { WATCH_MS } from '../../src/server/backgroundJobs.ts';
import { addTenant, expectOk, startServer } from '../support/server.ts';
import { openTestServices } from '../support/services.ts';
import { describeSqlite } from '../support/testStorage.ts';
import { useServer } from '../support/useServer.ts';
import { fetchPuzzle, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type Ask, errorEnvelope, runScenarios, type Scenario, send } from './scenario.ts';

const properties: Record<string, Property> = {};

const PAGE = 'https://example.com';
const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee';
const UNKNOWN = '0123456789abcdef0123456789abcdef';

const server = useServer();
beforeAll(async () => {
  const drafts = {
    plain: { level: 37, validitySeconds: 600 },
    subdomains: { allowsSubdomains: true },
    localhost: { allowsLocalhost: true },
    both: { allowsSubdomains: true, allowsLocalhost: true },
    idn: { domain: 'bücher.example' },
    disabled: {},
  };
  for (const [name, draft] of Object.entries(drafts)) {
    properties[name] = (await addTenant(server, draft)).property;
  }
  await disable(sitekeyOf('disabled'));
});

function sitekeyOf(name: string): Sitekey {
  const property = properties[name];
  if (property === undefined) throw new Error(`no property ${name}`);
  return property.sitekey;
}

async function disable(sitekey: Sitekey): Promise<void> {
  await server.raw.query('UPDATE properties SET is_enabled = FALSE WHERE sitekey = ?', [sitekey]);
}

function ask(sitekey: string, headers: Record<string, string> = { Origin: PAGE }): Ask {
  return { path: `/puzzle?sitekey=${sitekey}`, headers };
}

const ISSUED = /^[A-Za-z0-9+/]{63}=\.[A-Za-z0-9+/]+={0,2}$/;

describe('the sitekey', () => {
  const good: readonly (readonly [how: string, write: (sitekey: string) => string])[] = [
    ['in its standard format', (key) => `?sitekey=${key}`],
    ['in capitals', (key) => `?sitekey=${key.toUpperCase()}`],
    [
      'with the dashes of a UUID',
      (key) => `?sitekey=${key.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')}`,
    ],
    ['percent-encoded', (key) => `?sitekey=${key.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`],
    ['after other parameters', (key) => `?a=b&hl=de&sitekey=${key}`],
    ['before other parameters', (key) => `?sitekey=${key}&sitekey=`],
    ['twice, and the first one counts', (key) => `?sitekey=${key}&sitekey=${UNKNOWN}`],
  ];
  runScenarios(
    server,
    good.map(([how, write]) => ({
      title: `is accepted ${how}`,
      ask: () => ({ path: `/puzzle${write(sitekeyOf('plain'))}`, headers: { Origin: PAGE } }),
      status: 200,
      has: [ISSUED],
    })),
  );
  const bad = [
    '',
    '?',
    '?sitekey',
    '?sitekey=',
    `?sitekey=&sitekey=${UNKNOWN}`,
    `?Sitekey=${UNKNOWN}`,
    `?xsitekey=${UNKNOWN}`,
    `?sitekey[]=${UNKNOWN}`,
    `?sitekey=${UNKNOWN}0`,
    `?sitekey=${UNKNOWN.slice(1)}`,
    `?sitekey=g${UNKNOWN.slice(1)}`,
    `?sitekey=%20${UNKNOWN}`,
    `?sitekey=${UNKNOWN}+`,
    `?sitekey=${UNKNOWN}%0A`,
    `?sitekey=${UNKNOWN}%00`,
    `?sitekey=%zz%E0%A4%A`,
    `?sitekey=${'a'.repeat(6000)}`,
    `?sitekey=${encodeURIComponent("' OR 1=1 --")}`,
    `?sitekey=${encodeURIComponent('<script>alert(1)</script>')}`,
    `?sitekey=${encodeURIComponent('０１２３４５６７８９abcdef0123456789abcdef')}`,
  ];
  runScenarios(
    server,
    bad.map((query) => ({
      title: `is rejected: ${query.slice(0, 50)}`,
      ask: { path: `/puzzle${query}`, headers: { Origin: PAGE } },
      status: 400,
      json: errorEnvelope(1001),
      has: ['sitekey must be 32 hexadecimal digits'],
      hasNot: ['<script', 'OR 1=1'],
      headers: { 'Access-Control-Allow-Origin': PAGE, 'X-RateLimit-Limit': undefined },
    })),
  );
});

describe('the order of checks', () => {
  const rejected = (title: string, from: Ask | (() => Ask), status: number, says: string): Scenario => ({
    title,
    ask: from,
    status,
    json: errorEnvelope(1001),
    has: [says],
    headers: { 'Cache-Control': 'no-store', Vary: 'Origin', 'Retry-After': undefined },
  });
  runScenarios(server, [
    rejected(
      'an invalid sitekey is reported before a missing origin',
      ask('no', {}),
      400,
      'The sitekey must be',
    ),
    rejected(
      'a missing origin is reported before an unknown property',
      ask(UNKNOWN, {}),
      400,
      'no Origin header',
    ),
    rejected('an empty origin counts as missing', ask(UNKNOWN, { Origin: '' }), 400, 'no Origin header'),
    rejected('an unknown property returns 403', ask(UNKNOWN), 403, 'no active property'),
    rejected(
      'an unknown property is reported before a foreign page',
      ask(UNKNOWN, { Origin: 'null' }),
      403,
      'no active property',
    ),
    {
      ...rejected(
        'a sandboxed page can read the error',
        ask(UNKNOWN, { Origin: 'null' }),
        403,
        'no active property',
      ),
      headers: { 'Access-Control-Allow-Origin': 'null', Vary: 'Origin' },
    },
    rejected(
      'a disabled property looks unknown',
      () => ask(sitekeyOf('disabled')),
      403,
      'no active property',
    ),
    rejected(
      'a disabled property is reported before a foreign page',
      () => ask(sitekeyOf('disabled'), { Origin: 'https://evil.com' }),
      403,
      'no active property',
    ),
    rejected(
      'a foreign page gets 403',
      () => ask(sitekeyOf('plain'), { Origin: 'https://evil.com' }),
      403,
      "not on the property's domain",
    ),
  ]);
});

describe('the page', () => {
  const allowed: Readonly<Record<string, readonly string[]>> = {
    plain: [
      'https://example.com',
      'http://example.com',
      'https://example.com:8443',
      'http://example.com:1',
      'https://EXAMPLE.com',
      'HTTPS://Example.COM:443',
      'https://example.com.',
      'app://example.com',
      'capacitor://EXAMPLE.com',
    ],
    subdomains: [
      'https://example.com',
      'https://www.example.com',
      'http://a.b.c.example.com:81',
      'https://a.Example.com.',
    ],
    localhost: [
      'https://example.com',
      'http://localhost',
      'http://localhost:3000',
      'http://app.localhost:5173',
      'http://127.0.0.1:8080',
      'http://[::1]:3000',
    ],
    both: ['https://www.example.com', 'http://localhost:3000'],
    idn: ['https://xn--bcher-kva.example', 'https://XN--BCHER-KVA.example:8443'],
  };
  const rejected: Readonly<Record<string, readonly string[]>> = {
    plain: [
      'null',
      'https://www.example.com',
      'http://localhost',
      'http://127.0.0.1',
      'https://evil-example.com',
      'https://evilexample.com',
      'https://example.com.evil.com',
      'https://example.comm',
      'https://example.co',
      'https://examplecom',
      'https://xn--exmple-cua.com',
      'https://example.com@evil.com',
      'https://evil.com@example.com',
      'https://evil.com/example.com',
      'https://evil.com?example.com',
      'https://evil.com#example.com',
      'https://evil.com:443/https://example.com',
      'https://example.com, https://evil.com',
      'https://evil.com https://example.com',
      'https://example.com..',
      'https://.example.com',
      'example.com',
      '//example.com',
      'https:',
      'https://',
      'file://',
      'about:blank',
      'data:text/html,example.com',
      '*',
      'https://*',
      `https://${'a'.repeat(300)}.example.com`,
    ],
    subdomains: [
      'https://evil-example.com',
      'https://notexample.com',
      'https://example.com.evil.com',
      'https://www.example.com.evil.com',
      'https://www.example.org',
      'http://localhost',
      'null',
    ],
    localhost: [
      'https://www.example.com',
      'http://localhost.evil.com',
      'http://notlocalhost',
      'http://127.0.0.1.nip.io',
      'http://127.0.0.2',
      'http://0.0.0.0',
      'http://[::2]',
      'http://192.168.0.1',
      'null',
    ],
    idn: ['https://bucher.example', 'https://xn--bcher-kva.example.com', 'https://example.com'],
  };
  const rows = (
    table: Readonly<Record<string, readonly string[]>>,
    row: (name: string, origin: string) => Scenario,
  ) => Object.entries(table).flatMap(([name, origins]) => origins.map((origin) => row(name, origin)));

  runScenarios(
    server,
    rows(allowed, (name, origin) => ({
      title: `gets a puzzle: ${origin} (${name})`,
      ask: () => ask(sitekeyOf(name), { Origin: origin }),
      status: 200,
      has: [ISSUED],
      headers: { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' },
    })),
  );
  runScenarios(
    server,
    rows(rejected, (name, origin) => ({
      title: `gets no puzzle: ${origin.slice(0, 60)} (${name})`,
      ask: () => ask(sitekeyOf(name), { Origin: origin }),
      status: 403,
      json: errorEnvelope(1001),
      has: [/not on the property's domain|on an IP address or a host without a dot/],
      headers: { 'Access-Control-Allow-Origin': /^Access-Control-Allow-Origin: (?!\*$)/, Vary: 'Origin' },
    })).map((row) =>
      row.title.startsWith('gets no puzzle: * ') ? { ...row, headers: { Vary: 'Origin' } } : row,
    ),
  );
});

describe('a page on the host of the server, which sends no Origin', () => {
  const own = { 'Sec-Fetch-Site': 'same-origin', Referer: 'https://example.com/contact?a=b#c' };
  const missing = (title: string, headers: Record<string, string>): Scenario => ({
    title,
    ask: () => ask(sitekeyOf('plain'), headers),
    status: 400,
    has: ['no Origin header'],
    headers: { 'Access-Control-Allow-Origin': undefined, Vary: 'Origin' },
  });
  runScenarios(server, [
    {
      title: 'is identified by its Referer',
      ask: () => ask(sitekeyOf('plain'), own),
      status: 200,
      has: [ISSUED],
      headers: { 'Access-Control-Allow-Origin': 'https://example.com' },
    },
    {
      title: 'must be on the domain of the property',
      ask: () => ask(sitekeyOf('plain'), { ...own, Referer: 'https://evil.com/' }),
      status: 403,
      has: ["not on the property's domain"],
    },
    {
      title: 'without Sec-Fetch-Site is identified by a Referer with the host of the request',
      ask: () => ask(sitekeyOf('plain'), { Referer: 'http://example.com/', Host: 'example.com' }),
      status: 200,
    },
    {
      title: 'is not identified by its Referer if there is an Origin',
      ask: () => ask(sitekeyOf('plain'), { ...own, Origin: 'https://evil.com' }),
      status: 403,
    },
    missing('is not identified by a Referer with another host', { Referer: 'https://example.com/' }),
    missing('is not identified with Sec-Fetch-Site cross-site', { ...own, 'Sec-Fetch-Site': 'cross-site' }),
    missing('is not identified with Sec-Fetch-Site same-site', { ...own, 'Sec-Fetch-Site': 'same-site' }),
    missing('is not identified with Sec-Fetch-Site none', { ...own, 'Sec-Fetch-Site': 'none' }),
    {
      title: 'is identified by the Host header if Sec-Fetch-Site is same-origin and there is no Referer',
      ask: () => ask(sitekeyOf('plain'), { 'Sec-Fetch-Site': 'same-origin', Host: 'EXAMPLE.com.:8443' }),
      status: 200,
      has: [ISSUED],
    },
    {
      title: 'on another host is rejected, even if it names a host of the property in X-Forwarded-Host',
      ask: () =>
        ask(sitekeyOf('plain'), {
          'Sec-Fetch-Site': 'same-origin',
          Host: 'evil.com',
          'X-Forwarded-Host': 'example.com',
        }),
      status: 403,
      has: ["not on the property's domain"],
    },
    missing('is not identified by the Host header of another site', {
      'Sec-Fetch-Site': 'same-site',
      Host: 'example.com',
    }),
    missing('is not identified by an invalid Host header', { 'Sec-Fetch-Site': 'same-origin', Host: '%' }),
    missing('is not identified by an invalid Referer', { Referer: 'example.com' }),
    missing('is not identified by the Host header', { Host: 'example.com' }),
  ]);
});

describe('a preflight', () => {
  const preflight = (title: string, path: string, headers: Record<string, string>): Scenario => ({
    title,
    ask: { path, method: 'OPTIONS', headers },
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': headers.Origin,
      'Access-Control-Allow-Methods': /\bGET\b/,
      'Access-Control-Allow-Headers': headers['Access-Control-Request-Headers'] ?? WIDGET_HEADERS,
      'Access-Control-Max-Age': /: [1-9]\d{3,}$/,
      'Access-Control-Allow-Credentials': undefined,
      Vary: 'Origin, Access-Control-Request-Headers',
    },
  });
  const WIDGET_HEADERS = 'x-pc-captcha-version, accept, content-type, x-requested-with';
  const asking = (names: string) => ({ ...wanted, 'Access-Control-Request-Headers': names });
  const wanted = {
    Origin: 'https://anybody.example',
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'x-pc-captcha-version',
  };
  runScenarios(server, [
    preflight('succeeds for any page', `/puzzle?sitekey=${UNKNOWN}`, wanted),
    preflight('needs no sitekey', '/puzzle', wanted),
    preflight('needs no origin', '/puzzle', {}),
    preflight('succeeds for a sandboxed page', '/puzzle', { ...wanted, Origin: 'null' }),
    // Tracing and other wrappers of `fetch` add headers, and the browser then failed the check.
    ...[
      'traceparent',
      'baggage,sentry-trace,traceparent',
      'authorization, x-csrf-token',
      `x-${'a'.repeat(2046)}`,
    ].map((names) =>
      preflight(`allows the headers that it asks for: ${names.slice(0, 40)}`, '/puzzle', asking(names)),
    ),
    ...[
      '/widget/postern.js',
      '/widget/lang/de.0123456789abcdef.json',
      '/turnstile/v0/api.js',
      '/recaptcha/api.js',
      '/1/api.js',
    ].map((path) => preflight(`succeeds for files of the widget: ${path}`, path, asking('traceparent'))),
    ...['a b', 'a,', ',', 'a:b', 'a/b', 'é', `x-${'a'.repeat(2047)}`].map((names) => ({
      title: `rejects an invalid list of headers: ${names.slice(0, 20)}`,
      ask: { path: '/puzzle', method: 'OPTIONS', headers: asking(names) },
      status: 400,
      has: ['Access-Control-Request-Headers must be a list of header names'],
      headers: { 'Access-Control-Allow-Headers': undefined },
    })),
    ...['/verify', '/siteverify', '/orgs', '/portal', '/portal/login', '/swagger/json'].map((path) => ({
      title: `is rejected for a path that pages of other origins must not use: ${path}`,
      ask: { path, method: 'OPTIONS', headers: asking('authorization') },
      status: 405,
      headers: { 'Access-Control-Allow-Origin': undefined, 'Access-Control-Allow-Headers': undefined },
    })),
  ]);

  test('does not count against the rate limit', async () => {
    const headers = { Origin: PAGE, 'X-Request-Id': 'id' };
    const left = async () =>
      Number((await send(server.url, ask(sitekeyOf('plain'), headers))).headers.get('x-ratelimit-remaining'));
    const before = await left();
    await send(server.url, { path: '/puzzle', method: 'OPTIONS', headers: wanted });
    expect(await left()).toBe(before - 1);
  });
});

describe('a puzzle', () => {
  runScenarios(server, [
    {
      title: 'is text that only one origin can read, and is not cached',
      ask: () => ask(sitekeyOf('plain')),
      status: 200,
      has: [ISSUED],
      headers: {
        'Content-Type': /^Content-Type: text\/plain/,
        'Cache-Control': 'no-store',
        'Access-Control-Allow-Origin': PAGE,
        'Access-Control-Allow-Credentials': undefined,
        'Access-Control-Expose-Headers': /Retry-After.*X-Trace-ID/,
        Vary: 'Origin',
        'X-RateLimit-Limit': undefined,
        'X-RateLimit-Remaining': undefined,
        'X-RateLimit-Reset': undefined,
        'X-Request-Id': undefined,
        'X-Trace-ID': undefined,
        'Retry-After': undefined,
        'Set-Cookie': undefined,
      },
    },
    {
      title: 'has an id and the state of the rate limit if the request has an id',
      ask: () => ask(sitekeyOf('plain'), { Origin: PAGE, 'X-Request-Id': 'mine' }),
      status: 200,
      has: [ISSUED],
      headers: {
        'Access-Control-Allow-Origin': PAGE,
        'X-RateLimit-Limit': '1000000',
        'X-RateLimit-Remaining': /: \d+$/,
        'X-RateLimit-Reset': /: \d+$/,
        'X-Request-Id': 'mine',
        'X-Trace-ID': 'mine',
      },
    },
    {
      title: 'has a new id if the id of the request is malformed',
      ask: () => ask(sitekeyOf('plain'), { Origin: PAGE, 'X-Request-Id': 'not an id' }),
      status: 200,
      headers: { 'X-Request-Id': /: [0-9a-f-]{22}$/ },
    },
  ]);

  test('has no headers of an earlier request with an id', async () => {
    await send(server.url, ask(sitekeyOf('plain'), { Origin: PAGE, 'X-Request-Id': 'earlier' }));
    const { headers } = await send(server.url, ask(sitekeyOf('plain')));
    const names = ['x-request-id', 'x-trace-id', 'x-ratelimit-remaining'];
    expect(names.filter((name) => headers.has(name))).toEqual([]);
  });

  test('has the format of the protocol', async () => {
    const [first = '', signature = ''] = (await fetchPuzzle(server.url, sitekeyOf('plain'))).split('.');
    const bytes = bytesFromBase64(first);
    expect(bytes).toHaveLength(47);
    expect(bytesFromBase64(signature)?.length).toBeGreaterThan(32);
    const puzzle = bytes && parsePuzzle(bytes);
    expect(puzzle).toMatchObject({
      difficulty: 37,
      solutionCount: 16,
      expiresAtSeconds: toSeconds(server.clock.now) + 600,
    });
    expect((puzzle?.propertyId ?? new Uint8Array()).toHex()).toBe(sitekeyOf('plain'));
    expect(bytes?.[0]).toBe(1);
  });

  test('of a cached property is returned without a promise', async () => {
    // A turn of the event loop would be a tenth of the cost of a puzzle.
    await fetchPuzzle(server.url, sitekeyOf('plain'));
    const { path, headers } = ask(sitekeyOf('plain'));
    const answer = server.app.fetch(
      new Request(`${server.url}${path}`, headers && { headers: { ...headers } }),
    );
    expect(answer).toBeInstanceOf(Response);
    expect((answer as Response).status).toBe(200);
  });

  test('is different every time, and concurrent responses are separate', async () => {
    // All responses use one object for their headers.
    const asked = Array.from({ length: 200 }, async (_, i) => {
      const name = i % 2 === 0 ? 'localhost' : 'subdomains';
      const origin = i % 2 === 0 ? `http://localhost:${1000 + i}` : `https://s${i}.example.com`;
      const response = await send(
        server.url,
        ask(sitekeyOf(name), { Origin: origin, 'X-Request-Id': `id-${i}` }),
      );
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('x-request-id')).toBe(`id-${i}`);
      expect(response.headers.get('x-trace-id')).toBe(`id-${i}`);
      const bytes = bytesFromBase64((await response.text()).split('.')[0] ?? '');
      const puzzle = bytes && parsePuzzle(bytes);
      expect((puzzle?.propertyId ?? new Uint8Array()).toHex()).toBe(sitekeyOf(name));
      return [(puzzle?.puzzleId ?? new Uint8Array()).toHex(), (puzzle?.userData ?? new Uint8Array()).toHex()];
    });
    const random = (await Promise.all(asked)).flat();
    expect(new Set(random).size).toBe(400);
    expect(random).not.toContain('0000000000000000');
  });
});

test('rejected requests at the same time have separate headers, and the id of the headers in the body', async () => {
  // All rejections copy one object for their headers.
  const unknown = 'f'.repeat(32);
  const asked = Array.from({ length: 60 }, async (_, i) => {
    const [origin, sitekey] = [`https://s${i}.example.com`, i % 2 === 0 ? 'no' : unknown];
    const response = await send(server.url, ask(sitekey, i % 3 === 0 ? {} : { Origin: origin }));
    const { headers } = response;
    const { meta } = (await response.json()) as { readonly meta: { readonly request_id: string } };
    expect(headers.get('x-request-id')).toBe(meta.request_id);
    expect(headers.get('x-trace-id')).toBe(meta.request_id);
    expect(headers.get('access-control-allow-origin')).toBe(i % 3 === 0 ? null : origin);
    // The format of the sitekey is checked before the rate limit.
    expect(headers.has('x-ratelimit-remaining')).toBe(sitekey === unknown);
    return meta.request_id;
  });
  expect(new Set(await Promise.all(asked)).size).toBe(60);
});

describe('the test property', () => {
  const text = Buffer.concat([
    Buffer.from([1]),
    Buffer.from(TEST_SITEKEY, 'hex'),
    Buffer.alloc(9),
    Buffer.from([16]),
    Buffer.alloc(20),
  ]).toString('base64');
  const rows: readonly (readonly [from: string, headers: Record<string, string>])[] = [
    ['a page', { Origin: PAGE }],
    ['no page', {}],
    ['null', { Origin: 'null' }],
    ['a page of this server', { 'Sec-Fetch-Site': 'same-origin', Referer: 'http://localhost/' }],
  ];
  runScenarios(
    server,
    rows.map(([from, headers]) => ({
      title: `returns the test puzzle to ${from}`,
      ask: ask(TEST_SITEKEY, headers),
      status: 200,
      has: [`${text}.`],
      headers: {
        'Access-Control-Allow-Origin': '*',
        'Cache-Control': /public, max-age=\d+/,
        'Content-Type': /text\/plain/,
        'Set-Cookie': undefined,
      },
    })),
  );

  test('returns the same puzzle between puzzles of other properties', async () => {
    const texts: string[] = [];
    for (let i = 0; i < 3; i++) {
      await fetchPuzzle(server.url, sitekeyOf('plain'));
      const response = await send(server.url, ask(TEST_SITEKEY.toUpperCase()));
      texts.push(await response.text());
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]?.split('.')).toHaveLength(2);
  });

  // Backends that check only `success` accept the published payload.
  test.each([{ POSTERN_TEST_PROPERTY: 'off' }, { POSTERN_BASE_URL: 'https://captcha.example.com' }])(
    'is off with %j: no puzzle, and its payload does not verify',
    async (settings) => {
      const strict = await startServer({ settings });
      const response = await send(strict.url, ask(TEST_SITEKEY));
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject(errorEnvelope(1001));
      const { verifyKey } = await addTenant(strict);
      const puzzle = await (await send(server.url, ask(TEST_SITEKEY))).text();
      const payload = `${Buffer.alloc(128).toString('base64')}.${puzzle}`;
      expect(await verify(strict.url, verifyKey, payload)).toMatchObject({ success: false, code: 11 });
      expect(await verify(server.url, (await addTenant(server)).verifyKey, payload)).toMatchObject({
        code: 10,
      });
      await strict.stop();
    },
  );
});

// A notification of PostgreSQL invalidates the cache at any time.
describeSqlite('the cache of properties without notifications', () => {
  test('reads a sitekey, known or unknown, from the database once', async () => {
    const store = server.app.services.stores.properties;
    const read = store.bySitekey;
    const known = (await addTenant(server)).property.sitekey;
    const reads: string[] = [];
    store.bySitekey = (sitekey) => {
      reads.push(sitekey);
      return read(sitekey);
    };
    for (const sitekey of [UNKNOWN, known, UNKNOWN.toUpperCase(), known, UNKNOWN, known]) {
      await send(server.url, ask(sitekey));
    }
    store.bySitekey = read;
    expect(reads).toEqual([UNKNOWN, known]);
  });
});

describe('the cache of properties', () => {
  test('finds a property that is created after its sitekey was unknown', async () => {
    const { organization } = await addTenant(server);
    const sitekey = 'fedcba9876543210fedcba9876543210' as Sitekey;
    expect((await send(server.url, ask(sitekey))).status).toBe(403);
    const { id: _, createdAt: __, ...rest } = properties.plain as Property;
    const property = { ...rest, organizationId: organization.id, name: 'Late', sitekey };
    expectOk(await server.app.services.stores.properties.create(property, server.clock.now));
    expect((await send(server.url, ask(sitekey))).status).toBe(200);
  });

  test('is invalidated within a second after another process makes a change', async () => {
    const { property } = await addTenant(server);
    expect((await send(server.url, ask(property.sitekey))).status).toBe(200);
    const other = await openTestServices(server.dataDir);
    expectOk(await other.properties.setEnabled(INSTALLATION, property.id, false));
    await other.close();
    const isRejected = async () => (await send(server.url, ask(property.sitekey))).status !== 200;
    await waitUntil('the property is disabled', isRejected);
    expect(WATCH_MS).toBeLessThan(1000);
  });
});
