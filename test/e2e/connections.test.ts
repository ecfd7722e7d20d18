import { describe, expect } from 'bun:test';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { residentMb } from '../support/memory.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, type PropertyAndKey, testInFolder } from './support.ts';

const IDLE = 10_000;
/** The limit of open files that this test needs. */
const FILES = 12_000;
const CLIENT = join(import.meta.dir, '../support/idleConnections.ts');

/** A command with a higher limit of open files. */
const withFiles = (...command: readonly string[]) => [
  'bash',
  '-c',
  `ulimit -n ${FILES} && exec "$@"`,
  'limited',
  ...command,
];

async function expectService({ url }: RunningBinary, { sitekey, verifyKey }: PropertyAndKey): Promise<void> {
  const payload = await fetchAndSolve(url, sitekey);
  expect((await verify(url, verifyKey, payload)).code).toBe(0);
  expect((await verify(url, verifyKey, payload)).code).toBe(8);
}

describe(`${IDLE} connections without a request`, () => {
  testInFolder('do not affect other clients, are closed, and release their memory', async (dataDir) => {
    const property = await addProperty(dataDir);
    const server = await startBinary(withFiles(BINARY), { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
    await expectService(server, property);
    const before = residentMb(server.pid);
    const client = Bun.spawn(withFiles(process.execPath, CLIENT, server.url, String(IDLE)), {
      stdin: 'pipe',
      stdout: 'pipe',
    });
    const { value } = await client.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe(`open ${IDLE}\n`);
    await expectService(server, property);
    expect(residentMb(server.pid) - before).toBeLessThan(100);
    await client.stdin.end();
    await client.exited;
    await expectService(server, property);
    expect(residentMb(server.pid) - before).toBeLessThan(60);
    expect(await server.end('SIGTERM')).toBe(0);
  });
});

/** Sends bytes. @returns everything that the server sends until it closes the connection */
function sendUntilClosed(url: string, first: string, drip = ''): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(first, 'latin1'));
    const timer = setInterval(() => socket.write(drip), 500);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      resolve(received);
    });
  });
}

describe('slow clients', () => {
  testInFolder('that never complete their headers are disconnected', async (dataDir) => {
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
    const rows = [
      ['', ''],
      ['GET /liv', ''],
      ['GET /livez HTTP/1.1\r\nHost: a\r\nX-Slow: ', 'a'],
    ] as const;
    // The server closes each connection; otherwise, the test does not end.
    const received = await Promise.all(rows.map(([first, drip]) => sendUntilClosed(server.url, first, drip)));
    expect(received).toEqual(['', '', '']);
    await server.kill();
  });

  // Each of the first requests for Swagger UI loaded and compressed its 1.4 MB, which took 1.2 GB for 500 clients.
  testInFolder('that never read the response cost little memory', async (dataDir) => {
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
    const { hostname, port } = new URL(server.url);
    const before = residentMb(server.pid);
    const sockets = Array.from({ length: 500 }, () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.pause();
      socket.on('error', () => {});
      socket.write('GET /swagger/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n');
      return socket;
    });
    const whole = await fetch(`${server.url}/swagger/swagger-ui-bundle.js`, {
      headers: { 'Accept-Encoding': 'identity' },
    });
    expect((await whole.bytes()).length).toBeGreaterThan(1_000_000);
    expect(residentMb(server.pid) - before).toBeLessThan(200);
    for (const socket of sockets) socket.destroy();
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    await server.kill();
  });

  testInFolder('that pipeline requests without reading the responses cost little memory', async (dataDir) => {
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
    const { hostname, port } = new URL(server.url);
    const before = residentMb(server.pid);
    const requests = 'GET /widget/postern.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000);
    const sockets = Array.from({ length: 20 }, () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.pause();
      socket.on('error', () => {});
      for (let i = 0; i < 5; i++) socket.write(requests);
      return socket;
    });
    for (let i = 0; i < 20; i++) expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    expect(residentMb(server.pid) - before).toBeLessThan(200);
    for (const socket of sockets) socket.destroy();
    await server.kill();
  });
});

const HOST = 'Host: a\r\n';
const post = (headers: string, body: string) => `POST /verify HTTP/1.1\r\n${HOST}${headers}\r\n\r\n${body}`;
const chunked = (body: string) => post('Transfer-Encoding: chunked', body);
const get = (headers: string) => `GET /livez HTTP/1.1\r\n${headers}\r\n`;

/** Malformed requests, and the status codes before the server closes the connection. Bun's HTTP parser decides. */
const MALFORMED: readonly (readonly [title: string, request: string, statuses: readonly number[]])[] = [
  ['HTTP/0.9', 'GET /livez\r\n', [505]],
  ['HTTP/1.2', `GET /livez HTTP/1.2\r\n${HOST}\r\n`, [505]],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['no Host header', get(''), [400]],
  ['lines that end with LF only', 'GET /livez HTTP/1.1\nHost: a\n\n', [505]],
  ['a NUL byte in the path', `GET /li\0vez HTTP/1.1\r\n${HOST}\r\n`, [505]],
  ['a NUL byte in a header', get(`${HOST}X-A: b\0c\r\n`), [400]],
  ['a space before a colon', get(`${HOST}X-A : b\r\n`), [400]],
  ['a folded header', get(`${HOST}X-A: b\r\n c\r\n`), [400]],
  ['a header without a colon', get(`${HOST}nothing\r\n`), [400]],
  ['a header of 200 kB', get(`${HOST}X-A: ${'a'.repeat(200_000)}\r\n`), [431]],
  ['5,000 headers', get(HOST + Array.from({ length: 5000 }, (_, i) => `X-${i}: a\r\n`).join('')), [431]],
  ['a path of 200 kB', `GET /${'a'.repeat(200_000)} HTTP/1.1\r\n${HOST}\r\n`, [431]],
  ['an unknown method', `G@T /livez HTTP/1.1\r\n${HOST}\r\n`, [400]],
  ['binary data', String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i)).repeat(8), [400]],
  ['a TLS handshake', `\x16\x03\x01\0\xa5\x01\0\0\xa1\x03\x03${'\0'.repeat(160)}`, [400]],
  ['different lengths', post('Content-Length: 1\r\nContent-Length: 5', `x${get(HOST)}`), [400]],
  [
    'a length and chunks',
    post('Content-Length: 4\r\nTransfer-Encoding: chunked', `0\r\n\r\n${get(HOST)}`),
    [400],
  ],
  ['two encodings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', '0\r\n\r\n'), [400]],
  ['an unknown encoding', post('Transfer-Encoding: xchunked', '0\r\n\r\n'), [400]],
  ['chunks that are not last', post('Transfer-Encoding: chunked, identity', '0\r\n\r\n'), [400]],
  ...['-1', '+1', '0x5', 'five', '5, 5', '', '99999999999999999999'].map(
    (length) => [`the length "${length}"`, post(`Content-Length: ${length}`, 'hello'), [400]] as const,
  ),
  ['a chunk size that is not hexadecimal', chunked('zz\r\nhello\r\n0\r\n\r\n'), [400]],
  ['a negative chunk size', chunked('-5\r\nhello\r\n0\r\n\r\n'), [400]],
  ['a chunk of 16 EB', chunked('ffffffffffffffff\r\nhello\r\n0\r\n\r\n'), [400]],
  ['a chunk without its end', chunked('5\r\nhelloXX0\r\n\r\n'), [400]],
  ['a chunk extension of 100 kB', chunked(`5;${'a'.repeat(100_000)}\r\nhello\r\n0\r\n\r\n`), [413]],
  ['a trailer, followed by a request', chunked(`0\r\nX-A: b\r\n\r\n${get(HOST)}`), [401, 400]],
];

describe('a malformed request', () => {
  testInFolder('gets an error and a closed connection, and smuggles no request', async (dataDir) => {
    const property = await addProperty(dataDir);
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
    const before = residentMb(server.pid);
    for (let round = 0; round < 3; round++) {
      for (const [title, request, statuses] of MALFORMED) {
        const answer = await sendUntilClosed(server.url, request);
        const found = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
        expect([title, found]).toEqual([title, [...statuses]]);
      }
    }
    await waitUntil('the server responds', async () => (await fetch(`${server.url}/livez`)).ok);
    await expectService(server, property);
    expect(residentMb(server.pid) - before).toBeLessThan(100);
    expect(server.output()).not.toContain('"level":"error"');
    expect(await server.end('SIGTERM')).toBe(0);
  });
});
