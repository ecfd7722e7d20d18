import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instant } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { FRESH_MS } from '../../../src/model/session.ts';
import { HELD_FIELD, HOLD_MS } from '../../../src/portal/kit/heldForms.ts';
import { codeOf } from '../../support/authenticator.ts';
import {
  addUser,
  type BrowserClient,
  createBrowserClient,
  formTokenOf,
  PASSWORD,
  type PageResponse,
  signedIn,
  tokenIn,
} from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';
import { describeSqlite } from '../../support/testStorage.ts';

/** Forms that need a password before they are processed, and forms whose session has ended. */

const NEW_USER = '/portal/system/users/new';
const PROFILE = '/portal/settings/profile';
const TWO_FACTOR = '/portal/settings/security/two-factor';
const IDLE_MS = 12 * 3_600_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const turn = (milliseconds: number, { clock } = server) => {
  clock.now = (clock.now + milliseconds) as Instant;
};

let emails = 0;
const newEmail = () => `held${++emails}@example.com`;

async function nameOf({ email }: { readonly email: string }, { app } = server): Promise<string | undefined> {
  const found = await app.services.users.byEmail(INSTALLATION, email);
  return found.ok ? found.value.name : undefined;
}

const heldIn = ({ text }: PageResponse) => new RegExp(`name="${HELD_FIELD}" value="([^"]*)"`).exec(text)?.[1];

/** An administrator sends the form for a new user 15 minutes after the password was entered. */
async function interrupted(email: string) {
  const admin = await addUser(server, true);
  const browser = await signedIn(server, admin);
  const opened = await browser.get(NEW_USER);
  turn(FRESH_MS);
  const asked = await browser.submit(opened, { email, name: 'Zoë & Co' }, NEW_USER);
  return { admin, browser, opened, asked };
}

describe('a form that needs a recent password', () => {
  test('is processed after the password was entered, with the values that were sent', async () => {
    const email = newEmail();
    const { browser, asked } = await interrupted(email);
    expect([asked.status, asked.text.includes('Confirm your password')]).toEqual([403, true]);
    expect(await nameOf({ email })).toBeUndefined();
    const done = await browser.submit(asked, { password: PASSWORD });
    expect([done.status, done.text.includes('Copy link')]).toEqual([200, true]);
    expect(await nameOf({ email })).toBe('Zoë & Co');
    expect((await browser.get(NEW_USER)).status).toBe(200);
  });

  test('is still processed after a wrong password was entered first', async () => {
    const email = newEmail();
    const { browser, asked } = await interrupted(email);
    const wrong = await browser.submit(asked, { password: 'wrong wrong wrong' });
    expect([wrong.status, await nameOf({ email })]).toEqual([422, undefined]);
    expect((await browser.submit(wrong, { password: PASSWORD })).status).toBe(200);
    expect(await nameOf({ email })).toBe('Zoë & Co');
  });

  test('shows its own errors, with the values that were sent', async () => {
    const { browser, asked } = await interrupted('nonsense');
    const shown = await browser.submit(asked, { password: PASSWORD });
    expect([shown.status, shown.text.includes('value="nonsense"')]).toEqual([422, true]);
  });

  test('is processed once, even if the browser sends the password again', async () => {
    const email = newEmail();
    const { browser, asked } = await interrupted(email);
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await browser.submit(asked, { password: PASSWORD }));
    expect(answers.map(({ status }) => status)).toEqual([200, 303, 303]);
    const [, second] = answers;
    if (second === undefined) throw new Error('no second answer');
    expect((await browser.follow(second)).text).toContain('was not processed again');
  });

  test('is processed in each of two tabs', async () => {
    const [first, second] = [newEmail(), newEmail()];
    const { browser, opened, asked } = await interrupted(first);
    const other = await browser.submit(opened, { email: second, name: 'B' }, NEW_USER);
    expect((await browser.submit(other, { password: PASSWORD })).status).toBe(200);
    expect((await browser.submit(asked, { password: PASSWORD })).status).toBe(200);
    expect([await nameOf({ email: first }), await nameOf({ email: second })]).toEqual(['Zoë & Co', 'B']);
  });

  test('is not processed more than 15 minutes later, and a notice says so', async () => {
    const email = newEmail();
    const { browser, asked } = await interrupted(email);
    turn(HOLD_MS);
    const late = await browser.submit(asked, { password: PASSWORD });
    expect((await browser.follow(late)).text).toContain('more than 15 minutes after');
    expect(await nameOf({ email })).toBeUndefined();
  });

  test('is on the page only in encrypted form, and is not stored', async () => {
    const email = newEmail();
    const { asked } = await interrupted(email);
    const held = heldIn(asked) ?? '';
    expect(Buffer.from(held, 'base64url').toString('latin1')).not.toContain(email);
    expect(asked.text).not.toContain(email);
    expect(JSON.stringify(server.logged)).not.toContain(email);
    for (const table of ['sessions', 'audit'])
      expect(JSON.stringify(await server.raw.query(`SELECT * FROM ${table}`))).not.toContain(email);
  });

  test('is discarded if another user sends it, even with a correct password and token', async () => {
    const email = newEmail();
    const { asked } = await interrupted(email);
    const other = await signedIn(server, await addUser(server, true));
    const fields = {
      [HELD_FIELD]: heldIn(asked) ?? '',
      password: PASSWORD,
      form_token: formTokenOf(server, other),
    };
    const discarded = await other.post('/portal/confirm', fields);
    expect((await other.follow(discarded)).text).toContain('Another user filled in the form');
    expect(await nameOf({ email })).toBeUndefined();
  });

  test('is not processed without the form token of the page that asks for the password', async () => {
    const email = newEmail();
    const { browser, asked } = await interrupted(email);
    for (const form_token of ['', formTokenOf(server, await signedIn(server, await addUser(server)))])
      expect((await browser.submit(asked, { password: PASSWORD, form_token })).status).toBe(403);
    expect(await nameOf({ email })).toBeUndefined();
  });

  test('is checked like every other form: an administrator who lost the role is rejected', async () => {
    const email = newEmail();
    const { admin, browser, asked } = await interrupted(email);
    expectOk(await server.app.services.users.setAdmin(INSTALLATION, admin.id, false));
    expect((await browser.submit(asked, { password: PASSWORD })).status).toBe(403);
    expect(await nameOf({ email })).toBeUndefined();
  });

  test('keeps its values if maintenance starts in the meantime', async () => {
    const email = newEmail();
    const { browser, asked } = await interrupted(email);
    await server.app.services.maintenance.set(INSTALLATION, true);
    const kept = await browser.submit(asked, { password: PASSWORD });
    await server.app.services.maintenance.set(INSTALLATION, false);
    expect([kept.status, kept.text.includes(email)]).toEqual([503, true]);
    expect((await browser.submit(kept, {}, NEW_USER)).status).toBe(200);
    expect(await nameOf({ email })).toBe('Zoë & Co');
  });

  test('continues after signing in if the session ends while the password is entered', async () => {
    const email = newEmail();
    const { admin, browser, asked } = await interrupted(email);
    await server.app.services.users.endSessions(INSTALLATION, admin.id);
    const login = await browser.submit(asked, { password: PASSWORD });
    expect([login.status, login.text.includes('Your session has ended')]).toEqual([403, true]);
    expect((await browser.submit(login, { email: admin.email, password: PASSWORD })).status).toBe(200);
    expect(await nameOf({ email })).toBe('Zoë & Co');
  });
});

/** A user sends the form for the name after the session has ended. */
async function expired(account: Account, end: (browser: BrowserClient) => unknown = () => turn(IDLE_MS)) {
  const browser = await signedIn(server, account);
  const opened = await browser.get(PROFILE);
  await end(browser);
  const headers = { Referer: `${server.url}${PROFILE}` };
  const fields = { name: 'Zoë & Co', form_token: tokenIn(opened) };
  return { browser, opened, asked: await browser.post(PROFILE, fields, headers) };
}

const endAll = ({ id }: Account) => server.app.services.users.endSessions(INSTALLATION, id);

describe('a form whose session has ended', () => {
  test.each<[string, (account: Account, browser: BrowserClient) => unknown]>([
    ['expired', () => turn(IDLE_MS)],
    [
      'was purged',
      async () => {
        turn(IDLE_MS);
        await server.app.services.authentication.sessions.purge();
      },
    ],
    ['was ended by an administrator', (account) => endAll(account)],
    [
      'was signed out in another tab',
      async (_, browser) => {
        const form_token = tokenIn(await browser.get(PROFILE));
        await browser.post('/portal/logout', { form_token });
      },
    ],
    ['was forgotten by the browser', (_, browser) => browser.cookies.clear()],
  ])('continues after the user has signed in again: the session %s', async (_, end) => {
    const account = await addUser(server);
    const { browser, asked } = await expired(account, (one) => end(account, one));
    expect([asked.status, asked.text.includes('Your session has ended')]).toEqual([403, true]);
    expect(await nameOf(account)).toBe(account.name);
    const done = await browser.submit(asked, { email: account.email, password: PASSWORD });
    expect([done.redirectPath, await nameOf(account)]).toEqual([PROFILE, 'Zoë & Co']);
    expect((await browser.follow(done)).text).toContain('Your name was changed.');
  });

  test('continues after a wrong password, and is processed once', async () => {
    const account = await addUser(server);
    const { browser, asked } = await expired(account);
    const wrong = await browser.submit(asked, { email: account.email, password: 'wrong wrong wrong' });
    expect([wrong.status, await nameOf(account)]).toEqual([422, account.name]);
    const right = { email: account.email, password: PASSWORD };
    await browser.submit(wrong, right);
    expect(await nameOf(account)).toBe('Zoë & Co');
    await browser.fill(PROFILE, { name: 'Later' });
    const repeated = await browser.submit(wrong, right);
    expect((await browser.follow(repeated)).text).toContain('was not processed again');
    expect(await nameOf(account)).toBe('Later');
  });

  test('continues after the code, if the user has two-factor authentication', async () => {
    const account = await addUser(server);
    const enrolling = await signedIn(server, account);
    await enrolling.fill(TWO_FACTOR, {}, `${TWO_FACTOR}/begin`);
    const secret = /<code id="secret">([A-Z2-7 ]*)</.exec((await enrolling.get(TWO_FACTOR)).text)?.[1] ?? '';
    await enrolling.fill(TWO_FACTOR, { code: codeOf(secret, server.clock.now) });
    const { browser, asked } = await expired(account);
    const code = await browser.submit(asked, { email: account.email, password: PASSWORD });
    expect([code.status, await nameOf(account)]).toEqual([200, account.name]);
    const wrong = await browser.submit(code, { code: '000000' });
    expect([wrong.status, await nameOf(account)]).toEqual([422, account.name]);
    await browser.submit(wrong, { code: codeOf(secret, server.clock.now) });
    expect(await nameOf(account)).toBe('Zoë & Co');
  });

  test('is discarded if another user signs in, who does not see its values', async () => {
    const account = await addUser(server);
    const other = await addUser(server);
    const { browser, asked } = await expired(account);
    expect(asked.text).not.toContain('Zoë');
    const discarded = await browser.submit(asked, { email: other.email, password: PASSWORD });
    const shown = await browser.follow(discarded);
    expect([shown.text.includes('Another user filled in the form'), shown.text.includes('Zoë')]).toEqual([
      true,
      false,
    ]);
    expect([await nameOf(account), await nameOf(other)]).toEqual([account.name, other.name]);
  });

  test('can be checked and sent again if the same user has signed in in another tab', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const opened = await browser.get(PROFILE);
    turn(IDLE_MS);
    await browser.fill('/portal/login', { email: account.email, password: PASSWORD });
    const kept = await browser.submit(opened, { name: 'Zoë' }, PROFILE);
    expect([kept.status, kept.text.includes('Zoë'), await nameOf(account)]).toEqual([
      409,
      true,
      account.name,
    ]);
    expect((await browser.submit(kept, {}, PROFILE)).redirectPath).toBe(PROFILE);
    expect(await nameOf(account)).toBe('Zoë');
  });

  test('is rejected if another user has signed in in another tab', async () => {
    const [account, other] = [await addUser(server), await addUser(server)];
    const browser = await signedIn(server, account);
    const opened = await browser.get(PROFILE);
    browser.cookies.set('postern-session', (await signedIn(server, other)).secret);
    const rejected = await browser.submit(opened, { name: 'Zoë' }, PROFILE);
    expect([rejected.status, rejected.text.includes('Zoë')]).toEqual([403, false]);
    expect([await nameOf(account), await nameOf(other)]).toEqual([account.name, other.name]);
  });

  test('is not kept if it contains a password; the user returns to its page, and a notice says so', async () => {
    const account = await addUser(server);
    const path = '/portal/settings/security/password';
    const browser = await signedIn(server, account);
    const token = tokenIn(await browser.get(path));
    turn(IDLE_MS);
    const fields = { form_token: token, current: PASSWORD, password: 'another good one' };
    const asked = await browser.post(path, fields, { Referer: `${server.url}${path}` });
    expect(asked.redirectPath).toBe('/portal/login');
    const login = await browser.follow(asked);
    expect(login.text).toContain('was not kept');
    // Nothing was changed, so it is not a message of success.
    expect(login.text).toContain('<p class="warning" role="status">Your session had ended, ');
    expect(login.text).not.toContain('class="notice"');
    expect(login.text).not.toContain('another good one');
    const done = await browser.submit(login, { email: account.email, password: PASSWORD });
    expect(done.redirectPath).toBe(path);
  });

  test.each<[string, (token: string) => string | FormData, Record<string, string>]>([
    ['is too large', (token) => `form_token=${token}&name=${'x'.repeat(70_000)}`, {}],
    ['is too large to be kept', (token) => `form_token=${token}&name=${'x'.repeat(45_000)}`, {}],
    [
      'contains a file',
      (token) => {
        const data = new FormData();
        data.set('form_token', token);
        data.set('file', new Blob(['a,b']), 'a.csv');
        return data;
      },
      { multipart: 'yes' },
    ],
  ])('is not kept if it %s, and a notice says so', async (_, bodyOf, { multipart }) => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const token = tokenIn(await browser.get(PROFILE));
    turn(IDLE_MS);
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`${server.url}${PROFILE}`, {
      method: 'POST',
      redirect: 'manual',
      body: bodyOf(token),
      headers: {
        Origin: server.url,
        Referer: `${server.url}${PROFILE}`,
        ...(multipart === undefined && type),
      },
    });
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/portal/login?return=%2Fportal%2Fsettings%2Fprofile',
    ]);
    const notice = response.headers.getSetCookie().find((line) => line.startsWith('postern-notice='));
    const text = Buffer.from(notice?.split(/[=.]/)[1] ?? '', 'base64url').toString();
    expect(text).toContain('was not kept');
  });

  test('redirects to the sign-in page if it does not prove who filled it in', async () => {
    const browser = createBrowserClient(server);
    for (const form_token of ['', 'x', `${'A'.repeat(22)}.${'A'.repeat(22)}.${'A'.repeat(43)}`]) {
      const asked = await browser.post(PROFILE, { form_token, name: 'Zoë' });
      expect([asked.status, asked.redirectPath]).toEqual([303, '/portal/login']);
    }
  });
});

// A server with PostgreSQL remembers across restarts which forms it has processed.
describeSqlite('after a restart', () => {
  test('the user checks the values of a held form and sends it again', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-held-'));
    const before = await startServer({ dataDir });
    const admin = await addUser(before, true);
    const browser = await signedIn(before, admin);
    const opened = await browser.get(NEW_USER);
    turn(FRESH_MS, before);
    const email = newEmail();
    const asked = await browser.submit(opened, { email, name: 'Zoë' }, NEW_USER);
    await before.stop();
    const after = await startServer({ dataDir, now: (before.clock.now + 1000) as Instant });
    const kept = await moved(browser, after).submit(asked, { password: PASSWORD });
    expect([kept.status, kept.text.includes(email), await nameOf({ email }, after)]).toEqual([
      409,
      true,
      undefined,
    ]);
    const again = createBrowserClient(after);
    again.cookies.set('postern-session', sessionIn(kept));
    expect((await again.submit(kept, {}, NEW_USER)).status).toBe(200);
    expect(await nameOf({ email }, after)).toBe('Zoë');
    await after.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

/** The secret in the cookie that a response sets. */
function sessionIn({ headers }: PageResponse): string {
  const cookie = headers.getSetCookie().find((line) => line.startsWith('postern-session=')) ?? '';
  return /=([^;]*)/.exec(cookie)?.[1] ?? '';
}

/** The same browser, whose next requests reach another server. */
function moved(browser: BrowserClient, to: TestServer): BrowserClient {
  const other = createBrowserClient(to);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}

describe('on a cluster', () => {
  test('a form that one node holds is processed once, by any node', async () => {
    const database = await migratedDatabase();
    const [one, other] = await Promise.all([startServer({ database }), startServer({ database })]);
    if (one === undefined || other === undefined) throw new Error('no nodes');
    const account = await addUser(one);
    const browser = await signedIn(one, account);
    const opened = await browser.get(PROFILE);
    await one.app.services.users.endSessions(INSTALLATION, account.id);
    const asked = await browser.submit(opened, { name: 'Zoë' }, PROFILE);
    const there = moved(browser, other);
    const typed = { email: account.email, password: PASSWORD };
    const answers = await Promise.all([there.submit(asked, typed), browser.submit(asked, typed)]);
    expect(answers.map(({ redirectPath }) => redirectPath)).toContain(PROFILE);
    expect(await nameOf(account, one)).toBe('Zoë');
    const entries = await one.raw.query('SELECT token FROM used_forms');
    expect(entries).toHaveLength(1);
    await Promise.all([one.stop(), other.stop()]);
    await (await sharedPostgres()).dropDatabase(database);
  });
});
