import { describe, expect, test } from 'bun:test';
import { startForwardedServer } from '../../../support/forwardedServer.ts';
import { useFixture } from '../../../support/useServer.ts';
import { exchange, inChunks, requestOf } from './rawClient.ts';

/** The same requests to a server that forwards them to another thread, and to one that does not. */

const PART = 32 * 1024;

const pair = useFixture(startPair, { dispose: (both) => both.stop() });

async function startPair() {
  const direct: Bun.Server<undefined> = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request) => respond(request, direct.requestIP(request)?.address),
  });
  const forwarded = await startForwardedServer({
    hostname: '127.0.0.1',
    handle: (request) => respond(request, forwarded.addressOf(request)),
  });
  return {
    direct: direct.port ?? 0,
    forwarded: forwarded.port,
    async stop() {
      await Promise.all([direct.stop(true), forwarded.stop()]);
    },
  };
}

const TEXT = { headers: { 'Content-Type': 'text/plain' } };

/** Responses by path. Other paths describe the request. */
const RESPONSES: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  '/text': () => new Response('text', TEXT),
  '/untyped': () => new Response('text'),
  '/json': () => Response.json({ a: 1 }, { status: 201 }),
  '/empty': () => new Response(''),
  '/none': () => new Response(null),
  '/no-content': () => new Response(null, { status: 204 }),
  '/not-modified': () => new Response(null, { status: 304, headers: { ETag: '"a"' } }),
  '/length': () => new Response(null, { headers: { 'Content-Length': '77' } }),
  '/status': () => new Response('odd', { ...TEXT, status: 599 }),
  '/redirect': () => new Response(null, { status: 303, headers: { Location: '/é?a=%20' } }),
  '/headers': () => {
    const headers = new Headers({ ...TEXT.headers, 'X-Latin': 'é\xff', 'X-Empty': '', Connection: 'close' });
    for (const value of ['a=1; Path=/', 'b=2; HttpOnly']) headers.append('Set-Cookie', value);
    for (const value of ['1', '2']) headers.append('X-Several', value);
    return new Response('x', { headers });
  },
  '/long-header': () => new Response('x', { headers: { ...TEXT.headers, 'X-Long': 'a'.repeat(60_000) } }),
  '/large': () => new Response('é'.repeat(1_000_000), TEXT),
  '/very-large': () => streamOf([new Uint8Array(5_000_000).fill(65)]),
  '/file': () => {
    const file = Bun.file(import.meta.path);
    return new Response(file, { headers: { 'Content-Length': String(file.size) } });
  },
  '/stream': () =>
    streamOf(Array.from({ length: 40 }, (_, index) => new Uint8Array(index * 999).fill(index))),
  '/stream-of-slices': () => {
    const bytes = new Uint8Array(100_000).map((_, index) => index);
    return streamOf([bytes.subarray(5, 50_000), Buffer.from(bytes.buffer, 70_000), new Uint8Array(), bytes]);
  },
  '/stream-from-memory': () => {
    let reads = 0;
    const pull = async (stream: ReadableStreamDefaultController<Uint8Array>) => {
      // A query of SQLite takes a few microtasks.
      for (let count = 0; count < 5; count++) await undefined;
      stream.enqueue(new Uint8Array(100).fill(++reads));
      if (reads === 3) stream.close();
    };
    return new Response(new ReadableStream({ pull }));
  },
  '/stream-empty': () => streamOf([]),
  '/stream-at-once': () => new Response(new Blob(['a', 'b'.repeat(PART)]).stream(), TEXT),
};

/** Responses that are aborted, by path. How much the client receives depends on the network. */
const BROKEN: typeof RESPONSES = {
  '/broken': () => streamOf([new Uint8Array(10)], new Error('broken')),
  '/broken-late': () => streamOf([new Uint8Array(200_000)], new Error('broken')),
  '/broken-early': () => streamOf([], new Error('broken')),
};

/** A stream whose chunks arrive in later turns of the event loop. */
function streamOf(chunks: readonly Uint8Array[], error?: Error): Response {
  const rest = [...chunks];
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise(setImmediate);
      const chunk = rest.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (error !== undefined) controller.error(error);
      else controller.close();
    },
  });
  return new Response(stream);
}

async function respond(request: Request, address: string | undefined): Promise<Response> {
  const path = /^\w+:\/\/[^/]*(\/[^?]*)/.exec(request.url)?.[1] ?? '';
  const make = RESPONSES[path] ?? BROKEN[path];
  if (make !== undefined) return make(request);
  const { method, url, bodyUsed } = request;
  const hasBody = request.body !== null;
  const body = path === '/unread' ? undefined : await readBody(request, path);
  const headers = [...request.headers];
  return Response.json({ method, url, headers, hasBody, bodyUsed, address, body });
}

async function readBody(request: Request, path: string): Promise<string> {
  const bytes = path === '/stream-body' ? await collect(request) : await request.bytes();
  return `${bytes.length} ${Bun.hash(bytes)}`;
}

async function collect(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request.body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function expectSame(...parts: readonly string[]): Promise<void> {
  const direct = await exchange(pair.direct, ...parts);
  const forwarded = await exchange(pair.forwarded, ...parts);
  expect(forwarded).toEqual(direct);
}

describe('the response is the same with and without forwarding:', () => {
  const paths = Object.keys(RESPONSES);
  const lines = paths.flatMap((path) => ['GET', 'HEAD', 'POST'].map((method) => `${method} ${path}`));
  // Bun sends no type for HEAD if the application has not set one; the forwarder does.
  test.each(lines.filter((line) => line !== 'HEAD /untyped'))('%s', async (line) => {
    await expectSame(requestOf(line));
  });

  test.each(Object.keys(BROKEN))('GET %s', async (path) => {
    for (const port of [pair.direct, pair.forwarded]) {
      expect(await exchange(port, requestOf(`GET ${path}`))).toMatchObject({ isBroken: true });
    }
  });
});

describe('the application receives the same request with and without forwarding:', () => {
  const METHODS =
    'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND M-SEARCH QUERY PURGE get FOO';
  const TARGETS = [
    '/a/../b?x=1&y=%zz#f',
    '//other/x',
    'http://other:99/abs?q',
    'https://other/abs',
    '/%zz/\xe9"<>^|',
    '/a\\b',
    '*',
    `/${'a'.repeat(10_000)}`,
  ];
  const HOSTS = ['', '[', '%', 'a b', 'x:99999', 'u:p@x', 'UPPER', '::1', 'x, y', 'xn--e1afmkfd.example'];
  const HEADERS: readonly (readonly string[])[] = [
    ['X-A: 1', 'x-a: 2', 'Cookie: a=1', 'Cookie: b=2', 'Set-Cookie: c=1', 'Set-Cookie: d=2'],
    ['X-Latin: \xe9\xff', 'X-Empty:', 'X-Spaces:   a  b  \t', '__proto__: p', 'constructor: c'],
    ["!#$%&'*+-.^_`|~: odd", 'X-Comma: a, b', 'X-Comma: c', 'X-Newline: a\\nb'],
    ['Upgrade: websocket', 'Sec-WebSocket-Key: eA==', 'Sec-WebSocket-Version: 13', 'TE: trailers'],
    ['X-Forwarded-For: 192.0.2.1', 'Forwarded: for=192.0.2.1', 'address: 192.0.2.1', 'X-Real-IP: 192.0.2.1'],
    [`X-Long: ${'a'.repeat(12_000)}`],
    Array.from({ length: 150 }, (_, index) => `X-${index}: ${index}`),
    ['Content-Type: a/b', 'Content-Type: c/d', 'Authorization: a', 'Authorization: b', 'Accept: *'],
  ];
  const requests = [
    ...METHODS.split(' ').map((method) => requestOf(`${method} /path`)),
    ...TARGETS.map((target) => requestOf(`GET ${target}`)),
    ...HOSTS.map((host) => requestOf('GET /path', [`Host: ${host}`])),
    ...HEADERS.map((headers) => requestOf('GET /path', headers)),
    'GET /path HTTP/1.0\r\n\r\n',
    requestOf('GET /path', ['Host: a', 'Host: b']),
    requestOf('CONNECT example.com:443'),
  ];
  test.each(requests.map((request) => [request.slice(0, 80), request]))('%j', async (_, request) => {
    await expectSame(request);
  });
});

describe('a request body is the same with and without forwarding:', () => {
  const SIZES = [0, 1, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 1, 16_384, 128_000, 3_000_000];
  const PATHS = ['/body', '/stream-body', '/unread'];
  const all = PATHS.flatMap((path) => SIZES.map((size) => [path, size] as const));
  // The connection is closed while the client sends the rest of a large unread body.
  const cases = all.filter(([path, size]) => path !== '/unread' || size < 10_000);
  const bodyOf = (size: number) =>
    Array.from({ length: size }, (_, at) => String.fromCharCode(at % 251)).join('');

  test.each(cases)('%s with Content-Length, %d bytes', async (path, size) => {
    const body = bodyOf(size);
    await expectSame(requestOf(`POST ${path}`, [`Content-Length: ${size}`], body));
    await expectSame(requestOf(`POST ${path}`, [`Content-Length: ${size}`]), body);
    await expectSame(requestOf(`PUT ${path}`, [`Content-Length: ${size}`, 'Expect: 100-continue']), body);
  });

  test.each(cases)('%s with chunks, %d bytes', async (path, size) => {
    const body = bodyOf(size);
    const head = requestOf(`POST ${path}`, ['Transfer-Encoding: chunked']);
    for (const chunk of [1000, PART - 1, PART + 1, 200_000]) await expectSame(head + inChunks(body, chunk));
    const [first = '', second = ''] = [body.slice(0, size / 2), body.slice(size / 2)];
    await expectSame(head, inChunks(first, 999).replace('0\r\n\r\n', ''), inChunks(second, 1001));
  });

  test.each(['GET', 'HEAD'])('of %s, which Bun ignores', async (method) => {
    await expectSame(requestOf(`${method} /body`, ['Content-Length: 3'], 'abc'));
    await expectSame(requestOf(`${method} /body`, ['Transfer-Encoding: chunked'], inChunks('abc', 2)));
  });
});
