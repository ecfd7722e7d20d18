import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Session } from '../../../src/model/session.ts';
import type { Stores } from '../../../src/storage/storage.ts';
import { userActor } from '../../support/actors.ts';
import {
  addUser,
  type BrowserClient,
  createBrowserClient,
  PASSWORD,
  signedIn,
} from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';

const SECURITY = '/portal/settings/security';
const NEW_KEY = '/portal/settings/api-keys/new';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const turn = (milliseconds: number) => {
  server.clock.now = (server.clock.now + milliseconds) as Instant;
};

async function latest(text: string) {
  const { audit } = server.app.services;
  const { entries } = await audit.list(INSTALLATION, { actor: text }, { limit: 1 });
  return entries[0];
}

/** A browser that knows the secret of a session. */
function copyOf(secret: string): BrowserClient {
  const otherBrowser = createBrowserClient(server);
  otherBrowser.cookies.set('postern-session', secret);
  return otherBrowser;
}

describe('the email address of a user', () => {
  const PROFILE = '/portal/settings/profile';
  const change = (browser: BrowserClient, email: string, current = PASSWORD) =>
    browser.fill(PROFILE, { email, current }, `${PROFILE}/email`);
  const find = (email: string) => server.app.services.users.byEmail(INSTALLATION, email);

  test('can be changed with the password, which ends all other sessions and renews this one', async () => {
    const account = await addUser(server);
    const [browser, other] = [await signedIn(server, account), await signedIn(server, account)];
    const stolen = copyOf(browser.cookies.get('postern-session') ?? '');
    const done = await change(browser, ' Renamed@Example.com ');
    expect(done.redirectPath).toBe(PROFILE);
    expect((await browser.follow(done)).text).toContain('Your email address is now renamed@example.com.');
    for (const one of [other, stolen]) expect((await one.get('/portal')).redirectPath).toBe('/portal/login');
    expect(expectOk(await find('renamed@example.com')).id).toBe(account.id);
    expect((await find(account.email)).ok).toBe(false);
    const { entries } = await server.app.services.audit.list(
      INSTALLATION,
      { accountId: account.id },
      { limit: 1 },
    );
    expect(entries.map(({ actor, action, object }) => [actor, action, object])).toEqual([
      [account.email, 'user-email-changed', `${account.email} to renamed@example.com`],
    ]);
    const login = (email: string) =>
      createBrowserClient(server).fill('/portal/login', { email, password: PASSWORD });
    expect((await login('renamed@example.com')).status).toBe(303);
    expect((await login(account.email)).status).toBe(422);
  });

  test.each([
    ['a wrong password', 'free@example.com', 'wrong', 'current', 'This is not your current password.'],
    ['an invalid address', 'nobody', PASSWORD, 'email', 'email address'],
    [
      'the address of another user',
      'TAKEN',
      PASSWORD,
      'email',
      'A user with this email address already exists.',
    ],
  ])('stays the same with %s', async (_, email, password, field, sentence) => {
    const [account, another] = [await addUser(server), await addUser(server)];
    const [browser, other] = [await signedIn(server, account), await signedIn(server, account)];
    const entered = email === 'TAKEN' ? another.email.toUpperCase() : email;
    const shown = await change(browser, entered, password);
    expect([shown.status, shown.text.includes(`href="#${field}"`)]).toEqual([422, true]);
    expect(shown.text).toContain(sentence);
    expect(shown.text).toContain(`value="${entered}"`);
    expect(shown.text).toContain(`value="${account.name}"`);
    expect(shown.text).not.toContain(PASSWORD);
    expect(expectOk(await find(account.email)).id).toBe(account.id);
    for (const one of [browser, other]) expect((await one.get('/portal')).status).toBe(200);
    expect(await latest(account.email)).not.toMatchObject({ action: 'user-email-changed' });
  });

  // The address was set before the session was confirmed, so it changed although the session had ended.
  test.each([
    ['session ends', ({ sessions }: Stores, { id, accountId }: Session) => sessions.end(id, accountId)],
    [
      'password changes',
      ({ accounts }: Stores, { accountId }: Session) => accounts.setPasswordHash(accountId, 'new'),
    ],
  ])('stays the same if the %s while the password is verified', async (_, interfere) => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const { stores } = server.app.services;
    const { byEmail } = stores.credentials;
    stores.credentials.byEmail = async (email) => {
      const found = await byEmail(email);
      await interfere(stores, browser.session);
      return found;
    };
    const shown = await change(browser, 'late@example.com');
    stores.credentials.byEmail = byEmail;
    expect(shown.redirectPath).toBe('/portal/login');
    expect((await find('late@example.com')).ok).toBe(false);
    expect(expectOk(await find(account.email)).id).toBe(account.id);
    expect(await latest(account.email)).not.toMatchObject({ action: 'user-email-changed' });
  });

  test('cannot be used to find out addresses quickly', async () => {
    const [account, another] = [await addUser(server), await addUser(server)];
    const browser = await signedIn(server, account);
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await change(browser, another.email)).status);
    expect(statuses).toContain(422);
    expect(statuses.at(-1)).toBe(429);
  });

  test('of an invitation can be accepted after the change only if it is the new one', async () => {
    const { invitations, organizations } = server.app.services;
    const [owner, account] = [await addUser(server), await addUser(server)];
    const { id } = expectOk(
      await organizations.create(INSTALLATION, { name: 'Inviting', ownerId: owner.id }),
    );
    const { token } = expectOk(await invitations.invite(userActor(owner), id, account.email));
    const browser = await signedIn(server, account);
    await change(browser, 'moved@example.com');
    const link = `/portal/invitation#token=${token}`;
    expect((await browser.get(link)).text).toContain(
      'You are signed in as <strong>moved@example.com</strong>',
    );
    expect(await organizations.list(INSTALLATION, account)).toEqual([]);
  });
});

describe('the profile', () => {
  test('shows the new name after the form', async () => {
    const browser = await signedIn(server, await addUser(server));
    const done = await browser.fill('/portal/settings/profile', { name: '  Ann & Co ' });
    expect(done.redirectPath).toBe('/portal/settings/profile');
    const shown = await browser.follow(done);
    expect(shown.text).toContain('Your name was changed.');
    expect(shown.text).toContain('value="Ann &amp; Co"');
  });

  test('keeps the name if the new one is rejected, and shows the entered one', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const shown = await browser.fill('/portal/settings/profile', { name: '<script>' });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('value="&lt;script&gt;"');
    expect(shown.text).toContain('<title>Error: Profile · Postern</title>');
    expect((await server.app.services.users.byEmail(INSTALLATION, account.email)).ok).toBe(true);
    expect(expectOk(await server.app.services.users.byEmail(INSTALLATION, account.email)).name).toBe(
      account.name,
    );
  });
});

describe('sessions', () => {
  test('are listed with browser, address, and time, and can be ended one by one', async () => {
    const account = await addUser(server);
    const [here, there] = [await signedIn(server, account), await signedIn(server, account)];
    const { text } = await here.get(SECURITY);
    expect(text).toContain('Chrome on Windows');
    expect(text).toContain('127.0.0.1');
    const id = server.app.services.ids.seal('session', there.session.id);
    const done = await here.fill(SECURITY, {}, `${SECURITY}/sessions/${id}/end`);
    expect((await here.follow(done)).text).toContain('The session was ended.');
    expect((await there.get('/portal')).redirectPath).toBe('/portal/login');
    expect((await here.get('/portal')).status).toBe(200);
  });

  test('can be ended all at once, except the current one', async () => {
    const account = await addUser(server);
    const [here, there, third] = [
      await signedIn(server, account),
      await signedIn(server, account),
      await signedIn(server, account),
    ];
    await here.fill(SECURITY, {}, `${SECURITY}/sessions/end-others`);
    expect((await there.get('/portal')).redirectPath).toBe('/portal/login');
    expect((await third.get('/portal')).redirectPath).toBe('/portal/login');
    expect((await here.get('/portal')).status).toBe(200);
  });
});

describe('the password', () => {
  test('can be changed, which ends all other sessions', async () => {
    const account = await addUser(server);
    const [here, there] = [await signedIn(server, account), await signedIn(server, account)];
    const done = await here.fill(`${SECURITY}/password`, { current: PASSWORD, password: 'another good one' });
    expect(done.redirectPath).toBe(SECURITY);
    expect((await here.get('/portal')).status).toBe(200);
    expect((await there.get('/portal')).redirectPath).toBe('/portal/login');
    // The previous secret no longer works.
    expect((await copyOf(here.secret).get('/portal')).redirectPath).toBe('/portal/login');
    const log = (password: string) =>
      createBrowserClient(server).fill('/portal/login', { email: account.email, password });
    expect((await log(PASSWORD)).status).toBe(422);
    expect((await log('another good one')).status).toBe(303);
  });

  test('that is too short is rejected, and no session ends', async () => {
    const account = await addUser(server);
    const [here, there] = [await signedIn(server, account), await signedIn(server, account)];
    const shown = await here.fill(`${SECURITY}/password`, { current: PASSWORD, password: '1234567' });
    expect(shown.status).toBe(422);
    expect(shown.text).not.toContain('1234567');
    expect((await there.get('/portal')).status).toBe(200);
  });

  test('cannot be changed without the current one, even right after signing in', async () => {
    const account = await addUser(server);
    const [here, there] = [await signedIn(server, account), await signedIn(server, account)];
    for (const current of [undefined, '', 'wrong wrong wrong']) {
      const fields = { password: 'another good one', ...(current !== undefined && { current }) };
      const shown = await here.fill(`${SECURITY}/password`, fields);
      expect([shown.status, shown.text.includes('This is not your current password.')]).toEqual([422, true]);
    }
    expect((await there.get('/portal')).status).toBe(200);
    const entry = await latest(account.email);
    expect(entry).toMatchObject({ action: 'password-rejected', accountId: account.id });
  });

  test('is asked for regardless of the age of the session', async () => {
    const browser = await signedIn(server, await addUser(server));
    turn(60 * 60_000);
    expect((await browser.get(`${SECURITY}/password`)).text).toContain('name="current"');
    const fields = { current: PASSWORD, password: 'another good one' };
    expect((await browser.fill(`${SECURITY}/password`, fields)).redirectPath).toBe(SECURITY);
  });

  test('cannot be guessed with the form, because wrong passwords are throttled like sign-ins', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const fields = { current: 'wrong wrong wrong', password: 'another good one' };
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await browser.fill(`${SECURITY}/password`, fields)).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    const right = await browser.fill(`${SECURITY}/password`, { ...fields, current: PASSWORD });
    expect([right.status, right.headers.get('retry-after')]).toEqual([429, '1']);
    turn(3_600_000);
  });

  test.each([
    ['password1', 'common or repeats a short pattern'],
    ['ＰＡＳＳＷＯＲＤ１', 'common or repeats a short pattern'],
    ['aaaaaaaaaaaa', 'common or repeats a short pattern'],
    ['Postern2026', 'is too easy to guess'],
    ['example-person', 'is too easy to guess'],
    ['Acme.Widgets.1', 'is too easy to guess'],
  ])('%s is rejected as a new password', async (password, reason) => {
    const account = await addUser(server);
    expectOk(
      await server.app.services.organizations.create(INSTALLATION, {
        name: 'Acme Widgets',
        ownerId: account.id,
      }),
    );
    const browser = await signedIn(server, account);
    const shown = await browser.fill(`${SECURITY}/password`, { current: PASSWORD, password });
    expect([shown.status, shown.text.includes(reason)]).toEqual([422, true]);
    const back = { email: account.email, password: PASSWORD };
    expect((await createBrowserClient(server).fill('/portal/login', back)).status).toBe(303);
  });

  test('set on the command line ends all sessions', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    expectOk(
      await server.app.services.users.setPassword(INSTALLATION, account.email, 'from the command line'),
    );
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
  });
});

describe('confirming the password', () => {
  test('returns to the page and is valid for 15 minutes', async () => {
    const browser = await signedIn(server, await addUser(server));
    turn(15 * 60_000);
    const asked = await browser.get(NEW_KEY);
    expect(asked.headers.get('location')).toBe(
      '/portal/confirm?return=%2Fportal%2Fsettings%2Fapi-keys%2Fnew',
    );
    const path = asked.headers.get('location') ?? '';
    const wrong = await browser.fill(path, { password: 'wrong wrong wrong' });
    expect([wrong.status, wrong.text.includes('value="wrong')]).toEqual([422, false]);
    expect((await browser.fill(path, { password: PASSWORD })).redirectPath).toBe(NEW_KEY);
    expect((await copyOf(browser.secret).get('/portal')).redirectPath).toBe('/portal/login');
    turn(15 * 60_000 - 1);
    expect((await browser.get(NEW_KEY)).status).toBe(200);
    turn(1);
    expect((await browser.get(NEW_KEY)).redirectPath).toBe('/portal/confirm');
  });

  test('is throttled like signing in', async () => {
    const browser = await signedIn(server, await addUser(server));
    const statuses = [];
    for (let n = 0; n < 6; n++)
      statuses.push((await browser.fill('/portal/confirm', { password: 'wrong' })).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    turn(3_600_000);
  });
});
