import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createBodies } from '../../src/http/body.ts';
import { createDispatcher, type Fetch } from '../../src/http/dispatcher.ts';
import { createUnknownPages } from '../../src/http/messagePage.tsx';
import { createRequestContext } from '../../src/http/requestContext.ts';
import { createRequestMeter } from '../../src/http/requestMeter.ts';
import { createRouter, type Route } from '../../src/http/router.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { Principal } from '../../src/model/apiKey.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import { StoreFailure } from '../../src/model/storeFailure.ts';
import { addKey, addTenant, startServer } from '../support/server.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve, fetchPuzzle } from '../support/visitor.ts';
import {
  errorEnvelope,
  expectCommonHeaders,
  runScenarios,
  type Scenario,
  send,
  sendRaw,
} from './scenario.ts';

const server = useServer();
const tenant = useTenant(server);

const METHODS: Readonly<Record<string, string>> = {
  '/puzzle': 'GET, OPTIONS, HEAD',
  '/verify': 'POST',
  '/siteverify': 'POST',
  '/livez': 'GET, HEAD',
  '/readyz': 'GET, HEAD',
  '/metrics': 'GET, HEAD',
  '/widget/postern.js': 'GET, OPTIONS, HEAD',
};

describe('an unknown path', () => {
  const unknown = (path: string, method = 'GET'): Scenario => ({
    title: `returns 404: ${method} ${path.slice(0, 40)}`,
    ask: { path, method },
    status: 404,
    json: errorEnvelope(1002),
    headers: { Allow: undefined, 'Cache-Control': 'no-store', 'Content-Type': /application\/json/ },
    hasNot: [/<html/i],
  });
  runScenarios(server, [
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => unknown('/nothing', method)),
    ...['/%00', '/%zz%E0%A4%A', '/puzzle%2F', '/%70uzzle', '/puzzle;a=1', '/PUZZLE'].map((path) =>
      unknown(path),
    ),
    ...['/verify.php', '/.env', '/..%2f..%2fetc%2fpasswd', '/__proto__', '/constructor', '/*', '/:id'].map(
      (path) => unknown(path),
    ),
    unknown(`/${'a'.repeat(8000)}`),
    unknown(`/${'a/'.repeat(4000)}`),
    unknown('/verify/more', 'POST'),
  ]);
});

describe('a known path with another method', () => {
  const rows = Object.entries(METHODS).flatMap(([path, allow]) =>
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].flatMap((method) =>
      allow.includes(method) ? [] : [{ path, method, allow }],
    ),
  );
  runScenarios(
    server,
    rows.map(({ path, method, allow }) => ({
      title: `returns 405 and Allow ${allow}: ${method} ${path}`,
      ask: { path, method },
      status: 405,
      json: errorEnvelope(1003),
      headers: { Allow: allow },
    })),
  );

  test('returns 405 for HEAD if the path has no GET', async () => {
    const response = await send(server.url, { path: '/verify', method: 'HEAD' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expectCommonHeaders(response);
  });

  runScenarios(server, [
    {
      title: 'returns 405 for a path with a trailing slash',
      ask: { path: '/verify/', method: 'GET' },
      status: 405,
      headers: { Allow: 'POST' },
    },
  ]);
});

describe('HEAD', () => {
  const asked = [
    '/livez',
    '/readyz',
    '/widget/postern.js',
    '/puzzle?sitekey=aaaaaaaabbbbccccddddeeeeeeeeeeee',
    '/puzzle?sitekey=no',
  ];
  for (const path of asked) {
    test(`returns the response to GET without the body: ${path}`, async () => {
      const get = await send(server.url, { path });
      const head = await send(server.url, { path, method: 'HEAD' });
      expect(await head.text()).toBe('');
      expect(head.status).toBe(get.status);
      const facts = ({ headers }: Response) =>
        [...headers.keys()].filter((name) => !/^(?:date|content-encoding|transfer-encoding)$/.test(name));
      expect(facts(head).sort()).toEqual(facts(get).sort());
      const length = head.headers.get('content-length');
      expect(length).not.toBe('0');
      expectCommonHeaders(head);
    });
  }

  test('counts against the same rate limit as GET', async () => {
    const headers = { Origin: 'https://example.com', 'X-Request-Id': 'id' };
    const path = `/puzzle?sitekey=${tenant.property.sitekey}`;
    const left = async (method: string) =>
      Number((await send(server.url, { path, method, headers })).headers.get('x-ratelimit-remaining'));
    const before = await left('GET');
    expect(await left('HEAD')).toBe(before - 1);
    expect(await left('GET')).toBe(before - 2);
  });
});

describe('the request id', () => {
  const kept = ['a', 'A-Z_0.9:', 'x'.repeat(128), '0af7651916cd43dd8448eb211c80319c'];
  const replaced = ['', 'a b', 'x'.repeat(129), '<script>', 'a,b', 'a"b', 'ü', '{}', '%0d%0a'];
  runScenarios(server, [
    ...kept.map((id) => ({
      title: `is kept: ${id.slice(0, 20)}`,
      ask: { path: '/nothing', headers: { 'X-Request-Id': id } },
      status: 404,
      headers: { 'X-Request-Id': id, 'X-Trace-ID': id },
      json: { meta: { request_id: id } },
    })),
    ...replaced.map((id) => ({
      title: `is replaced: ${JSON.stringify(id.slice(0, 20))}`,
      ask: { path: '/livez', headers: { 'X-Request-Id': id } },
      status: 200,
      headers: {
        'X-Request-Id': /^X-Request-Id: [0-9a-f-]{16,64}$/,
        'X-Trace-ID': /^X-Trace-ID: [0-9a-f-]+$/,
      },
    })),
  ]);

  test('differs between requests', async () => {
    const asked = Array.from({ length: 50 }, (_, i) =>
      send(server.url, {
        path: i % 2 === 0 ? '/verify' : '/puzzle?sitekey=no',
        method: i % 2 ? 'GET' : 'POST',
      }),
    );
    const ids = (await Promise.all(asked)).map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(50);
  });
});

describe('the log entry of a request', () => {
  test('has the request id of the response, and no secrets', async () => {
    const chatty = await startServer({ settings: { POSTERN_LOG: 'debug' } });
    const { property, verifyKey } = await addTenant(chatty);
    const solved = await fetchAndSolve(chatty.url, property.sitekey);
    chatty.logged.splice(0);
    const asks = [
      { path: `/puzzle?sitekey=${property.sitekey}`, headers: { Origin: 'https://example.com' } },
      {
        path: `/puzzle?sitekey=${property.sitekey}`,
        headers: { Origin: 'https://example.com', 'X-Request-Id': 'mine' },
      },
      { path: '/puzzle?sitekey=no' },
      { path: '/puzzle?sitekey=aaaaaaaabbbbccccddddeeeeeeeeeeee', method: 'HEAD' },
      { path: '/verify', method: 'POST', headers: { 'X-API-Key': verifyKey }, body: solved },
      { path: '/verify', method: 'POST', headers: { 'X-API-Key': verifyKey }, body: 'no' },
      { path: '/verify', method: 'POST' },
      {
        path: '/siteverify',
        method: 'POST',
        body: new URLSearchParams({ secret: verifyKey, response: solved }),
      },
      { path: '/livez' },
      { path: '/nothing' },
    ];
    for (const ask of asks) {
      const response = await send(chatty.url, ask);
      const others = ['api-key-rejected', 'store-call-slow'];
      const logged = chatty.logged.splice(0).filter(({ event }) => !others.includes(String(event)));
      expect(logged).toMatchObject([
        {
          event: 'request',
          level: 'debug',
          method: ask.method ?? 'GET',
          path: ask.path.split('?')[0],
          status: response.status,
          request_id: response.headers.get('x-request-id'),
          elapsed_ms: expect.any(Number),
        },
      ]);
    }
    await chatty.stop();
  });
});

describe('a client that disconnects while it sends a body', () => {
  const rows = [
    'POST /verify HTTP/1.1\r\nX-API-Key: KEY\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\nabc',
    'POST /verify HTTP/1.1\r\nX-API-Key: KEY\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'POST /siteverify HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\nabc',
  ];
  test('is not logged as a failure, because any client could fill the log', async () => {
    const chatty = await startServer({ settings: { POSTERN_LOG: 'debug' } });
    const { verifyKey } = await addTenant(chatty);
    const { hostname, port } = new URL(chatty.url);
    for (const row of rows) {
      chatty.logged.splice(0);
      // After "100 Continue", the server reads the body.
      const reading = Promise.withResolvers<void>();
      const socket = { open() {}, data: () => reading.resolve(), close() {}, error() {} };
      const client = await Bun.connect({ hostname, port: Number(port), socket });
      client.write(row.replace('KEY', verifyKey));
      client.flush();
      await reading.promise;
      client.terminate();
      const ended = () => chatty.logged.filter(({ path }) => path !== '/livez');
      while (ended().length === 0) await send(chatty.url, { path: '/livez' });
      expect(ended()).toMatchObject([{ event: 'request', level: 'debug' }]);
    }
    await chatty.stop();
  });
});

describe('Strict-Transport-Security', () => {
  const row = (baseUrl: string, expected: RegExp | undefined): [string, RegExp | undefined] => [
    baseUrl,
    expected,
  ];
  const rows = [
    row('https://captcha.example.com', /max-age=\d{7,}/),
    row('http://captcha.example.com', undefined),
  ];
  for (const [baseUrl, expected] of rows) {
    test(`is ${expected === undefined ? 'not ' : ''}sent if the base URL is ${baseUrl}`, async () => {
      const https = await startServer({ settings: { POSTERN_BASE_URL: baseUrl } });
      const { property } = await addTenant(https);
      await fetchPuzzle(https.url, property.sitekey);
      const paths = ['/livez', '/nothing', `/puzzle?sitekey=${property.sitekey}`, '/puzzle', '/verify'];
      for (const path of paths) {
        const method = path === '/verify' ? 'POST' : 'GET';
        const asked = { path, method, headers: { Origin: 'https://example.com' } };
        const given = (await send(https.url, asked)).headers.get('strict-transport-security');
        if (expected === undefined) expect([path, given]).toEqual([path, null]);
        else expect(`${path} ${given}`).toMatch(expected);
      }
      await https.stop();
    });
  }
});

test('Strict-Transport-Security covers subdomains only if POSTERN_HSTS_SUBDOMAINS is on', async () => {
  for (const [state, expected] of [
    ['on', 'max-age=31536000; includeSubDomains'],
    ['off', 'max-age=31536000'],
  ] as const) {
    const settings = { POSTERN_BASE_URL: 'https://captcha.example.com', POSTERN_HSTS_SUBDOMAINS: state };
    const https = await startServer({ settings });
    for (const path of ['/livez', '/puzzle', '/portal/login']) {
      const { headers } = await send(https.url, { path });
      expect([path, headers.get('strict-transport-security')]).toEqual([path, expected]);
    }
    await https.stop();
  }
});

describe('raw requests', () => {
  const END = 'Connection: close\r\n\r\n';

  test('work with hosts of any length', async () => {
    // Elysia searched for the path from the twelfth character of the URL, so a server with the host name `web` on port 80
    // returned 404 for every request.
    for (const host of [
      'x',
      'web',
      'cap',
      'a.b',
      'localhost',
      '127.0.0.1',
      '[::1]',
      'captcha.example.com:8443',
    ]) {
      const answer = await sendRaw(server, `GET /livez HTTP/1.1\r\nHost: ${host}\r\n${END}`);
      expect(`${host}: ${answer.split('\r\n')[0]}`).toBe(`${host}: HTTP/1.1 200 OK`);
    }
  });

  test('with a short host get 405, not 404, for another method', async () => {
    const answer = await sendRaw(server, `GET /verify HTTP/1.1\r\nHost: x\r\n${END}`);
    expect(answer).toStartWith('HTTP/1.1 405 ');
  });

  test('with HEAD get the Content-Length of GET', async () => {
    const lengthOf = (answer: string) => /\r\ncontent-length: (\d+)\r\n/i.exec(answer)?.[1];
    for (const path of ['/livez', '/widget/postern.js', '/puzzle?sitekey=no', '/nothing']) {
      const rest = `${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: same\r\n${END}`;
      const [get, head] = [await sendRaw(server, `GET ${rest}`), await sendRaw(server, `HEAD ${rest}`)];
      expect([path, lengthOf(head)]).toEqual([path, lengthOf(get)]);
      expect(head).toEndWith('\r\n\r\n');
    }
  });

  const rows: readonly (readonly [what: string, request: string, first: RegExp])[] = [
    ['invalid HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['no Host header', 'GET /livez HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['HTTP/1.0', `GET /livez HTTP/1.0\r\n\r\n`, /^HTTP\/1\.1 200 /],
    [
      'the absolute form',
      `GET http://other.example/livez HTTP/1.1\r\nHost: localhost\r\n${END}`,
      /^HTTP\/1\.1 200 /,
    ],
    ['dots in the path', `GET /a/../livez HTTP/1.1\r\nHost: localhost\r\n${END}`, /^HTTP\/1\.1 200 /],
    ['bytes beyond ASCII', `GET /\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\n${END}`, /^HTTP\/1\.1 404 /],
    ['TRACE', `TRACE /livez HTTP/1.1\r\nHost: localhost\r\n${END}`, /^HTTP\/1\.1 405 /],
    ['CONNECT', `CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n${END}`, /^HTTP\/1\.1 40[045] /],
    [
      'a URL that is too long',
      `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n${END}`,
      /^HTTP\/1\.1 4(?:14|31) /,
    ],
    [
      'a header that is too long',
      `GET /livez HTTP/1.1\r\nX: ${'a'.repeat(40_000)}\r\n${END}`,
      /^HTTP\/1\.1 431 /,
    ],
    ['a folded header', `GET /livez HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n${END}`, /^HTTP\/1\.1 400 /],
    [
      'two lengths',
      'POST /verify HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      /^HTTP\/1\.1 400 /,
    ],
    [
      'a length and chunks',
      'POST /verify HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
  ];
  for (const [what, request, first] of rows) {
    test(`with ${what} get a response without internal details`, async () => {
      const answer = await sendRaw(server, request);
      expect(answer).toMatch(first);
      expect(answer).not.toMatch(/<html|\bat .*:\d+:\d+|^server:|x-powered-by/im);
    });
  }

  test('in a pipeline get responses in order', async () => {
    const ask = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${path.slice(1)}\r\n`;
    const answer = await sendRaw(server, `${ask('/livez')}\r\n${ask('/nothing')}\r\n${ask('/readyz')}${END}`);
    expect([...answer.matchAll(/X-Request-Id: (\w+)/gi)].map((match) => match[1])).toEqual([
      'livez',
      'nothing',
      'readyz',
    ]);
  });
});

describe('the router', () => {
  const routes = [get('/thing', () => new Response('thing'))];

  test('is loaded once, by the first requests that need it, which wait for it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let loads = 0;
    const { ask } = serverOf(routes, undefined, async () => {
      loads++;
      await promise;
    });
    expect((await ask('/direct')).status).toBe(200);
    expect(loads).toBe(0);
    const responses = [ask('/thing'), ask('/thing'), ask('/other')];
    resolve();
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 404]);
    expect((await ask('/thing')).status).toBe(200);
    expect(loads).toBe(1);
  });

  test('that cannot be loaded leads to 500 and a log entry, and direct routes still respond', async () => {
    const { ask, lines } = serverOf(routes, undefined, () => Promise.reject(new Error('no module')));
    const response = await ask('/thing');
    expect([response.status, response.headers.get('x-request-id')]).toEqual([500, 'id-1']);
    expect(lines).toMatchObject([{ event: 'request-failed', path: '/thing', reason: 'no module' }]);
    expect((await ask('/direct')).status).toBe(200);
  });
});

describe('the log', () => {
  // Requests with the header `Host: %` led to 3.4 MB of log entries per second.
  test('contains at most 30 failures of requests per minute, and the number of the others', async () => {
    const failing = [get('/thing', () => Promise.reject(new Error('a bug')))];
    const { ask, lines, log } = serverOf(failing);
    for (let n = 0; n < 100; n++) expect((await ask('/thing')).status).toBe(500);
    const failed = lines.filter(({ event }) => event === 'request-failed');
    expect([failed.length, lines.length]).toEqual([30, 30]);
    log.flush();
    expect(lines.slice(30)).toMatchObject([
      { level: 'warn', event: 'events-suppressed', kind: 'request-failed', suppressed: 70 },
    ]);
  });
});

function get(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, handle };
}

/** A server with these routes, and the direct route `/direct`. */
function serverOf(
  otherRoutes: readonly Route[],
  failureOf: (path: string) => Response | undefined = () => undefined,
  waitForRouter = async () => {},
) {
  const lines: Record<string, unknown>[] = [];
  const failures: StoreFailure[] = [];
  const deps = {
    requestContext: createRequestContext({
      newId: () => 'id-1',
      peerOf: () => undefined,
      trustedProxies: [],
      clientIpHeader: 'x-forwarded-for',
    }),
    commonHeaders: { 'X-Content-Type-Options': 'nosniff' },
    failureOf,
    log: createLog({
      limits: LOG_LIMITS,
      level: 'info',
      format: 'json',
      clock: () => 0 as Instant,
      write: (line) => lines.push(JSON.parse(line)),
    }),
    onStoreFailure: (failure: StoreFailure) => failures.push(failure),
    draining: { isOn: () => false, closeConnection() {} },
    requestMeter: createRequestMeter(),
  };
  const unknownPages = createUnknownPages({ hasDemo: false, hasSwagger: false });
  const direct = { method: 'GET', path: '/direct', setsHeaders: false, isApi: false } as const;
  const fetch: Fetch = createDispatcher({
    ...deps,
    directRoutes: [{ ...direct, handle: () => new Response('direct') }],
    bodies: createBodies({ clientOf: () => undefined }),
    async loadRouter() {
      await waitForRouter();
      return createRouter({ ...deps, apiRoutes: [], otherRoutes, unknownPages });
    },
  });
  return {
    lines,
    failures,
    log: deps.log,
    ask: async (path: string, method = 'GET') => fetch(new Request(`http://x${path}`, { method })),
  };
}

describe('a storage failure', () => {
  const failing = [
    get('/thing', () => Promise.reject(new StoreFailure('SQLITE_FULL: database or disk is full'))),
  ];

  test('returns 503 with Retry-After, and only the server learns the reason', async () => {
    const { ask, failures, lines } = serverOf(failing);
    const response = await ask('/thing');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.text()).not.toContain('SQLITE');
    expect(failures.map(({ message }) => message)).toEqual(['SQLITE_FULL: database or disk is full']);
    expect(lines).toEqual([]);
  });

  test('has the format of the path', async () => {
    const { ask } = serverOf(failing, (path) => new Response(`${path} is out`, { status: 503 }));
    expect(await (await ask('/thing')).text()).toBe('/thing is out');
  });
});

describe('a route that fails', () => {
  const thrown: readonly (readonly [what: string, error: unknown])[] = [
    ['an error', new Error('SECRET in /etc/postern')],
    ['a subclass', new TypeError('SECRET')],
    ['an error with a status', Object.assign(new Error('SECRET'), { status: 418 })],
    ['an error with a code', Object.assign(new Error('SECRET'), { code: 'ENOSPC' })],
    ['a string', 'SECRET'],
    ['a number', 42],
    ['an object', { message: 'SECRET' }],
    ['null', null],
    ['undefined', undefined],
  ];
  const ways: readonly (readonly [way: string, handle: (error: unknown) => Route['handle']])[] = [
    [
      'throws',
      (error) => () => {
        throw error;
      },
    ],
    ['rejects with', (error) => () => Promise.reject(error)],
  ];
  for (const [way, failWith] of ways) {
    for (const [what, error] of thrown) {
      test(`and ${way} ${what} returns 500 in the envelope and logs the reason once`, async () => {
        const { ask, lines } = serverOf([get('/x', failWith(error))]);
        const response = await ask('/x');
        const body = await response.text();
        expect({ status: response.status, body: JSON.parse(body) }).toMatchObject({
          status: 500,
          body: errorEnvelope(1001),
        });
        expect(body + [...response.headers].join()).not.toContain('SECRET');
        expect(response.headers.get('x-request-id')).toBe('id-1');
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(lines).toMatchObject([{ event: 'request-failed', path: '/x', request_id: 'id-1' }]);
        expect(JSON.stringify(lines)).not.toMatch(/\bat .*:\d+:\d+/);
      });
    }
  }

  test('returns an error in the format of its path', async () => {
    const routes = [get('/own', () => Promise.reject(new Error('SECRET')))];
    const shaped = (path: string) => (path === '/own' ? new Response('mine', { status: 500 }) : undefined);
    const { ask } = serverOf(routes, shaped);
    for (const path of ['/own', '/own/', '/own?a=/b']) expect(await (await ask(path)).text()).toBe('mine');
  });

  test('does not affect other routes', async () => {
    const routes = [
      get('/bad', () => Promise.reject(new Error('no'))),
      get('/good', () => new Response('yes')),
    ];
    const { ask } = serverOf(routes);
    expect((await ask('/bad')).status).toBe(500);
    expect(await (await ask('/good')).text()).toBe('yes');
  });
});

describe('an internal error', () => {
  // The principal of this key makes the verification throw.
  const key = 'k'.repeat(40);
  let restore: () => void;
  let solved: string;
  beforeAll(async () => {
    const { apiKeys, properties } = server.app.services.stores;
    const [{ byKeyHash }, { bySitekey }] = [apiKeys, properties];
    solved = await fetchAndSolve(server.url, tenant.property.sitekey);
    apiKeys.byKeyHash = () => ({ keyId: 0, scope: 'verify' }) as Principal;
    properties.bySitekey = async (sitekey) => bySitekey(sitekey);
    restore = () => {
      Object.assign(apiKeys, { byKeyHash });
      Object.assign(properties, { bySitekey });
    };
  });
  afterAll(() => restore());

  const ask = async (path: string, headers: Record<string, string>, body: string | URLSearchParams) => {
    // Any write invalidates the caches.
    await addKey(server.app.services, tenant.account, 'verify');
    return { path, method: 'POST', headers, body };
  };

  test('is logged with the request id of the response', async () => {
    for (const id of [undefined, 'mine']) {
      const given: Record<string, string> = id === undefined ? {} : { 'X-Request-Id': id };
      const response = await send(server.url, await ask('/verify', { 'X-API-Key': key, ...given }, solved));
      expect(response.status).toBe(500);
      expect(server.logged.at(-1)).toMatchObject({
        event: 'request-failed',
        request_id: response.headers.get('x-request-id'),
      });
    }
  });

  runScenarios(server, [
    {
      title: 'returns 500 with a verdict on /verify',
      ask: () => ask('/verify', { 'X-API-Key': key }, solved),
      status: 500,
      json: { success: false, code: 1, origin: '', timestamp: expect.stringMatching(/Z$/) },
      hasNot: ['meta', 'memberOf', 'undefined'],
      errors: ['request-failed'],
    },
    {
      title: 'returns 200 and error-other on /siteverify',
      ask: () => ask('/siteverify', {}, new URLSearchParams({ secret: key, response: solved })),
      status: 200,
      json: { success: false, 'error-codes': ['error-other'] },
      hasNot: ['meta', 'memberOf', 'undefined'],
      errors: ['request-failed'],
    },
  ]);
});

describe('paths with parameters', () => {
  const routes: readonly Route[] = [
    get('/org/:org_id/properties', () => new Response('list')),
    { method: 'POST', path: '/org/:org_id/properties', handle: () => new Response('made') },
    get('/org/:org_id/property/:property_id', () => new Response('one')),
  ];

  test('return 405 with their methods', async () => {
    const { ask } = serverOf(routes);
    const rows = [
      ['DELETE', '/org/1/properties', 405, 'GET, POST, HEAD'],
      ['PUT', '/org/a%20b/property/2?x=1', 405, 'GET, HEAD'],
      ['PUT', '/org/1/property', 404, null],
      ['PUT', '/org//properties/x/y', 404, null],
    ] as const;
    for (const [method, path, status, allow] of rows) {
      const response = await ask(path, method);
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, status, allow]);
    }
    expect(await (await ask('/org/1/properties', 'POST')).text()).toBe('made');
  });
});
