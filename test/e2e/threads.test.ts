import { afterAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../architecture/tree.ts';
import { type RunningBinary, spawnServer, startBinary } from '../support/binary.ts';
import { createKeepAliveClient, type KeepAliveClient } from '../support/keepAlive.ts';
import { openTestServices } from '../support/services.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, type PropertyAndKey, postern, testInFolder } from './support.ts';

/** A server with several request threads. The kernel assigns each connection to one of them at random. */

/** So many connections that at least two threads have some of them, except once in 2^23 runs. */
const CONNECTIONS = 24;

function start(dataDir: string, threads: number, settings: Record<string, string> = {}) {
  const common = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS, POSTERN_LOG_FORMAT: 'json' };
  return startBinary(BINARY, { ...common, POSTERN_THREADS: String(threads), ...settings });
}

function connectTo({ url }: RunningBinary): readonly KeepAliveClient[] {
  return Array.from({ length: CONNECTIONS }, () => createKeepAliveClient(url));
}

/** @returns the code of the verdict, or the status if the request was rejected */
async function verifyOn(client: KeepAliveClient, key: string, payload: string): Promise<number | string> {
  const answer = await client.send('POST /verify', payload, { 'X-API-Key': key });
  if (answer.kind !== 'response') return answer.kind;
  return answer.status === 200 ? (JSON.parse(answer.body) as { code: number }).code : `${answer.status}`;
}

/** @returns the status, or how the connection ended */
async function requestPuzzle(client: KeepAliveClient, sitekey: string): Promise<number | string> {
  const answer = await client.send(`GET /puzzle?sitekey=${sitekey}`, '', { Origin: 'https://example.com' });
  return answer.kind === 'response' ? answer.status : answer.kind;
}

/** Solves several puzzles of the property. */
function solveSeveral({ url }: RunningBinary, { sitekey }: PropertyAndKey, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => fetchAndSolve(url, sitekey)));
}

/** @returns the sum of the samples whose line begins with this text */
async function metric({ url }: RunningBinary, start: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(start));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

type LogEntry = { readonly event: string };

/** The log. @throws if a line is not complete */
function readLog({ output }: Pick<RunningBinary, 'output'>): readonly LogEntry[] {
  const lines = output().split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogEntry);
}

describe.each([2, 4])('a server with %d request threads', (threads) => {
  testInFolder('accepts each solution once', async (dataDir) => {
    const property = await addProperty(dataDir);
    const server = await start(dataDir, threads);
    const payloads = await solveSeveral(server, property, 10);
    const clients = connectTo(server);
    for (const payload of payloads) {
      const codes = await Promise.all(clients.map((client) => verifyOn(client, property.verifyKey, payload)));
      expect(codes.toSorted()).toEqual([0, ...Array.from({ length: CONNECTIONS - 1 }, () => 8)]);
    }
    expect(await metric(server, 'postern_verifications_total{code="0"')).toBe(payloads.length);
    expect(await server.end('SIGTERM')).toBe(0);
  });
});

describe('a server with several request threads', () => {
  testInFolder('rejects a key on every connection after another process has revoked it', async (dataDir) => {
    const { verifyKey, ...property } = await addProperty(dataDir);
    const server = await start(dataDir, 2);
    const clients = connectTo(server);
    const send = () => Promise.all(clients.map((client) => verifyOn(client, verifyKey, 'no payload')));
    expect(new Set(await send())).toEqual(new Set(['400']));
    const [key] = await postern<{ id: string; name: string }[]>(
      dataDir,
      'keys',
      'list',
      '--user',
      'owner@example.com',
    );
    await postern(dataDir, 'keys', 'revoke', key?.id ?? '');
    await waitUntil('all threads reject the key', async () => (await send()).every((code) => code === '401'));
    // Other keys and properties are not affected.
    expect(await Promise.all(clients.map((client) => requestPuzzle(client, property.sitekey)))).toEqual(
      clients.map(() => 200),
    );
  });

  testInFolder('limits the rate of a client in total', async (dataDir) => {
    const { sitekey } = await addProperty(dataDir);
    const burst = 30;
    const limits = { POSTERN_PUZZLE_RATE: '0.001', POSTERN_PUZZLE_BURST: String(burst) };
    const server = await start(dataDir, 2, limits);
    const clients = connectTo(server);
    const statuses = [];
    for (let round = 0; round < 3; round++) {
      statuses.push(...(await Promise.all(clients.map((client) => requestPuzzle(client, sitekey)))));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(burst);
    expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - burst);
    expect(await metric(server, 'postern_rate_limit_rejections_total{limit="puzzle"}')).toBe(
      statuses.length - burst,
    );
  });

  testInFolder('limits the log of security events in total', async (dataDir) => {
    const server = await start(dataDir, 2);
    const clients = connectTo(server);
    for (let round = 0; round < 3; round++) {
      await Promise.all(clients.map((client) => verifyOn(client, 'postern_verify_unknown', 'no payload')));
    }
    expect(await metric(server, 'postern_security_events_total{event="api-key-rejected"}')).toBe(
      3 * CONNECTIONS,
    );
    expect(await server.end('SIGTERM')).toBe(0);
    const log = readLog(server);
    expect(log.filter(({ event }) => event === 'api-key-rejected')).toHaveLength(30);
    expect(log.find(({ event }) => event === 'security-events-suppressed')).toMatchObject({
      kind: 'api-key-rejected',
      suppressed: 3 * CONNECTIONS - 30,
    });
  });

  testInFolder('stores the statistics of all responses when SIGTERM stops it under load', async (dataDir) => {
    const { sitekey } = await addProperty(dataDir);
    const server = await start(dataDir, 2);
    let issued = 0;
    const ends = new Set<number | string>();
    const load = connectTo(server).map(async (client) => {
      for (;;) {
        const status = await requestPuzzle(client, sitekey);
        if (status === 200) issued++;
        else return ends.add(status);
      }
    });
    await waitUntil('the server is under load', () => issued > 2000);
    expect(await server.end('SIGTERM')).toBe(0);
    await Promise.all(load);
    // A request without a response was not processed.
    expect(ends.difference(new Set<number | string>(['refused', 'lost']))).toEqual(new Set());
    const services = await openTestServices(dataDir);
    try {
      const hour = Math.floor(Date.now() / 3_600_000);
      const [property] = await services.stores.properties.list();
      const stored = await services.stores.statistics.byHour(
        { property: property?.id as never },
        (hour - 1) as never,
        (hour + 1) as never,
      );
      expect(stored.reduce((sum, { counts }) => sum + (counts[0] ?? 0), 0)).toBe(issued);
    } finally {
      await services.close();
    }
    expect(readLog(server).at(-1)?.event).toBe('server-stopped');
  });

  testInFolder('excludes another server from its port', async (folder) => {
    const server = await start(join(folder, 'first'), 2);
    const second = spawnServer(BINARY, {
      POSTERN_DATA_DIR: join(folder, 'second'),
      POSTERN_PORT: new URL(server.url).port,
      POSTERN_THREADS: '2',
    });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain('cannot listen on port');
    expect(await server.end('SIGTERM')).toBe(0);
  });
});

describe('unfinished uploads', () => {
  testInFolder('above the limit are rejected, and other requests are not', async (dataDir) => {
    const server = await start(dataDir, 2);
    const { hostname, port, host } = new URL(server.url);
    const head = [
      'POST /portal/login HTTP/1.1',
      `Host: ${host}`,
      `Origin: ${server.url}`,
      'Content-Length: 9000',
    ];
    const form = 'Content-Type: application/x-www-form-urlencoded';
    const answered = Promise.withResolvers<string>();
    // Each thread accepts 384.
    const sockets = Array.from({ length: 800 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.on('data', (bytes) => answered.resolve(String(bytes)));
      socket.write(`${[...head, form].join('\r\n')}\r\n\r\na`);
      return socket;
    });
    const answer = await answered.promise;
    expect(answer).toStartWith('HTTP/1.1 503 ');
    expect(answer).toMatch(/^x-request-id: \S+\r$/im);
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    expect(await server.end('SIGTERM')).toBe(0);
  });
});

describe('TLS with several request threads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-threads-tls-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function createCertificate(name: string): Promise<void> {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
    // biome-ignore format: one line is enough
    const made = await run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', `/CN=${name}`);
    if (made.exitCode !== 0) throw new Error(made.output);
  }

  function use(name: string): void {
    cpSync(join(folder, `${name}.key`), join(folder, 'current.key'));
    cpSync(join(folder, `${name}.pem`), join(folder, 'current.pem'));
  }

  test('all threads use a new certificate after SIGHUP', async () => {
    await Promise.all([createCertificate('first'), createCertificate('second')]);
    use('first');
    const server = await start(join(folder, 'data'), 2, {
      POSTERN_TLS_CERT: join(folder, 'current.pem'),
      POSTERN_TLS_KEY: join(folder, 'current.key'),
    });
    const subjects = async () => {
      const connect = () => run('openssl', 's_client', '-connect', new URL(server.url).host);
      const results = await Promise.all(Array.from({ length: 16 }, connect));
      return new Set(results.map(({ output }) => /subject=CN ?= ?(\w+)/.exec(output)?.[1]));
    };
    expect(await subjects()).toEqual(new Set(['first']));
    use('second');
    process.kill(server.pid, 'SIGHUP');
    await waitUntil('the certificate is replaced', () => server.output().includes('certificate-reloaded'));
    expect(await subjects()).toEqual(new Set(['second']));
    expect(await server.end('SIGTERM')).toBe(0);
  }, 120_000);
});
