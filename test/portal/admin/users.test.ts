import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, type Instant } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { sessionActor } from '../../../src/model/session.ts';
import { codeOf } from '../../support/authenticator.ts';
import {
  addUser,
  type BrowserClient,
  createBrowserClient,
  PASSWORD,
  type PageResponse,
  signedIn,
} from '../../support/portal.ts';
import { addKey, expectOk, startServer, type TestServer } from '../../support/server.ts';

const USERS = '/portal/system/users';
const CLIENT_INFO = { address: '192.0.2.1', browser: '' };

let server: TestServer;
let admin: Account;
let boss: BrowserClient;

beforeAll(async () => {
  server = await startServer();
  admin = await addUser(server, true);
  const taken = { email: 'taken@example.com', name: undefined, isAdmin: false, password: undefined };
  expectOk(await server.app.services.users.create(INSTALLATION, taken));
});
afterAll(() => server.stop());
beforeEach(async () => {
  boss = await signedIn(server, admin);
});

const pathOf = ({ id }: Account) => `${USERS}/${server.app.services.ids.seal('account', id)}`;
const act = (user: Account, what: string, fields: Record<string, string> = {}) =>
  boss.fill(pathOf(user), fields, `${pathOf(user)}/${what}`);
const as = async ({ email }: Account) =>
  expectOk(await server.app.services.users.byEmail(INSTALLATION, email));
const newest = async () => (await server.app.services.audit.list(INSTALLATION, {}, { limit: 1 })).entries[0];
const logIn = (email: string, password: string) =>
  createBrowserClient(server).fill('/portal/login', { email, password });
const linkIn = ({ text }: PageResponse) => /\/portal\/password#token=[\w.-]+/.exec(text)?.[0] ?? '';

describe('the list of users', () => {
  test('can be searched by email address and name, and has pages', async () => {
    for (let n = 0; n < 51; n++) {
      const draft = { email: `many${n}@example.net`, name: `Many ${n}`, isAdmin: false, password: undefined };
      expectOk(await server.app.services.users.create(INSTALLATION, draft));
    }
    const { text } = await boss.get(`${USERS}?q=MANY50`);
    expect([text.includes('many50@example.net'), text.includes('many5@example.net')]).toEqual([true, false]);
    const first = await boss.get(`${USERS}?q=Many+`);
    const next = /rel="next" href="([^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await boss.get(next)).text).toContain('many50@example.net');
    expect((await boss.get(`${USERS}?q=nobody-here`)).text).toContain(
      'No user has an email address or a name that contains this text.',
    );
  });
});

describe('a user that an administrator creates', () => {
  test('has no password and chooses one with a link that works once', async () => {
    const shown = await boss.fill(`${USERS}/new`, { email: ' New@Example.com ', name: 'New' });
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const made = expectOk(await server.app.services.users.byEmail(INSTALLATION, 'new@example.com'));
    expect(made).toMatchObject({ name: 'New', isAdmin: false, plan: 'default' });
    const link = linkIn(shown);
    expect((await logIn(made.email, '')).status).toBe(422);
    const visitor = createBrowserClient(server);
    const short = await visitor.fill(link, { password: '1234567' });
    expect([short.status, short.text.includes('1234567')]).toEqual([422, false]);
    const done = await visitor.fill(link, { password: 'a first password' });
    expect(done.redirectPath).toBe('/portal/login');
    expect((await visitor.follow(done)).text).toContain('Your password was set.');
    expect((await visitor.get(link)).status).toBe(404);
    expect((await logIn(made.email, 'a first password')).redirectPath).toBe('/portal');
  });

  test('is in the audit log, and so is the link, without its token', async () => {
    const shown = await boss.fill(`${USERS}/new`, { email: 'noted@example.com', name: '', admin: 'on' });
    const { entries } = await server.app.services.audit.list(INSTALLATION, {}, { limit: 2 });
    expect(entries.map(({ actor, action, object, source }) => [actor, action, object, source])).toEqual([
      [admin.email, 'password-link-created', 'noted@example.com', 'portal'],
      [admin.email, 'user-created', 'noted@example.com, an administrator', 'portal'],
    ]);
    expect(JSON.stringify([entries, server.logged])).not.toContain(linkIn(shown).split('=')[1] ?? '-');
    expect(expectOk(await server.app.services.users.byEmail(INSTALLATION, 'noted@example.com')).isAdmin).toBe(
      true,
    );
  });

  test.each([
    ['without an email address', { email: '', name: '' }, 'email'],
    ['with an existing email address', { email: 'TAKEN@example.com', name: '' }, 'email'],
    ['with markup in the name', { email: 'x@example.com', name: '<b>' }, 'name'],
  ])('%s is rejected next to the field', async (_, typed, field) => {
    const { status, text } = await boss.fill(`${USERS}/new`, typed);
    expect([status, text.includes(`href="#${field}"`)]).toEqual([422, true]);
  });
});

describe('a link to choose a password', () => {
  const issue = async (user: Account) => linkIn(await act(user, 'password-link'));
  const status = async (link: string) => (await createBrowserClient(server).get(link)).status;

  test('replaces a lost password and ends every session', async () => {
    const user = await addUser(server);
    const there = await signedIn(server, user);
    const link = await issue(user);
    expect((await there.get('/portal')).status).toBe(200);
    await createBrowserClient(server).fill(link, { password: 'another password' });
    expect((await there.get('/portal')).redirectPath).toBe('/portal/login');
    expect((await logIn(user.email, PASSWORD)).status).toBe(422);
    expect(await newest()).toMatchObject({ actor: user.email, action: 'session-rejected' });
    const { entries } = await server.app.services.audit.list(INSTALLATION, {}, { limit: 2 });
    expect(entries[1]).toMatchObject({ actor: user.email, action: 'password-changed', object: 'by a link' });
  });

  test('rejects a common password, and still works after that', async () => {
    const user = await addUser(server);
    const link = await issue(user);
    for (const password of ['Password1', user.email]) {
      const shown = await createBrowserClient(server).fill(link, { password });
      expect([shown.status, shown.text.includes('id="password-error"')]).toEqual([422, true]);
    }
    expect((await logIn(user.email, PASSWORD)).status).toBe(303);
    expect(
      (await createBrowserClient(server).fill(link, { password: 'another good one' })).redirectPath,
    ).toBe('/portal/login');
  });

  test('is invalid after the password was changed in another way', async () => {
    const user = await addUser(server);
    const [link, other] = [await issue(user), await issue(user)];
    expect([await status(link), await status(other)]).toEqual([200, 200]);
    expectOk(await server.app.services.users.setPassword(INSTALLATION, user.email, 'by the command line'));
    expect([await status(link), await status(other)]).toEqual([404, 404]);
  });

  test('works for three days', async () => {
    const link = await issue(await addUser(server));
    const { now } = server.clock;
    server.clock.now = (now + 3 * DAY - 1000) as Instant;
    expect(await status(link)).toBe(200);
    server.clock.now = (now + 3 * DAY) as Instant;
    expect(await status(link)).toBe(404);
    server.clock.now = now;
  });

  test('does not work for a disabled user', async () => {
    const user = await addUser(server);
    const link = await issue(user);
    await act(user, 'disable');
    expect(await status(link)).toBe(404);
    expect((await createBrowserClient(server).fill('/portal/login', {})).status).toBe(422);
  });

  test('does not work if it was altered, or for another user', async () => {
    const [user, other] = [await addUser(server), await addUser(server)];
    const link = await issue(user);
    const [head = '', token = ''] = link.split('=');
    const [, until, mac] = token.split('.');
    const altered = [
      `${other.id.toString(36)}.${until}.${mac}`,
      `${user.id.toString(36)}.zzzzzzz.${mac}`,
      `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`,
    ];
    for (const one of altered) expect([one, await status(`${head}=${one}`)]).toEqual([one, 404]);
    for (const one of ['', 'x'.repeat(5000)])
      expect([one, await status(`${head}=${one}`)]).toEqual([one, 422]);
    expect(await status(link)).toBe(200);
  });
});

describe('a user', () => {
  test('who is disabled loses access immediately, and regains it when enabled', async () => {
    const user = await addUser(server);
    const there = await signedIn(server, user);
    const key = await addKey(server.app.services, user, 'portal');
    const status = async () => (await fetch(`${server.url}/orgs`, { headers: { 'X-API-Key': key } })).status;
    expect(await status()).toBe(200);
    expect((await act(user, 'disable')).redirectPath).toBe(pathOf(user));
    expect(await newest()).toMatchObject({
      actor: admin.email,
      action: 'user-disabled',
      object: user.email,
    });
    expect([await status(), (await there.get('/portal')).redirectPath]).toEqual([401, '/portal/login']);
    await act(user, 'enable');
    expect(await newest()).toMatchObject({ action: 'user-enabled', object: user.email });
    expect(await status()).toBe(200);
  });

  test('can become an administrator and stop being one', async () => {
    const user = await addUser(server);
    const there = await signedIn(server, user);
    expect((await there.get('/portal/system')).status).toBe(403);
    await act(user, 'make-admin');
    expect(await newest()).toMatchObject({ action: 'admin-added', object: user.email });
    expect((await there.get('/portal/system')).status).toBe(200);
    await act(user, 'unmake-admin');
    expect(await newest()).toMatchObject({ action: 'admin-removed', object: user.email });
    expect((await there.get('/portal/system')).status).toBe(403);
  });

  test.each(['disable', 'unmake-admin'])(
    'who is the last administrator cannot lose the role: %s',
    async (what) => {
      const alone = await startServer();
      const last = await addUser(alone, true);
      const browser = await signedIn(alone, last);
      const path = `${USERS}/${alone.app.services.ids.seal('account', last.id)}`;
      const { status, text } = await browser.fill(path, {}, `${path}/${what}`);
      expect(status).toBe(422);
      expect(text).toContain(
        'This is the last administrator who can sign in; make another user an administrator first.',
      );
      expect((await browser.get('/portal/system')).status).toBe(200);
      await alone.stop();
    },
  );

  test('can be assigned an existing plan only', async () => {
    const user = await addUser(server);
    expectOk(
      await server.app.services.plans.set(INSTALLATION, { name: 'tiny', organizations: 1, properties: 1 }),
    );
    await act(user, 'plan', { plan: 'tiny' });
    expect((await as(user)).plan).toBe('tiny');
    expect(await newest()).toMatchObject({
      action: 'user-plan-set',
      object: `${user.email}: default -> tiny`,
    });
    expect((await act(user, 'plan', { plan: 'none' })).status).toBe(422);
    expect((await as(user)).plan).toBe('tiny');
  });

  test('who lost the authenticator app can sign in after a reset, which the audit log records once', async () => {
    const user = await addUser(server);
    const { twoFactor } = server.app.services.authentication;
    const there = await signedIn(server, user);
    const actor = sessionActor(there, CLIENT_INFO);
    await twoFactor.start(actor);
    const { secret = '' } = (await twoFactor.enrollmentOf(actor)) ?? {};
    expectOk(await twoFactor.confirm(actor, codeOf(secret, server.clock.now)));
    await act(user, 'reset-two-factor');
    const { entries } = await server.app.services.audit.list(
      INSTALLATION,
      { actions: ['second-factor-disabled'] },
      { limit: 9 },
    );
    expect(entries).toMatchObject([{ actor: admin.email, object: user.email, source: 'portal' }]);
    expect((await there.get('/portal')).redirectPath).toBe('/portal/login');
    expect((await logIn(user.email, PASSWORD)).redirectPath).toBe('/portal');
    expect((await boss.get(pathOf(user))).text).not.toContain('reset-two-factor');
  });

  test('can be signed out everywhere by an administrator', async () => {
    const [user, other] = [await addUser(server), await addUser(server)];
    const [here, there, others] = [
      await signedIn(server, user),
      await signedIn(server, user),
      await signedIn(server, other),
    ];
    const done = await act(user, 'end-sessions');
    expect((await boss.follow(done)).text).toContain('All sessions of the user were ended.');
    for (const browser of [here, there])
      expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
    expect((await others.get('/portal')).status).toBe(200);
    const entry = { action: 'sessions-ended', actor: admin.email, object: user.email, source: 'portal' };
    expect(await newest()).toMatchObject(entry);
  });

  test('is signed out with all other users, except the administrator', async () => {
    const [user, other] = [await addUser(server), await addUser(server, true)];
    const browsers = [
      await signedIn(server, user),
      await signedIn(server, other),
      await signedIn(server, admin),
    ];
    const done = await boss.fill(USERS, {}, `${USERS}/end-sessions`);
    expect((await boss.follow(done)).text).toMatch(/\d+ sessions were ended\./);
    for (const browser of browsers) expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
    expect(await newest()).toMatchObject({ action: 'sessions-ended', object: 'everyone' });
  });

  test('that does not exist is not found', async () => {
    const { ids } = server.app.services;
    const nobody = ids.seal('account', 999_999 as Account['id']);
    expect((await boss.get(`${USERS}/${nobody}`)).status).toBe(404);
  });
});
