import { afterEach, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renewalTime } from '../../src/acme/certificate.ts';
import { DAY, HOUR, type Instant, later, MINUTE, SECOND } from '../../src/lib/time.ts';
import { startPebble } from '../support/pebble.ts';
import { useFixture } from '../support/useServer.ts';
import { startTestRenewer, type TestRenewer, type TestRenewerOptions } from './harness.ts';

/** The renewer with a clock that the tests advance, a real ACME server, and a scripted one. */

const pebble = useFixture(() => startPebble(), { dispose: ({ stop }) => stop() });
const front = useFixture(startFront, { dispose: ({ stop }) => stop() });
const started: TestRenewer[] = [];
afterEach(async () => {
  await Promise.all(started.map(({ stop }) => stop()));
  for (const { folder } of started.splice(0)) rmSync(join(folder, '..'), { recursive: true, force: true });
});

/** An ACME server on http whose responses the test determines. */
async function startFront() {
  const requests: string[] = [];
  const script = { answer: (_path: string): Response => new Response() };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      requests.push(pathname);
      return script.answer(pathname);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return { url, directory: `${url}/dir`, requests, script, stop: () => server.stop(true) };
}

function start(options: Partial<TestRenewerOptions> = {}): TestRenewer {
  const renewer = startTestRenewer({
    directory: pebble.directory,
    ca: pebble.ca,
    httpPort: pebble.httpPort,
    ...options,
  });
  started.push(renewer);
  return renewer;
}

const startAtFront = (options: Partial<TestRenewerOptions> = {}) =>
  start({ directory: front.directory, httpPort: 0, ...options });

/** The pause after the last failure, in milliseconds. */
function pauseOf({ events }: TestRenewer): number {
  const last = events('certificate-failed').at(-1);
  return Date.parse(String(last?.next_attempt)) - Date.parse(String(last?.time));
}

function problem(type: string, status: number, headers: Record<string, string> = {}): Response {
  const body = { type: `urn:ietf:params:acme:error:${type}`, detail: 'Too many\nrequests' };
  return Response.json(body, { status, headers: { ...headers, 'Replay-Nonce': 'n' } });
}

/** Accepts every account, and answers orders with the response. */
function answerOrders(respond: () => Response): void {
  const { url } = front;
  front.script.answer = (path) => {
    if (path === '/dir') {
      return Response.json({
        newNonce: `${url}/nonce`,
        newAccount: `${url}/account`,
        newOrder: `${url}/order`,
      });
    }
    if (path === '/order') return respond();
    const headers = { 'Replay-Nonce': 'n', Location: `${url}/account/1` };
    return Response.json({ status: 'valid' }, { status: path === '/account' ? 201 : 200, headers });
  };
}

describe('after a failed validation', () => {
  test('the next attempt starts only after the pause, even after a restart', async () => {
    const first = start({ httpPort: 0 });
    await first.settle();
    expect(first.events('certificate-failed')).toMatchObject([
      { problem: 'urn:ietf:params:acme:error:connection', failures: 1 },
    ]);
    expect(pauseOf(first)).toBe(1.125 * 5 * MINUTE);
    await first.stop();
    const second = start({ folder: first.folder, startAt: first.now() });
    await second.advance(5 * MINUTE);
    expect(second.events('certificate-failed')).toEqual([]);
    expect(second.certificates).toEqual([]);
    await second.advance(MINUTE);
    expect(second.events('certificate-obtained')).toHaveLength(1);
    expect(second.certificates).toHaveLength(1);
    expect(readdirSync(first.folder)).not.toContain('state.json');
  });

  test('the server makes at most four attempts per hour, and the pause grows to six hours', async () => {
    answerOrders(() => problem('unauthorized', 403));
    const attempts: number[] = [];
    const renewer = startAtFront({ random: Math.random });
    while (renewer.events('certificate-failed').length < 12) {
      await renewer.advance(MINUTE);
      const { length } = front.requests.filter((path) => path === '/order');
      while (attempts.length < length) attempts.push(renewer.now());
    }
    for (const at of attempts) {
      expect(attempts.filter((other) => other >= at && other < at + HOUR).length).toBeLessThanOrEqual(4);
    }
    expect(pauseOf(renewer)).toBeGreaterThanOrEqual(6 * HOUR);
    expect(pauseOf(renewer)).toBeLessThanOrEqual(7.5 * HOUR);
  });
});

describe('a rate limit', () => {
  test.each([
    ['with Retry-After in seconds', () => ({ 'Retry-After': '7200' }), 2 * HOUR],
    [
      'with Retry-After as a date',
      () => ({ 'Retry-After': new Date(Date.now() + 3 * HOUR).toUTCString() }),
      2.9 * HOUR,
    ],
    ['with an invalid Retry-After', () => ({ 'Retry-After': 'soon' }), HOUR],
    ['without Retry-After', () => ({}), HOUR],
    ['with a Retry-After of a year, which counts as a week', () => ({ 'Retry-After': '31536000' }), 7 * DAY],
  ])('%s delays the next attempt', async (_, headers, least) => {
    answerOrders(() => problem('rateLimited', 429, headers()));
    const renewer = startAtFront();
    await renewer.settle();
    expect(renewer.events('certificate-failed')).toMatchObject([
      { problem: 'urn:ietf:params:acme:error:rateLimited', detail: 'Too many requests', failures: 1 },
    ]);
    expect(pauseOf(renewer)).toBeGreaterThanOrEqual(least);
    expect(pauseOf(renewer)).toBeLessThanOrEqual(1.25 * least + 0.2 * HOUR);
    const { length } = front.requests;
    await renewer.advance(Math.min(least, DAY));
    expect(front.requests).toHaveLength(length);
  });

  test('ends with a certificate', async () => {
    const response = await fetch(pebble.directory, { tls: { ca: pebble.ca } });
    const directory = (await response.json()) as Record<string, unknown>;
    let isLimited = true;
    front.script.answer = (path) => {
      if (path === '/order') return problem('rateLimited', 429, { 'Retry-After': '3600' });
      return Response.json(isLimited ? { ...directory, newOrder: `${front.url}/order` } : directory);
    };
    const renewer = startAtFront({ httpPort: pebble.httpPort });
    await renewer.settle();
    expect(renewer.events('certificate-failed')).toHaveLength(1);
    isLimited = false;
    await renewer.advance(1.5 * HOUR);
    expect(renewer.events('certificate-obtained')).toHaveLength(1);
  });
});

test.each([
  ['an HTML page', () => new Response('<html>'), 'invalid-response', 'in ACME directory'],
  ['a redirect', () => Response.redirect('https://example.com/', 301), 'http-301', 'status 301'],
  ['an internal error', () => new Response('no', { status: 503 }), 'http-503', 'status 503'],
  ['a long response', () => new Response('x'.repeat(2 ** 21)), 'connection', 'longer than 1048576 bytes'],
])('%s instead of a directory is a failure', async (_, respond, type, detail) => {
  front.script.answer = respond;
  const renewer = startAtFront();
  await renewer.settle();
  expect(renewer.events('certificate-failed')).toMatchObject([
    { problem: type, detail: expect.stringContaining(detail), failures: 1 },
  ]);
});

test('a certificate is renewed when one third of its lifetime remains', async () => {
  const renewer = start();
  await renewer.settle();
  const [first] = renewer.certificates;
  if (first === undefined) throw new Error('no certificate');
  const lifetime = first.notAfter - first.notBefore;
  expect(lifetime).toBeGreaterThan(89 * DAY);
  expect(renewalTime(first)).toBeGreaterThanOrEqual(first.notAfter - lifetime / 3);
  expect(renewalTime(first)).toBeLessThan(first.notAfter - (lifetime * 3) / 10);
  await renewer.advance(renewalTime(first) - renewer.now() - MINUTE);
  expect(renewer.events('renewal-failed')).toEqual([]);
  await renewer.advance(2 * MINUTE);
  // Pebble's clock did not advance, so its next certificate may have to be renewed immediately, which is a failure.
  const attempts = [...renewer.events('certificate-renewed'), ...renewer.events('renewal-failed')];
  expect(attempts).toMatchObject([{ level: expect.stringMatching(/^(info|warn)$/) }]);
});

test('a certificate that must be renewed immediately is a failure, because the clock is wrong', async () => {
  const renewer = start({ startAt: later(Date.now() as Instant, 80 * DAY) });
  await renewer.settle();
  expect(renewer.events('certificate-failed')).toMatchObject([
    { problem: 'invalid-response', detail: expect.stringContaining('check the clock of this machine') },
  ]);
  expect(renewer.certificates).toEqual([]);
});

test('a clock that is set back by a day does not lengthen the pause', async () => {
  const first = start({ httpPort: 0 });
  await first.settle();
  const pause = pauseOf(first);
  await first.stop();
  const second = start({ folder: first.folder, startAt: later(first.now(), -DAY) });
  await second.settle();
  expect(second.certificates).toEqual([]);
  await second.advance(pause);
  expect(second.certificates).toHaveLength(1);
});

test('a certificate that cannot be stored is used, and stored later without a new order', async () => {
  const blocker = (folder: string) => join(folder, 'certificate.pem');
  const renewer = start({ onChallenge: (folder) => mkdirSync(blocker(folder), { recursive: true }) });
  await renewer.settle();
  expect(renewer.events('renewal-failed')).toMatchObject([{ problem: 'storage', failures: 1 }]);
  expect(renewer.certificates).toHaveLength(1);
  rmdirSync(blocker(renewer.folder));
  await renewer.advance(7 * MINUTE);
  expect(renewer.events('certificate-obtained')).toHaveLength(1);
  expect(renewer.certificates).toHaveLength(1);
  expect(readFileSync(blocker(renewer.folder), 'utf8')).toBe(renewer.certificates[0]?.pem ?? '');
});

test('no order starts while the state cannot be stored', async () => {
  answerOrders(() => problem('unauthorized', 403));
  const renewer = startAtFront();
  await renewer.settle();
  const state = join(renewer.folder, 'state.json');
  rmSync(state);
  mkdirSync(state);
  const { length } = front.requests;
  await renewer.advance(HOUR);
  expect(renewer.events('certificate-failed').slice(1)).not.toEqual([]);
  for (const event of renewer.events('certificate-failed').slice(1)) {
    expect(event).toMatchObject({ problem: 'storage' });
  }
  expect(front.requests).toHaveLength(length);
  // The operator has repaired the folder.
  rmdirSync(state);
  await renewer.advance(6 * MINUTE);
  expect(front.requests.length).toBeGreaterThan(length);
});

describe('two servers on one data folder', () => {
  test('request one certificate, and both use it', async () => {
    const first = start();
    const second = start({ folder: first.folder, httpPort: 0 });
    await Promise.all([first.settle(), second.settle()]);
    await second.advance(10 * SECOND);
    expect(first.events('certificate-obtained')).toHaveLength(1);
    expect(second.events('certificate-obtained')).toEqual([]);
    expect(first.certificates.map(({ pem }) => pem)).toEqual(second.certificates.map(({ pem }) => pem));
    expect(second.events('certificate-loaded')).toMatchObject([{ from: 'another server' }]);
  });

  test('do not wait for a server that was killed longer than the lease lasts', async () => {
    const folder = start({ httpPort: 0 }).folder;
    await started[0]?.stop();
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    writeFileSync(join(folder, 'lease-7'), '');
    const renewer = start({ folder, startAt: Date.now() as Instant });
    await renewer.advance(9 * MINUTE);
    expect(renewer.certificates).toEqual([]);
    await renewer.advance(2 * MINUTE);
    expect(renewer.certificates).toHaveLength(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('lease'))).toEqual(['lease-8']);
  });
});
