import { describe, expect, test } from 'bun:test';
import { later, MINUTE } from '../../src/lib/time.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import { idsOf } from '../support/platform.ts';
import { addUser, createBrowserClient, PASSWORD, signedIn, tokenIn } from '../support/portal.ts';
import { addTenant, expectOk, type Tenant } from '../support/server.ts';
import { beginSlowRequest, until } from '../support/slowRequest.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { sendRaw } from './scenario.ts';

/** Access used to be checked only before the body, however late the body arrived. */

const server = useServer();

const PASSWORD_PATH = '/portal/settings/security/password';

describe('a form with a slow body has no effect', () => {
  test.each<[string, (email: string) => Promise<unknown>]>([
    [
      'the password was changed',
      (email) => server.app.services.users.setPassword(INSTALLATION, email, 'given by us'),
    ],
    ['the account was disabled', (email) => disable(email)],
  ])('after %s', async (_, act) => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const token = tokenIn(await browser.get(PASSWORD_PATH));
    const sessions = server.app.services.authentication.sessions;
    server.clock.now = later(server.clock.now, 2 * MINUTE);
    const { now } = server.clock;
    const slow = beginSlowRequest(
      server.url,
      `POST ${PASSWORD_PATH}`,
      {
        Origin: server.url,
        Cookie: `postern-session=${browser.secret}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      new URLSearchParams({ form_token: token, current: PASSWORD, password: 'chosen by a thief' }).toString(),
    );
    await until(async () => (await sessions.list(account))[0]?.seenAt === now);
    await act(account.email);
    expect(await slow.finish()).toMatch(/^HTTP\/1.1 303 [\s\S]*Location: \/portal\/login[?\r]/i);
    await server.app.services.users.enable(INSTALLATION, account.id);
    const log = (password: string) =>
      createBrowserClient(server).fill('/portal/login', { email: account.email, password });
    expect((await log('chosen by a thief')).status).toBe(422);
  });

  async function disable(email: string): Promise<void> {
    const { id } = expectOk(await server.app.services.users.byEmail(INSTALLATION, email));
    expectOk(await server.app.services.users.disable(INSTALLATION, id));
    expectOk(await server.app.services.users.enable(INSTALLATION, id));
  }
});

describe('a request to the Platform API with a slow body has no effect', () => {
  test.each<[string, (tenant: Tenant) => Promise<unknown>, number]>([
    ['its key was revoked', revoke, 401],
    [
      'its user was disabled',
      ({ account }) => server.app.services.users.disable(INSTALLATION, account.id),
      401,
    ],
    ['maintenance started', () => server.app.services.maintenance.set(INSTALLATION, true), 503],
  ])('after %s', async (_, act, status) => {
    const tenant = await addTenant(server);
    const { services } = server.app;
    const slow = beginSlowRequest(
      server.url,
      'PUT /org',
      { 'X-API-Key': tenant.portalKey, 'Content-Type': 'application/json' },
      JSON.stringify({ id: idsOf(server, tenant).org, name: 'Renamed too late' }),
    );
    await until(async () => {
      await services.keyUses.flush();
      return (await services.apiKeys.list(INSTALLATION, tenant.account)).some(
        ({ lastUsedAt }) => lastUsedAt !== undefined,
      );
    });
    await act(tenant);
    expect(await slow.finish()).toStartWith(`HTTP/1.1 ${status} `);
    expect(expectOk(await services.organizations.byId(INSTALLATION, tenant.organization.id)).name).toBe(
      tenant.organization.name,
    );
    await services.maintenance.set(INSTALLATION, false);
  });

  async function revoke({ account }: Tenant): Promise<void> {
    for (const { id } of await server.app.services.apiKeys.list(INSTALLATION, account)) {
      expectOk(await server.app.services.apiKeys.revoke(INSTALLATION, id));
    }
  }
});

describe('a body that is incomplete after the time limit', () => {
  const hasty = useServer({ bodies: { graceMs: 200 }, settings: { POSTERN_DEMO: 'on' } });
  const tenant = useTenant(hasty);

  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const rows: readonly (readonly [line: string, status: number, headers: () => Record<string, string>])[] = [
    ['POST /verify', 408, () => ({ 'X-API-Key': tenant.verifyKey })],
    ['POST /siteverify', 200, () => FORM],
    ['POST /siteverify', 200, () => ({ ...FORM, 'X-API-Key': tenant.verifyKey })],
    ['POST /org', 400, () => ({ 'Content-Type': 'application/json', 'X-API-Key': tenant.portalKey })],
    ['POST /demo', 408, () => FORM],
    ['POST /portal/login', 408, () => ({ ...FORM, Origin: hasty.url })],
  ];
  const lengths = [{ 'Content-Length': '10' }, { 'Transfer-Encoding': 'chunked' }];
  const cases = rows.flatMap(([line, status, headers]) =>
    lengths.map((length) => [line, length, status, headers] as const),
  );
  test.each(cases)('of %s with %j ends the connection', async (line, length, status, headers) => {
    const all = { Host: new URL(hasty.url).host, ...headers(), ...length };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const first = 'Content-Length' in length ? 'a' : '1\r\na\r\n';
    // The server closes the connection after the response.
    const answer = await sendRaw(hasty, `${line} HTTP/1.1\r\n${head.join('')}\r\n${first}`);
    expect(answer).toStartWith(`HTTP/1.1 ${status} `);
  });
});

// HAProxy 2.6 sent another visitor's request as the rest of such a body, and that visitor waited for 30 seconds.
describe('a response to a request whose body is incomplete closes the connection:', () => {
  const prompt = useServer({ bodies: { graceMs: 200, discardMs: 50 } });
  const tenant = useTenant(prompt);

  const ORIGIN = { Origin: 'https://example.com' };
  const cases: readonly (readonly [line: string, status: number, headers: () => Record<string, string>])[] = [
    ['GET /livez', 200, () => ({})],
    ['GET /puzzle?sitekey=SITEKEY', 200, () => ORIGIN],
    ['POST /nowhere', 404, () => ({})],
    ['POST /livez', 405, () => ({})],
    ['POST /verify', 401, () => ({})],
    ['POST /org', 415, () => ({ 'X-API-Key': tenant.portalKey })],
    ['POST /portal/login', 403, () => ({ Origin: 'https://other.example' })],
  ];
  const requestOf = (line: string, headers: Record<string, string>, body: string) => {
    const lines = Object.entries({ Host: new URL(prompt.url).host, ...headers });
    return `${line} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
  };

  test.each(cases)('%s with status %d', async (line, status, headers) => {
    for (const [length, first] of [
      ['Content-Length: 10', 'a'],
      ['Transfer-Encoding: chunked', '1\r\na\r\n'],
    ] as const) {
      const [name = '', value = ''] = length.split(': ');
      const answer = await sendRaw(
        prompt,
        requestOf(line.replace('SITEKEY', tenant.property.sitekey), { ...headers(), [name]: value }, first),
      );
      expect(answer).toStartWith(`HTTP/1.1 ${status} `);
      expect(answer).toMatch(/^Connection: close\r$/im);
    }
  });

  test.each([
    ['/verify', 2 ** 16, 'text/plain', () => tenant.verifyKey],
    ['/org', 2 ** 17, 'application/json', () => tenant.portalKey],
  ] as const)('a chunked body of %s that exceeds the limit', async (path, limit, type, key) => {
    const headers = { 'X-API-Key': key(), 'Content-Type': type, 'Transfer-Encoding': 'chunked' };
    const chunk = `${(limit + 1).toString(16)}\r\n${'a'.repeat(limit + 1)}\r\n`;
    const answer = await sendRaw(prompt, requestOf(`POST ${path}`, headers, chunk));
    expect(answer).toStartWith('HTTP/1.1 413 ');
    expect(answer).toMatch(/^Connection: close\r$/im);
  });
});

describe('a complete body that no route reads', () => {
  const server = useServer();
  const MIB = 2 ** 20;

  // nginx and Caddy returned 502 if the server closed the connection while they were sending.
  test.each([
    [1, null],
    [MIB, null],
    [2 * MIB, null],
    [2 * MIB + 1, 'close'],
  ])('of %d bytes: the header `Connection` is %p', async (size, connection) => {
    for (const body of ['a'.repeat(size), streamOf('a'.repeat(size))]) {
      const response = await fetch(`${server.url}/verify`, { method: 'POST', body });
      expect([response.status, response.headers.get('connection')]).toEqual([401, connection]);
    }
  });
});

/** Sent with `Transfer-Encoding: chunked`. */
function streamOf(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream();
}
