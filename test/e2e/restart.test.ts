import { describe, expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPayloadGenerator } from '../bench/payloads.ts';
import { freePort, type RunningBinary, startBinary } from '../support/binary.ts';
import { createKeepAliveClient, type Exchange } from '../support/keepAlive.ts';
import { openTestServices } from '../support/services.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

const CONNECTIONS = 24;
/** Requests of each kind between two restarts. */
const REQUESTS = 200;

/** What clients saw: responses by their content, and requests without a response. */
type Seen = { readonly [name in 'verified' | 'puzzles' | 'refused' | 'lost']: number } & {
  readonly wrong: readonly unknown[];
};

/**
 * Sends verifications of new solutions and requests for puzzles as fast as possible, on keep-alive connections. A request without a
 * response is repeated until it has one.
 */
async function startLoad(url: string, dataDir: string, verifyKey: string) {
  const services = await openTestServices(dataDir);
  const [property] = await services.stores.properties.list();
  await services.close();
  if (property === undefined) throw new Error('the folder has no property');
  const nextPayload = await createPayloadGenerator(dataDir, property);
  const seen = { verified: 0, puzzles: 0, refused: 0, lost: 0, wrong: [] as unknown[] };
  let [isStopped, isAborted] = [false, false];

  async function insist(send: () => Promise<Exchange>): Promise<Exchange & { kind: 'response' }> {
    while (!isAborted) {
      const exchange = await send();
      if (exchange.kind === 'response') return exchange;
      seen[exchange.kind]++;
      await Bun.sleep(5); // a client that waits before it tries again
    }
    throw new Error('the test failed');
  }

  async function verifySolutions(): Promise<void> {
    const client = createKeepAliveClient(url);
    while (!isStopped) {
      const payload = nextPayload();
      const headers = { 'X-API-Key': verifyKey };
      const { status, body } = await insist(() => client.send('POST /verify', payload, headers));
      // Code 8 would mean that the server accepted an earlier attempt without a response.
      if (status === 200 && body.includes('"success":true,"code":0')) seen.verified++;
      else seen.wrong.push([status, body]);
    }
    client.close();
  }

  async function fetchPuzzles(): Promise<void> {
    const client = createKeepAliveClient(url);
    const line = `GET /puzzle?sitekey=${property?.sitekey}`;
    while (!isStopped) {
      const { status } = await insist(() => client.send(line, '', { Origin: 'https://example.com' }));
      if (status === 200) seen.puzzles++;
      else seen.wrong.push(status);
    }
    client.close();
  }

  const clients = Array.from({ length: CONNECTIONS }, (_, i) =>
    i % 2 === 0 ? verifySolutions() : fetchPuzzles(),
  );
  return {
    seen: seen satisfies Seen,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(clients);
    },
    /** Ends clients that are still waiting after a failed test. */
    async [Symbol.asyncDispose](): Promise<void> {
      [isStopped, isAborted] = [true, true];
      await Promise.allSettled(clients);
    },
  };
}

/** Restarts the server several times while there is load. @returns the last server */
async function restartUnderLoad(
  first: RunningBinary,
  settings: Readonly<Record<string, string>>,
  seen: Seen,
  restarts: number,
): Promise<RunningBinary> {
  let server = first;
  for (let restart = 0; restart <= restarts; restart++) {
    const { verified, puzzles } = seen;
    await waitUntil(
      'there is load',
      () => seen.verified >= verified + REQUESTS && seen.puzzles >= puzzles + REQUESTS,
    );
    if (restart === restarts) break;
    expect(await server.end('SIGTERM')).toBe(0);
    server = await startBinary(BINARY, { ...settings, POSTERN_PORT: new URL(server.url).port });
  }
  return server;
}

describe('a restart under full load', () => {
  testInFolder(
    'loses no verdict: a request without a response was not processed',
    async (dataDir) => {
      const { verifyKey } = await addProperty(dataDir, '--validity-seconds', '3600');
      const settings = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS };
      const server = await startBinary(BINARY, settings);
      await using load = await startLoad(server.url, dataDir, verifyKey);
      const last = await restartUnderLoad(server, settings, load.seen, 4);
      await load.stop();
      expect(load.seen.wrong).toEqual([]);
      // Otherwise, the test proves nothing.
      expect(load.seen.refused).toBeGreaterThan(0);
      expect(last.output()).not.toContain('"level":"error"');
      await last.kill();
    },
    300_000,
  );

  testInFolder(
    'is invisible to the clients of a proxy that retries',
    async (dataDir) => {
      const { verifyKey } = await addProperty(dataDir, '--validity-seconds', '3600');
      const settings = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS };
      const server = await startBinary(BINARY, settings);
      const proxy = await startProxy(dataDir, new URL(server.url).port);
      await using load = await startLoad(proxy.url, dataDir, verifyKey);
      const last = await restartUnderLoad(server, settings, load.seen, 3);
      await load.stop();
      proxy.stop();
      expect(load.seen).toMatchObject({ wrong: [], refused: 0, lost: 0 });
      await last.kill();
    },
    300_000,
  );
});

/** Starts HAProxy with the lines that docs/how-to/operate.md recommends for restarts. */
async function startProxy(folder: string, serverPort: string) {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend captcha
  bind 127.0.0.1:${port}
  option http-buffer-request
  default_backend postern
backend postern
  retries 10
  retry-on conn-failure empty-response
  server postern 127.0.0.1:${serverPort}
`,
  );
  const child = Bun.spawn(['haproxy', '-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  await waitUntil('the proxy forwards requests', () =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { url, stop: () => child.kill() };
}
