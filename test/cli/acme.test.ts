import { afterEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toAcmeFolder } from '../../src/acme/files.ts';
import { type AcmeServer, acmeFolderIn, DOMAIN, startAcmeServer } from '../support/acmeServer.ts';
import { freePort, killLeftovers } from '../support/binary.ts';
import { startPebble } from '../support/pebble.ts';
import { useFixture } from '../support/useServer.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { CERTIFICATE, EXPIRED_CERTIFICATE, PRIVATE_KEY } from './certificates.ts';
import { createCommandLine, PROGRAM } from './commandLine.ts';

/** A server with automatic HTTPS, in its own process, and a real ACME server. */

const pebble = useFixture(() => startPebble({ rejectedNonces: 15 }), { dispose: ({ stop }) => stop() });
const shortLived = useFixture(() => startPebble({ validitySeconds: 24 }), { dispose: ({ stop }) => stop() });
const folders: string[] = [];
afterEach(async () => {
  await killLeftovers();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postern-acme-'));
  folders.push(folder);
  return folder;
}

/** @returns a data folder with a stored certificate for the domain */
function createFolderWith(certificate: string, directory = pebble.directory): string {
  const dataDir = createFolder();
  const folder = toAcmeFolder(dataDir, directory);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'certificate.pem'), PRIVATE_KEY + certificate);
  return dataDir;
}

const start = (dataDir: string, settings?: Record<string, string>) =>
  startAcmeServer(PROGRAM, pebble, dataDir, settings);

async function startReady(dataDir: string, settings?: Record<string, string>): Promise<AcmeServer> {
  const server = await start(dataDir, settings);
  await server.waitFor('https-started');
  return server;
}

/** The result of the check of the http port by `postern doctor`. */
async function findPortCheck({ httpPort, httpsPort }: AcmeServer): Promise<unknown> {
  const cli = createCommandLine();
  const { out } = await cli.run('doctor --json', {
    settings: {
      POSTERN_PORT: String(httpsPort),
      POSTERN_ACME_DOMAIN: 'captcha.invalid',
      POSTERN_ACME_EMAIL: 'ops@example.com',
      POSTERN_ACME_HTTP_PORT: String(httpPort),
    },
  });
  await cli.remove();
  const { checks } = JSON.parse(out) as { checks: { name: string }[] };
  return checks.find(({ name }) => name === 'acme-port');
}

describe('the first start', () => {
  test('obtains a certificate, serves https, and redirects http', async () => {
    const dataDir = createFolder();
    const token = 't'.repeat(40);
    const server = await start(dataDir, {
      POSTERN_ACME_DOMAIN: `${DOMAIN},www.example.com`,
      POSTERN_METRICS_TOKEN: token,
    });
    const { domains } = await server.waitFor('certificate-obtained');
    expect(domains).toBe(`${DOMAIN},www.example.com`);
    for (const domain of [DOMAIN, 'www.example.com']) {
      expect(await server.https('/livez', domain)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    }
    const { expires } = await server.waitFor('certificate-obtained');
    const metrics = (await server.https('/metrics', DOMAIN, '--header', `Authorization: Bearer ${token}`))
      .body;
    const [, expiry] = /^postern_tls_certificate_expiry_timestamp_seconds (\S+)$/m.exec(metrics) ?? [];
    expect(Number(expiry)).toBe(Date.parse(String(expires)) / 1000);
    // The certificate is valid for no other name.
    expect((await server.https('/livez', 'other.example.com')).failure).toContain('other.example.com');
    const target = `https://${DOMAIN}:${server.httpsPort}`;
    for (const [path, method] of [
      ['/', 'GET'],
      ['/livez', 'GET'],
      ['/puzzle?sitekey=a%2Fb&x=%0d%0aSet-Cookie:', 'GET'],
      ['/verify', 'POST'],
    ] as const) {
      const response = await server.http(path, {
        method,
        ...(method === 'POST' && { body: 'x'.repeat(1e6) }),
      });
      expect([path, response.status, response.headers.get('Location')]).toEqual([path, 308, target + path]);
    }
    const elsewhere = await server.http('/a', { headers: { Host: 'www.example.com' } });
    expect(elsewhere.headers.get('Location')).toBe(`https://www.example.com:${server.httpsPort}/a`);
    const slashes = await server.http('//evil.example/x');
    expect(slashes.headers.get('Location')).toStartWith(`${target}/`);
    const foreign = await server.http('/a', { headers: { Host: 'evil.example' } });
    expect(foreign.headers.get('Location')).toBe(`${target}/a`);
    const challenge = await server.http('/.well-known/acme-challenge/unknown');
    expect([challenge.status, await challenge.text()]).toEqual([404, 'Postern: unknown challenge\n']);
    expect(await findPortCheck(server)).toMatchObject({
      ok: true,
      detail: `port ${server.httpPort} responds, but only on this machine, because POSTERN_HOST is 127.0.0.1`,
    });
    expect(await server.end('SIGTERM')).toBe(0);
    const folder = acmeFolderIn(dataDir);
    expect(readdirSync(folder).sort()).toEqual(['account-key.pem', 'certificate.pem', 'lease-1']);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(server.output()).not.toContain('PRIVATE KEY');
  });

  test('serves only the challenges, /livez, and an explanation until there is a certificate', async () => {
    // Pebble cannot reach this port, so the order fails.
    const server = await start(createFolder(), { POSTERN_ACME_HTTP_PORT: String(await freePort()) });
    const failed = await server.waitFor('certificate-failed');
    expect(failed).toMatchObject({
      level: 'error',
      problem: 'urn:ietf:params:acme:error:connection',
      detail: expect.stringContaining(`${DOMAIN}: `),
      failures: 1,
    });
    expect(Date.parse(String(failed.next_attempt)) - Date.parse(String(failed.time))).toBeGreaterThan(
      290_000,
    );
    const response = await server.http('/');
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '60']);
    expect(await response.text()).toContain('does not have a certificate yet');
    expect((await server.http('/readyz')).status).toBe(503);
    const alive = await server.http('/livez');
    expect([alive.status, await alive.text()]).toEqual([200, '{"status":"ok"}']);
    expect((await server.https('/livez')).failure).toContain('curl');
    expect(await server.end('SIGTERM')).toBe(0);
  });
});

describe('a restart', () => {
  test('uses the stored certificate while the CA is not available', async () => {
    const dataDir = createFolder();
    const first = await startReady(dataDir);
    await first.waitFor('certificate-obtained');
    expect(await first.end('SIGTERM')).toBe(0);
    await pebble.kill();
    try {
      const second = await startReady(dataDir);
      expect((await second.https('/livez')).status).toBe(200);
      expect(await second.waitFor('certificate-loaded')).toMatchObject({ from: 'start' });
      expect(second.events('renewal-failed')).toEqual([]);
      expect(await second.end('SIGTERM')).toBe(0);
    } finally {
      await pebble.restart();
    }
  });

  test('after SIGKILL during an order waits before the next attempt', async () => {
    const dataDir = createFolder();
    const first = await start(dataDir);
    const keyFile = join(toAcmeFolder(dataDir, pebble.directory), 'account-key.pem');
    await waitUntil('the order has started', () => existsSync(keyFile));
    await first.end('SIGKILL');
    expect(first.events('certificate-obtained')).toEqual([]);
    const second = await start(dataDir);
    const { next_attempt } = await second.waitFor('certificate-awaited');
    expect(Date.parse(String(next_attempt)) - Date.now()).toBeGreaterThan(200_000);
    expect((await second.http('/')).status).toBe(503);
    expect(await second.end('SIGTERM')).toBe(0);
    expect(second.events('certificate-obtained')).toEqual([]);
    // Without the state and the lease, the next start makes an attempt, which uses the same account key.
    const folder = acmeFolderIn(dataDir);
    const key = readFileSync(keyFile, 'utf8');
    for (const name of readdirSync(folder)) if (name !== 'account-key.pem') rmSync(join(folder, name));
    const third = await startReady(dataDir);
    expect((await third.https('/livez')).status).toBe(200);
    expect(readFileSync(keyFile, 'utf8')).toBe(key);
  });

  test('replaces damaged files, and keeps copies of them', async () => {
    const dataDir = createFolderWith('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const folder = acmeFolderIn(dataDir);
    writeFileSync(join(folder, 'account-key.pem'), 'not a key');
    const server = await startReady(dataDir);
    await server.waitFor('certificate-obtained');
    expect((await server.https('/livez')).status).toBe(200);
    const damaged = server.events('acme-file-damaged').map(({ file, renamed_to }) => [file, renamed_to]);
    expect(damaged).toEqual([
      ['certificate.pem', 'certificate.pem.damaged'],
      ['account-key.pem', 'account-key.pem.damaged'],
    ]);
    expect(readFileSync(join(folder, 'account-key.pem.damaged'), 'utf8')).toBe('not a key');
    expect(server.output()).not.toContain('PRIVATE KEY');
  });

  test('with a damaged state waits as it does after a failure', async () => {
    const dataDir = createFolder();
    const folder = toAcmeFolder(dataDir, pebble.directory);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'state.json'), '{"failures": 1e99');
    const server = await start(dataDir);
    await server.waitFor('certificate-awaited');
    expect(server.events('acme-file-damaged')).toMatchObject([{ file: 'state.json' }]);
    expect((await server.http('/')).status).toBe(503);
  });

  test('with another domain obtains a certificate for it', async () => {
    const dataDir = createFolderWith(CERTIFICATE);
    const domains = `${DOMAIN},new.example.com`;
    const server = await startReady(dataDir, { POSTERN_ACME_DOMAIN: domains });
    expect(await server.waitFor('certificate-loaded')).toMatchObject({ from: 'start' });
    await server.waitFor('certificate-obtained');
    expect((await server.https('/livez', 'new.example.com')).status).toBe(200);
  });
});

describe('renewal', () => {
  test('replaces the certificate and completes the requests of established connections', async () => {
    const server = await startAcmeServer(PROGRAM, shortLived, createFolder());
    await server.waitFor('https-started');
    const { renewal } = await server.waitFor('certificate-obtained');
    await Bun.sleep(Math.max(0, Date.parse(String(renewal)) - Date.now() - 1000));
    const results: string[] = [];
    while (server.events('certificate-renewed').length === 0) {
      const { status, failure } = await server.https('/livez');
      results.push(`${status} ${failure}`);
    }
    results.push(`${(await server.https('/livez')).status} `);
    const failures = results.filter((result) => result !== '200 ');
    // The system resets a connection that waits for the old listener when the new one replaces it.
    expect(failures.filter((failure) => !failure.includes('reset by peer'))).toEqual([]);
    expect(failures.length).toBeLessThanOrEqual(1);
    expect(results.at(-1)).toBe('200 ');
    expect(server.events('renewal-failed')).toEqual([]);
    expect(await server.end('SIGTERM')).toBe(0);
  });

  test('of an expired certificate starts immediately, and https works in the meantime', async () => {
    const dataDir = createFolderWith(EXPIRED_CERTIFICATE);
    await pebble.kill();
    const server = await startReady(dataDir);
    try {
      const failed = await server.waitFor('certificate-failed');
      expect(failed).toMatchObject({ level: 'error', problem: 'connection', failures: 1 });
      // The client rejects the expired certificate, so the server uses it.
      expect((await server.https('/livez')).failure).toContain('certificate');
      expect((await server.http('/')).status).toBe(308);
    } finally {
      await pebble.restart();
    }
    expect(await server.end('SIGTERM')).toBe(0);
    rmSync(join(acmeFolderIn(dataDir), 'state.json'));
    const next = await startReady(dataDir);
    await next.waitFor('certificate-renewed');
    expect((await next.https('/livez')).status).toBe(200);
  });
});

test('SIGTERM ends an order that waits for the CA', async () => {
  const asked = Promise.withResolvers<void>();
  const silent = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      asked.resolve();
      return new Promise<Response>(() => {});
    },
  });
  const server = await start(createFolder(), {
    POSTERN_ACME_DIRECTORY: `http://127.0.0.1:${silent.port}/dir`,
  });
  await Promise.race([asked.promise, server.exited]);
  expect(await server.end('SIGTERM')).toBe(0);
  for (const name of ['drain-timed-out', 'certificate-failed']) expect(server.events(name)).toEqual([]);
  expect(server.events('server-stopped')).toHaveLength(1);
  await silent.stop(true);
});

test('SIGHUP applies the stored certificate', async () => {
  const dataDir = createFolder();
  const server = await startReady(dataDir);
  await server.waitFor('certificate-obtained');
  writeFileSync(join(acmeFolderIn(dataDir), 'certificate.pem'), PRIVATE_KEY + CERTIFICATE);
  process.kill(server.pid, 'SIGHUP');
  await server.waitFor('certificate-reloaded');
  // The new listener starts after the event.
  await waitUntil('the new listener responds', async () => {
    const { failure } = await server.https('/livez');
    return failure?.includes('self-signed certificate') ?? false;
  });
});

describe('the server does not start, and requests no certificate,', () => {
  /** Runs the server without capabilities, which tests as root otherwise have. */
  const restricted = (...names: readonly string[]) =>
    process.getuid?.() === 0
      ? ['setpriv', `--bounding-set=${names.map((name) => `-${name}`).join()}`, '--inh-caps=-all', ...PROGRAM]
      : PROGRAM;

  async function expectFailure(server: AcmeServer, code: number, ...texts: readonly string[]): Promise<void> {
    // Compares the output, too: it names the signal if another process ended the server.
    const ended = { code: await server.exited, output: server.output() };
    expect(ended).toEqual({ code, output: expect.stringContaining(texts[0] ?? '') });
    for (const text of texts) expect(ended.output).toContain(text);
    for (const name of ['certificate-awaited', 'certificate-failed']) expect(server.events(name)).toEqual([]);
  }

  test.each([
    ['POSTERN_ACME_HTTP_PORT', '80'],
    ['POSTERN_PORT', '443'],
  ])('without the permission to use %s %s', async (variable, port) => {
    const program = restricted('net_bind_service');
    const server = await startAcmeServer(program, pebble, createFolder(), { [variable]: port });
    await expectFailure(server, 1, `cannot listen on port ${port} (${variable})`, 'CAP_NET_BIND_SERVICE');
  });

  test.each(['POSTERN_ACME_HTTP_PORT', 'POSTERN_PORT'])('with a %s that is in use', async (variable) => {
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
    const port = String(other.port);
    const server = await start(createFolder(), { [variable]: port });
    await expectFailure(server, 1, `cannot listen on port ${port} (${variable}): `, 'in use');
    await other.stop(true);
  });

  test('with an ACME folder that it cannot write', async () => {
    const dataDir = createFolder();
    const folder = toAcmeFolder(dataDir, pebble.directory);
    mkdirSync(folder, { recursive: true, mode: 0o500 });
    const server = await startAcmeServer(restricted('dac_override', 'dac_read_search'), pebble, dataDir);
    await expectFailure(server, 1, `the data folder ${dataDir} cannot be used: `, 'permission denied');
  });

  test('with a CA file that contains no certificate', async () => {
    const file = join(createFolder(), 'ca.pem');
    writeFileSync(file, 'not a certificate');
    const server = await start(createFolder(), { POSTERN_ACME_CA: file });
    await expectFailure(server, 2, 'POSTERN_ACME_CA cannot be used: ');
  });
});
