import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import {
  addUser,
  beginSession,
  createBrowserClient,
  PASSWORD,
  signedIn,
  tokenIn,
} from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { describeSqlite } from '../../support/testStorage.ts';

const HOUR = 3_600_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const turn = (milliseconds: number) => {
  server.clock.now = (server.clock.now + milliseconds) as Instant;
};

describe('signing in', () => {
  test('with email and password redirects to the requested page', async () => {
    const { email } = await addUser(server);
    const browser = createBrowserClient(server);
    const asked = await browser.get('/portal/settings/security?a=1');
    const login = asked.headers.get('location') ?? '';
    const shown = await browser.fill(login, { email: ` ${email.toUpperCase()} `, password: PASSWORD });
    expect([shown.status, shown.headers.get('location')]).toEqual([303, '/portal/settings/security?a=1']);
    const cookie = shown.headers.getSetCookie().find((line) => line.startsWith('postern-session='));
    expect(cookie).toMatch(/^postern-session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await browser.follow(shown)).text).toContain('Firefox on Linux');
  });

  test.each([
    ['//evil.example.com', '/portal'],
    ['https://evil.example.com/portal', '/portal'],
    ['/portal//evil.example.com', '/portal'],
    ['/portal\\evil', '/portal'],
    ['/portalevil', '/portal'],
    ['/swagger', '/swagger'],
    ['/swagger/json', '/portal'],
    ['/portal/settings/profile', '/portal/settings/profile'],
  ])('with the return path %s redirects to %s', async (wanted, to) => {
    const { email } = await addUser(server);
    const login = `/portal/login?${new URLSearchParams({ return: wanted })}`;
    const shown = await createBrowserClient(server).fill(login, { email, password: PASSWORD });
    expect(shown.headers.get('location')).toBe(to);
  });

  test('is rejected for a disabled account; only the correct password shows the reason', async () => {
    const account = await addUser(server);
    const { email } = account;
    const inside = await signedIn(server, account);
    expect((await inside.get('/portal')).status).toBe(200);
    await server.app.services.users.disable(INSTALLATION, account.id);
    expect((await inside.get('/portal')).headers.get('location')).toContain('/portal/login');
    const known = await createBrowserClient(server).fill('/portal/login', { email, password: PASSWORD });
    expect([known.status, known.text.includes('This account is disabled')]).toEqual([422, true]);
    const guessed = await createBrowserClient(server).fill('/portal/login', {
      email,
      password: 'wrong wrong',
    });
    expect([guessed.status, guessed.text.includes('disabled')]).toEqual([422, false]);
    await server.app.services.users.enable(INSTALLATION, account.id);
    const back = await createBrowserClient(server).fill('/portal/login', { email, password: PASSWORD });
    expect(back.status).toBe(303);
  });

  describeSqlite('with a read-only database', () => {
    test('a database that cannot be written does not prevent reading', async () => {
      const inside = await signedIn(server, await addUser(server));
      const { raw } = server;
      // Seen long enough ago that it would be recorded again.
      turn(HOUR);
      await raw.query('PRAGMA query_only = ON');
      const shown = await inside.get('/portal');
      await raw.query('PRAGMA query_only = OFF');
      expect(shown.status).toBe(200);
    });
  });

  test('has the same response for a wrong password, an unknown address, an account without a password, and an invalid address', async () => {
    const { email } = await addUser(server);
    const mute = { email: 'mute@example.com', name: undefined, isAdmin: false, password: undefined };
    await server.app.services.users.create(INSTALLATION, mute);
    const texts = [];
    for (const typed of [email, 'nobody@example.com', mute.email, 'no address']) {
      const browser = createBrowserClient(server);
      const shown = await browser.fill('/portal/login', { email: typed, password: 'wrong wrong wrong' });
      expect([shown.status, browser.cookies.has('postern-session')]).toEqual([422, false]);
      expect(shown.text).toContain(`value="${typed}"`);
      expect(shown.text).not.toContain('wrong wrong wrong');
      texts.push(shown.text.replaceAll(typed, '').replace(/name="form_token" value="[^"]*"/, ''));
      turn(HOUR);
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('The email address or the password is wrong.');
  });

  test('starts a new session and ends the previous one of the browser', async () => {
    const account = await addUser(server);
    const browser = createBrowserClient(server);
    await browser.fill('/portal/login', { email: account.email, password: PASSWORD });
    const before = browser.cookies.get('postern-session') ?? '';
    const page = await createBrowserClient(server).get('/portal/login');
    expect(page.status).toBe(200);
    // A user who is signed in can still have the form open in another tab.
    const visitor = createBrowserClient(server);
    const token = tokenIn(await visitor.get('/portal/login'));
    browser.cookies.set('postern-visitor', visitor.cookies.get('postern-visitor') ?? '');
    const again = await browser.post('/portal/login', {
      email: account.email,
      password: PASSWORD,
      form_token: token,
    });
    expect(again.status).toBe(303);
    const after = browser.cookies.get('postern-session') ?? '';
    expect(after).not.toBe(before);
    browser.cookies.set('postern-session', before);
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
  });

  test('does not accept a session that an attacker chose', async () => {
    const { email } = await addUser(server);
    const browser = createBrowserClient(server);
    const chosen = 'A'.repeat(43);
    browser.cookies.set('postern-session', chosen);
    await browser.fill('/portal/login', { email, password: PASSWORD });
    expect(browser.cookies.get('postern-session')).not.toBe(chosen);
  });

  test('stores no password and no secret in the log or the database', async () => {
    const account = await addUser(server);
    const browser = createBrowserClient(server);
    await browser.fill('/portal/login', { email: account.email, password: PASSWORD });
    const secret = browser.cookies.get('postern-session') ?? 'none';
    expect(JSON.stringify(server.logged)).not.toContain(secret);
    const rows = await server.raw.query('SELECT * FROM sessions');
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
  });

  test('a user who is signed in is redirected past the form', async () => {
    const browser = await signedIn(server, await addUser(server));
    expect((await browser.get('/portal/login')).redirectPath).toBe('/portal');
  });
});

describe('failed sign-ins', () => {
  const wrong = (email: string) => ({ email, password: 'wrong wrong wrong' });

  test('are throttled after a few times, also for the correct password, until some time has passed', async () => {
    const { email } = await addUser(server);
    const browser = createBrowserClient(server);
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await browser.fill('/portal/login', wrong(email))).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    const slowed = await browser.fill('/portal/login', { email, password: PASSWORD });
    expect([slowed.status, slowed.headers.get('retry-after')]).toEqual([429, '1']);
    expect(slowed.text).toContain('Wait 1 second,');
    turn(1000);
    expect((await browser.fill('/portal/login', wrong(email))).status).toBe(422);
    expect((await browser.fill('/portal/login', wrong(email))).headers.get('retry-after')).toBe('2');
    turn(2000);
    expect((await browser.fill('/portal/login', { email, password: PASSWORD })).status).toBe(303);
    turn(HOUR);
  });

  test('are throttled in the same way for an unknown address', async () => {
    const browser = createBrowserClient(server);
    const statuses = [];
    for (let n = 0; n < 6; n++)
      statuses.push((await browser.fill('/portal/login', wrong('ghost@example.com'))).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    turn(HOUR);
  });

  test('sent all at once are not all checked', async () => {
    const { email } = await addUser(server);
    const browser = createBrowserClient(server);
    await browser.get('/portal/login');
    const attempts = Array.from({ length: 12 }, () => browser.fill('/portal/login', wrong(email)));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status).toSorted();
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
    turn(HOUR);
  });
});

describe('a session', () => {
  test('ends after twelve hours without activity', async () => {
    const browser = await signedIn(server, await addUser(server));
    for (let n = 0; n < 4; n++) {
      turn(11 * HOUR);
      expect((await browser.get('/portal')).status).toBe(200);
    }
    turn(12 * HOUR);
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
  });

  test('ends after seven days, even if it is active', async () => {
    const browser = await signedIn(server, await addUser(server));
    for (let hours = 0; hours < 7 * 24 - 10; hours += 10) {
      expect((await browser.get('/portal')).status).toBe(200);
      turn(10 * HOUR);
    }
    turn(9 * HOUR);
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
  });

  test('ends when the user signs out, and a notice says so once', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const token = tokenIn(await browser.get('/portal'));
    const out = await browser.post('/portal/logout', { form_token: token });
    expect(out.redirectPath).toBe('/portal/login');
    expect(browser.cookies.has('postern-session')).toBe(false);
    expect((await browser.follow(out)).text).toContain('You are signed out.');
    expect((await browser.get('/portal/login')).text).not.toContain('You are signed out.');
    browser.cookies.set('postern-session', browser.secret);
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
  });

  test('is purged after it has expired', async () => {
    const account = await addUser(server);
    await beginSession(server, account);
    turn(13 * HOUR);
    expect(await server.app.services.authentication.sessions.purge()).toBeGreaterThan(0);
    expect(await server.raw.query('SELECT * FROM sessions')).toEqual([]);
  });
});

describe('on https', () => {
  test('cookies are Secure and bound to the host, and forms come from the base URL’s host', async () => {
    const secure = await startServer({ settings: { POSTERN_BASE_URL: 'https://captcha.example.com' } });
    await addUser(secure);
    const browser = createBrowserClient(secure);
    const page = await browser.get('/portal/login');
    expect(page.headers.getSetCookie()[0]).toMatch(/^__Host-postern-visitor=.*; Path=\/; .*; Secure$/);
    const token = tokenIn(page);
    const fields = { email: 'nobody@example.com', password: 'wrong wrong wrong', form_token: token };
    const from = (Origin: string, more = {}) => browser.post('/portal/login', fields, { Origin, ...more });
    expect((await from('https://captcha.example.com')).status).toBe(422);
    expect((await from('https://captcha.example.com', { Host: 'localhost:8080' })).status).toBe(422);
    expect((await from('https://captcha.example.com', { Host: 'inside:8080' })).status).toBe(421);
    expect(
      (await from('https://other.example.com', { 'X-Forwarded-Host': 'other.example.com' })).status,
    ).toBe(403);
    await secure.stop();
  });

  test('a form without Sec-Fetch-Site and Origin is rejected', async () => {
    const browser = createBrowserClient(server);
    const token = tokenIn(await browser.get('/portal/login'));
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const send = (headers: Record<string, string>) =>
      fetch(`${server.url}/portal/login`, {
        method: 'POST',
        body: new URLSearchParams({ form_token: token, email: 'a@example.com', password: 'x' }),
        headers: { Cookie: cookie, ...headers },
      });
    expect((await send({})).status).toBe(403);
    expect((await send({ Origin: 'null' })).status).toBe(403);
    for (const site of ['cross-site', 'same-site', '', 'same-origin, same-origin'])
      expect((await send({ 'Sec-Fetch-Site': site, Origin: 'null' })).status).toBe(403);
    // Behind a proxy that adds `Referrer-Policy: no-referrer`, browsers send `Origin: null`, and nobody could sign in.
    for (const site of ['same-origin', 'none']) {
      expect((await send({ 'Sec-Fetch-Site': site })).status).toBe(422);
      expect((await send({ 'Sec-Fetch-Site': site, Origin: 'null' })).status).toBe(422);
    }
    // Behind nginx without `proxy_set_header Host`, the host is that of the upstream, and nobody could sign in.
    const Origin = 'https://captcha.example.com';
    expect((await send({ 'Sec-Fetch-Site': 'same-origin', Origin })).status).toBe(422);
    expect((await send({ 'Sec-Fetch-Site': 'none', Origin })).status).toBe(403);
  });
});
