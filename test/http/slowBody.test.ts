import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { inTime, readBody } from '../../src/http/body.ts';
import { readForm } from '../../src/http/portal/form.ts';
import { later, MINUTE } from '../../src/lib/time.ts';
import { idsOf } from '../support/platform.ts';
import { addPerson, createSurfer, PASSWORD, signedIn, tokenIn } from '../support/portal.ts';
import { addTenant, expectDone, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { beginSlowly, until } from '../support/slowly.ts';

/** A tale of woe: who was let in with the head of a request acted with its body, however much later that came. */

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const PASSWORD_PATH = '/portal/settings/security/password';

describe('a form whose body comes slowly does nothing any more', () => {
  test.each<[string, (email: string) => Promise<unknown>]>([
    ['the password was changed', (email) => server.app.office.accounts.setPassword(email, 'given by us')],
    ['the account was disabled', (email) => disable(email)],
  ])('once %s', async (_, act) => {
    const account = await addPerson(server);
    const surfer = await signedIn(server, account);
    const token = tokenIn(await surfer.get(PASSWORD_PATH));
    const sessions = server.app.office.people.sessions;
    server.clock.now = later(server.clock.now, 2 * MINUTE);
    const { now } = server.clock;
    const slow = beginSlowly(
      server.url,
      `POST ${PASSWORD_PATH}`,
      {
        Origin: server.url,
        Cookie: `postern-session=${surfer.secret}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      new URLSearchParams({ form_token: token, current: PASSWORD, password: 'chosen by a thief' }).toString(),
    );
    await until(async () => (await sessions.list(account))[0]?.seenAt === now);
    await act(account.email);
    expect(await slow.finish()).toMatch(/^HTTP\/1.1 303 [\s\S]*Location: \/portal\/login\r/i);
    await server.app.office.users.enable('command line', account.id);
    const log = (password: string) =>
      createSurfer(server).fill('/portal/login', { email: account.email, password });
    expect((await log('chosen by a thief')).status).toBe(422);
  });

  async function disable(email: string): Promise<void> {
    const { id } = expectDone(await server.app.office.accounts.byEmail(email));
    expectDone(await server.app.office.users.disable('command line', id));
    expectDone(await server.app.office.users.enable('command line', id));
  }
});

describe('a body of the Platform API that comes slowly does nothing any more', () => {
  test.each<[string, (tenant: Tenant) => Promise<unknown>, number]>([
    ['its key was revoked', revoke, 401],
    [
      'its user was disabled',
      ({ account }) => server.app.office.users.disable('command line', account.id),
      401,
    ],
    ['maintenance has begun', () => server.app.office.maintenance.set(true), 503],
  ])('once %s', async (_, act, status) => {
    const tenant = await addTenant(server);
    const { office } = server.app;
    const slow = beginSlowly(
      server.url,
      'PUT /org',
      { 'X-API-Key': tenant.portalKey, 'Content-Type': 'application/json' },
      JSON.stringify({ id: idsOf(server, tenant).org, name: 'Renamed too late' }),
    );
    await until(async () => {
      await office.keyUses.flush();
      return (await office.apiKeys.list(tenant.account)).some(({ lastUsedAt }) => lastUsedAt !== undefined);
    });
    await act(tenant);
    expect(await slow.finish()).toStartWith(`HTTP/1.1 ${status} `);
    expect(expectDone(await office.organizations.byId(tenant.organization.id)).name).toBe(
      tenant.organization.name,
    );
    await office.maintenance.set(false);
  });

  async function revoke({ account }: Tenant): Promise<void> {
    for (const { id } of await server.app.office.apiKeys.list(account)) {
      expectDone(await server.app.office.apiKeys.revoke(id));
    }
  }
});

describe('a body that does not come in time', () => {
  const endless = (headers: Record<string, string>) => {
    const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
    return new Request('http://localhost/', { method: 'POST', headers, body });
  };

  test.each([[{}], [{ 'Content-Length': '10' }]])('is refused, with the headers %j', async (headers) => {
    const lapse = new AbortController();
    const read = inTime(readBody(endless(headers), 100), lapse.signal);
    lapse.abort();
    expect(await read).toBe('too-slow');
  });

  test('of a form is answered with 408', async () => {
    const lapse = new AbortController();
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const read = readForm(endless(type), lapse.signal);
    lapse.abort();
    expect(await read).toEqual({ status: 408 });
  });
});
