import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addProperty, BINARY, HIGH_LIMITS, type PropertyAndKey, postern } from '../e2e/support.ts';
import { freePort, type RunningBinary, startBinary } from '../support/binary.ts';
import { solve } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import type { Replacements, RunningProxy, StartProxy } from './proxies.ts';
import { type Relay, startRelay } from './relay.ts';
import { curl, HOST, type ProxyResponse, send, type VisitorRequest } from './visitor.ts';

export type ProxyCase = {
  readonly name: string;
  readonly start: StartProxy;
  /** Replaces the time limit for a response with one second. */
  readonly shortTimeout: Replacements;
  /** Whether requests wait while Postern restarts. */
  readonly bridgesRestarts: boolean;
};

const PUZZLE_BURST = 4;
const MIB = 2 ** 20;
const EMAIL = 'owner@example.com';

/** The behavior that all examples of proxies have in common, with the compiled Postern behind the proxy. */
export function describeProxy({ name, start, shortTimeout, bridgesRestarts }: ProxyCase): void {
  describe(`${name} with the file in deploy/`, () => {
    const folders: string[] = [];
    const proxies: RunningProxy[] = [];
    const newFolder = () => {
      const folder = mkdtempSync(join(tmpdir(), 'postern-proxy-'));
      folders.push(folder);
      return folder;
    };
    const dataDir = newFolder();
    const startHere = async (port: number, replacements?: Replacements): Promise<RunningProxy> => {
      const started = await start(newFolder(), port, replacements);
      proxies.push(started);
      return started;
    };
    let property: PropertyAndKey;
    let server: RunningBinary;
    let relay: Relay;
    let proxy: RunningProxy;

    const settings = {
      POSTERN_DATA_DIR: dataDir,
      POSTERN_BASE_URL: `https://${HOST}`,
      POSTERN_TRUSTED_PROXIES: '127.0.0.1',
      POSTERN_DNS_CHECK: 'off',
      POSTERN_LOG: 'debug',
      POSTERN_LOG_FORMAT: 'json',
    };
    const getPuzzle = (more: VisitorRequest = {}): Promise<ProxyResponse> =>
      send(proxy, `/puzzle?sitekey=${property.sitekey}`, {
        ...more,
        headers: { Origin: 'https://example.com', ...more.headers },
      });

    beforeAll(async () => {
      property = await addProperty(dataDir);
      const limits = {
        ...HIGH_LIMITS,
        POSTERN_PUZZLE_RATE: '0.001',
        POSTERN_PUZZLE_BURST: `${PUZZLE_BURST}`,
      };
      server = await startBinary(BINARY, { ...settings, ...limits });
      relay = await startRelay(Number(new URL(server.url).port));
      proxy = await startHere(relay.port);
    });
    afterAll(async () => {
      for (const each of proxies) await each.stop();
      await relay?.stop();
      await server?.kill();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });

    test.each(['2', '1.1'])('serves https over HTTP/%s with HSTS', async (version) => {
      const options = [`--http${version}`];
      const response = await send(proxy, '/widget/postern.js', { options });
      expect([response.version, response.status]).toEqual([version, 200]);
      expect(response.headers.get('strict-transport-security')).toStartWith('max-age=');
      // Only clients that trust the certificate authority accept the certificate.
      const elsewhere = { ...proxy, authority: '/etc/ssl/certs/ca-certificates.crt' };
      expect((await curl(elsewhere, '/livez', { options })).exitCode).toBe(60);
    });

    test('redirects http to https and keeps the path and the query', async () => {
      const { status, headers } = await send(proxy, '/puzzle?sitekey=a%20b', { scheme: 'http' });
      expect(status).toBe(308);
      expect(headers.get('location')?.replace(`:${proxy.httpsPort}/`, '/')).toBe(
        `https://${HOST}/puzzle?sitekey=a%20b`,
      );
    });

    test('limits the rate of each visitor, regardless of the addresses that the visitor sends', async () => {
      const statuses: number[] = [];
      const forge = (number: number) => ({
        'X-Forwarded-For': `203.0.113.${number}`,
        'X-Real-IP': `203.0.113.${number}`,
        Forwarded: `for=203.0.113.${number}`,
      });
      for (let number = 1; number <= PUZZLE_BURST + 2; number++)
        statuses.push((await getPuzzle({ from: '127.0.1.1', headers: forge(number) })).status);
      expect(statuses).toEqual([...Array(PUZZLE_BURST).fill(200), 429, 429]);
      expect((await getPuzzle({ from: '127.0.1.2', headers: forge(1) })).status).toBe(200);
    });

    test('forwards puzzles and verifications', async () => {
      const { status, text } = await getPuzzle();
      expect(status).toBe(200);
      const headers = { 'X-API-Key': property.verifyKey, 'Content-Type': 'text/plain' };
      const verified = await send(proxy, '/verify', { body: solve(text), headers });
      expect(JSON.parse(verified.text)).toMatchObject({ success: true, code: 0, origin: 'example.com' });
    });

    test('forwards batches of 1 MiB, and the audit log contains the address of the visitor', async () => {
      const { key } = await postern<{ key: string }>(
        dataDir,
        ...['keys', 'create', '--user', EMAIL, '--name', 'API', '--scope', 'portal'],
      );
      const ask = (path: string, body: string) =>
        send(proxy, path, {
          from: '127.0.2.1',
          body,
          headers: {
            'X-API-Key': key,
            'Content-Type': 'application/json',
            'X-Forwarded-For': '203.0.113.9',
          },
        });
      const created = await ask('/org', '{"name":"Through the proxy"}');
      expect(created.status).toBe(200);
      const path = `/org/${JSON.parse(created.text).data.id}/properties`;
      const batch = '[{"name":"Shop","domain":"example.com"}]';
      expect((await ask(path, batch.padEnd(MIB))).status).toBe(200);
      const rejected = await ask(path, batch.padEnd(MIB + 1));
      expect([rejected.status, JSON.parse(rejected.text).meta.code]).toEqual([413, 1001]);
      const entries = await postern<readonly Entry[]>(dataDir, 'audit', 'list');
      const found = entries.filter(
        ({ action, source }) => action === 'organization-created' && source !== 'command',
      );
      expect(found.map(({ address }) => address)).toEqual(['127.0.2.1']);
    });

    // HAProxy 2.6 used the connection of a rejected body for the next request, which then waited until Postern closed it.
    test('responds to the next request after a body that Postern did not read', async () => {
      for (let number = 0; number < 4; number++) {
        const rejected = await send(proxy, '/verify', { body: 'a'.repeat(MIB) });
        expect(rejected.status).toBe(401);
        // Postern closes idle connections after 30 seconds.
        const next = await curl(proxy, '/livez', { options: ['--max-time', '20'] });
        expect([next.exitCode, next.error]).toEqual([0, '']);
      }
    });

    test('replaces the request id with its own, which is in the response and in the log', async () => {
      const ids: string[] = [];
      for (let number = 0; number < 2; number++) {
        const { headers } = await send(proxy, '/livez', { headers: { 'X-Request-Id': 'from-the-visitor' } });
        ids.push(headers.get('x-request-id') ?? '');
      }
      for (const id of ids) {
        expect(id).toMatch(/^[\da-f-]{32,36}$/);
        await waitUntil('the request is in the log', () => server.output().includes(`"request_id":"${id}"`));
      }
      expect(new Set(ids).size).toBe(2);
      expect(server.output()).not.toContain('from-the-visitor');
    });

    test('uses few connections to Postern, even if each visitor sends only one request', async () => {
      const before = relay.accepted();
      const { out } = await curl(proxy, '/livez?[1-100]', {
        options: ['--output', '/dev/null', '--write-out', '%{http_code}\\n'],
      });
      expect(out.trim().split('\n')).toEqual(Array(100).fill('200'));
      for (let number = 0; number < 20; number++) expect((await send(proxy, '/livez')).status).toBe(200);
      // Each thread or process of the proxy has its own connections.
      expect(relay.accepted() - before).toBeLessThanOrEqual(4);
    });

    test('responds with an error if Postern does not respond in time', async () => {
      const impatient = await startHere(relay.port, shortTimeout);
      const body = 'not a solution';
      const headers = { 'X-API-Key': property.verifyKey };
      process.kill(server.pid, 'SIGSTOP');
      try {
        const { status } = await send(impatient, '/verify', { body, headers });
        expect([502, 504]).toContain(status);
      } finally {
        process.kill(server.pid, 'SIGCONT');
        await impatient.stop();
      }
      expect((await send(proxy, '/verify', { body, headers })).status).toBe(400);
    });

    const title = bridgesRestarts
      ? 'holds GET requests while Postern restarts'
      : 'responds with 502 while Postern restarts, and recovers at once';
    test(title, async () => {
      const port = String(await freePort());
      const fixed = { ...settings, ...HIGH_LIMITS, POSTERN_PORT: port };
      const first = await startBinary(BINARY, fixed);
      const direct = await startHere(Number(port));
      const statuses: number[] = [];
      let isRestarting = true;
      const visit = async () => {
        while (isRestarting) statuses.push((await send(direct, '/livez')).status);
      };
      const visiting = [visit(), visit()];
      await waitUntil('visitors send requests', () => statuses.length > 5);
      expect(await first.end('SIGTERM')).toBe(0);
      const visitedBefore = statuses.length;
      const second = await startBinary(BINARY, fixed);
      await waitUntil('visitors send requests', () => statuses.length > visitedBefore + 5);
      isRestarting = false;
      await Promise.all(visiting);
      expect((await send(direct, '/livez')).status).toBe(200);
      expect([...new Set(statuses)].sort()).toEqual(bridgesRestarts ? [200] : [200, 502]);
      await direct.stop();
      await second.kill();
    });
  });
}

type Entry = { readonly action: string; readonly source: string; readonly address: string | null };
