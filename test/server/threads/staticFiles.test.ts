import { describe, expect, test } from 'bun:test';
import { hashedPath } from '../../../src/http/assets.ts';
import { WIDGET_FILES } from '../../../src/server/embeddedFiles.ts';
import { createStaticFiles } from '../../../src/server/threads/staticFiles.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { useFixture } from '../../support/useServer.ts';
import { exchange, type RawAnswer, requestOf } from './forwarding/rawClient.ts';

/** The same requests to a server with one thread and to a server with two request threads. */

const ID = 'X-Request-Id: test';

const pair = useFixture(startPair, { dispose: (both) => both.stop() });

async function startPair() {
  const settings = { POSTERN_LOG: 'debug' };
  const one = await startServer({ settings: { ...settings, POSTERN_THREADS: '1' } });
  const two = await startServer({ settings: { ...settings, POSTERN_THREADS: '2' } });
  return {
    one,
    two,
    ports: [one, two].map(({ url }) => Number(new URL(url).port)),
    stop: () => Promise.all([one.stop(), two.stop()]).then(() => {}),
  };
}

/** @returns the equal responses of both servers. The server with two threads gets the request several times. */
async function send(request: string): Promise<RawAnswer> {
  const [one = 0, two = 0] = pair.ports;
  const expected = await exchange(one, request);
  for (let i = 0; i < REPEATED; i++) expect(await exchange(two, request)).toEqual(expected);
  return expected;
}

/** Both threads get some of the connections for each file, for which the tests send seven requests. */
const REPEATED = 3;

const PATHS = createStaticFiles({ config: { swagger: 'public' } as never, demo: undefined }).files.map(
  ({ path }) => path,
);

const WIDGET_PATHS = new Set(WIDGET_FILES.flatMap((asset) => [asset.path, hashedPath(asset)]));

const headerOf = ({ headers }: RawAnswer, name: string) =>
  headers.find((header) => header.startsWith(`${name}: `))?.slice(name.length + 2);

describe('with several request threads, an embedded file has the same response as with one thread', () => {
  test.each(PATHS)('%s', async (path) => {
    const plain = await send(requestOf(`GET ${path}`, [ID]));
    expect(plain.status).toBe(200);
    const zipped = await send(requestOf(`GET ${path}?query=1`, [ID, 'Accept-Encoding: br, gzip']));
    expect(headerOf(zipped, 'content-encoding')).toBe(WIDGET_PATHS.has(path) ? 'br' : 'gzip');
    await send(requestOf(`HEAD ${path}`, [ID]));
    await send(requestOf(`HEAD ${path}`, [ID, 'Accept-Encoding: gzip']));
    const etag = headerOf(plain, 'etag');
    expect((await send(requestOf(`GET ${path}`, [ID, `If-None-Match: ${etag}`]))).status).toBe(304);
    expect((await send(requestOf(`HEAD ${path}`, [ID, 'If-None-Match: *']))).status).toBe(304);
    expect((await send(requestOf(`GET ${path}`, [ID, 'If-None-Match: "other"']))).status).toBe(200);
  });
});

test('other paths, metrics, logs, and draining are the same as with one thread', async () => {
  const { one, two, ports } = await startPair();
  const path = '/widget/postern.js';
  const lines = [
    `GET ${path}`,
    `GET ${path}`,
    `HEAD ${path}`,
    'GET /widget/postern.0123456789abcdef.js',
    `GET ${path}/`,
    `GET ${path}%3f`,
    `POST ${path}`,
    'GET /turnstile/v0/api.js',
  ];
  for (const line of lines) {
    for (const port of ports) await exchange(port, requestOf(line, [ID]));
  }
  const body = requestOf(`GET ${path}`, [ID, 'Content-Length: 4'], 'body');
  expect(await exchange(ports[1] ?? 0, body)).toEqual(await exchange(ports[0] ?? 0, body));
  expect(await readRequestCounts(two)).toEqual(await readRequestCounts(one));
  expect(readRequestLog(two)).toEqual(readRequestLog(one));
  for (const { app } of [one, two]) void app.drain();
  const drained = await Promise.all(
    ports.map((port) => exchange(port, `GET ${path} HTTP/1.1\r\nHost: a\r\n${ID}\r\n\r\n`)),
  );
  expect(drained[1]).toEqual(drained[0] as RawAnswer);
  expect(drained[1]?.headers).toContain('connection: close');
  await Promise.all([one.stop(), two.stop()]);
});

/** The counts of requests for files, by method, route, and status. */
async function readRequestCounts({ url }: TestServer): Promise<readonly string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => /^postern_http_requests?_\w*(total|count)\{/.test(line));
  expect(lines.length).toBeGreaterThan(5);
  return lines.toSorted();
}

function readRequestLog({ logged }: TestServer): readonly unknown[] {
  const requests = logged.filter(({ event, path }) => event === 'request' && path !== '/metrics');
  expect(requests.length).toBeGreaterThan(5);
  return requests.map((entry) => ({ ...entry, time: 0, elapsed_ms: 0 }));
}
