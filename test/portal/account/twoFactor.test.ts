import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { codeOf } from '../../support/authenticator.ts';
import {
  addUser,
  type BrowserClient,
  createBrowserClient,
  PASSWORD,
  signedIn,
  tokenIn,
} from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';

const PATH = '/portal/settings/security/two-factor';
const STEP = 30_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const turn = (milliseconds: number) => {
  server.clock.now = (server.clock.now + milliseconds) as Instant;
};
const codesIn = (text: string) => (/<code id="codes">([^<]*)<\/code>/.exec(text)?.[1] ?? '').split('\n');
const secretIn = (text: string) => /<code id="secret">([A-Z2-7 ]*)<\/code>/.exec(text)?.[1] ?? '';

type Enrolled = { account: Account; browser: BrowserClient; secret: string; codes: readonly string[] };

async function enroll(): Promise<Enrolled> {
  const account = await addUser(server);
  const browser = await signedIn(server, account);
  await browser.fill(PATH, {}, `${PATH}/begin`);
  const secret = secretIn((await browser.get(PATH)).text);
  const done = await browser.fill(PATH, { code: codeOf(secret, server.clock.now) });
  turn(STEP);
  return { account, browser, secret, codes: codesIn(done.text) };
}

/** A new browser after the password step. */
async function atTheCode(email: string): Promise<BrowserClient> {
  const browser = createBrowserClient(server);
  const shown = await browser.fill('/portal/login', { email, password: PASSWORD });
  expect([shown.status, shown.redirectPath]).toEqual([303, '/portal/login/code']);
  return browser;
}

const give = (browser: BrowserClient, code: string) => browser.fill('/portal/login/code', { code });

describe('setting up two-factor authentication', () => {
  test('shows a QR code from this server and the secret as text', async () => {
    const browser = await signedIn(server, await addUser(server));
    await browser.fill(PATH, {}, `${PATH}/begin`);
    const { text } = await browser.get(PATH);
    expect(text).toMatch(/<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="[\d ]+">/);
    expect(secretIn(text).replaceAll(' ', '')).toHaveLength(32);
    // It stays the same until the user starts the setup again.
    expect(secretIn((await browser.get(PATH)).text)).toBe(secretIn(text));
    await browser.post(`${PATH}/begin`, { form_token: /form_token" value="([^"]*)"/.exec(text)?.[1] ?? '' });
    expect(secretIn((await browser.get(PATH)).text)).not.toBe(secretIn(text));
  });

  test('shows the secret only to the session that started it, for 15 minutes', async () => {
    const account = await addUser(server);
    const [attacker, owner] = [await signedIn(server, account), await signedIn(server, account)];
    await attacker.fill(PATH, {}, `${PATH}/begin`);
    const secret = secretIn((await attacker.get(PATH)).text);
    expect(secretIn((await owner.get(PATH)).text)).toBe('');
    const token = tokenIn(await owner.get(PATH));
    const planted = await owner.post(PATH, { form_token: token, code: codeOf(secret, server.clock.now) });
    expect([planted.redirectPath, codesIn(planted.text)]).toEqual([PATH, ['']]);
    turn(15 * 60_000);
    await attacker.fill('/portal/confirm', { password: PASSWORD });
    expect(secretIn((await attacker.get(PATH)).text)).toBe('');
  });

  test('starts again after a password change', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    await browser.fill(PATH, {}, `${PATH}/begin`);
    await browser.fill('/portal/settings/security/password', {
      current: PASSWORD,
      password: 'another good one',
    });
    expect(secretIn((await browser.get(PATH)).text)).toBe('');
  });

  test('requires a correct code; until then, the password alone is enough to sign in', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    await browser.fill(PATH, {}, `${PATH}/begin`);
    const wrong = await browser.fill(PATH, { code: '000000' });
    expect([wrong.status, codesIn(wrong.text)]).toEqual([422, ['']]);
    const shown = await createBrowserClient(server).fill('/portal/login', {
      email: account.email,
      password: PASSWORD,
    });
    expect(shown.redirectPath).toBe('/portal');
  });

  test('returns ten recovery codes once, and stores the codes and the secret unreadable', async () => {
    const { browser, secret, codes } = await enroll();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/);
    const later = await browser.get(PATH);
    for (const text of [...codes, secret]) expect(later.text).not.toContain(text);
    const rows = await Promise.all(
      ['second_factors', 'recovery_codes'].map((table) => server.raw.query(`SELECT * FROM ${table}`)),
    );
    const kept = JSON.stringify(rows, (_, value) => (value instanceof Uint8Array ? value.toHex() : value));
    for (const code of codes) expect(kept).not.toContain(code.replaceAll('-', ''));
    const bytes = await server.app.services.authentication.twoFactor.stateOf(
      (await server.app.services.users.list(INSTALLATION)).at(-1) as Account,
    );
    expect(bytes).toEqual({ isOn: true, recoveryLeft: 10 });
  });
});

describe('other sessions, after two-factor authentication was turned on', () => {
  test('can be ended from that page', async () => {
    const account = await addUser(server);
    const [here, there] = [await signedIn(server, account), await signedIn(server, account)];
    await here.fill(PATH, {}, `${PATH}/begin`);
    const secret = secretIn((await here.get(PATH)).text);
    const { text } = await here.fill(PATH, { code: codeOf(secret, server.clock.now) });
    expect(text).toContain('1 other browser is signed in to this account without a code.');
    const action = '/portal/settings/security/sessions/end-others';
    const [, token = ''] = new RegExp(`action="${action}">\\s*<input[^>]*value="([^"]*)"`).exec(text) ?? [];
    expect((await here.post(action, { form_token: token })).status).toBe(303);
    expect((await there.get('/portal')).redirectPath).toBe('/portal/login');
    expect((await here.get('/portal')).status).toBe(200);
  });

  test('are not mentioned if there are none', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    await browser.fill(PATH, {}, `${PATH}/begin`);
    const secret = secretIn((await browser.get(PATH)).text);
    const { text } = await browser.fill(PATH, { code: codeOf(secret, server.clock.now) });
    expect([codesIn(text).length, text.includes('end-others')]).toEqual([10, false]);
  });
});

describe('the code', () => {
  test('completes the sign-in with a new session secret', async () => {
    const { account, secret } = await enroll();
    const browser = await atTheCode(account.email);
    const before = browser.cookies.get('postern-session') ?? '';
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
    expect((await give(browser, codeOf(secret, server.clock.now))).redirectPath).toBe('/portal');
    expect((await browser.get('/portal')).status).toBe(200);
    browser.cookies.set('postern-session', before);
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
  });

  test('is accepted once, and no code of an earlier time step after it', async () => {
    const { account, secret } = await enroll();
    const code = codeOf(secret, server.clock.now);
    const earlier = codeOf(secret, server.clock.now - STEP);
    expect((await give(await atTheCode(account.email), code)).redirectPath).toBe('/portal');
    for (const spent of [code, earlier]) {
      const shown = await give(await atTheCode(account.email), spent);
      expect([shown.status, shown.text.includes('This code is wrong or has already been used.')]).toEqual([
        422,
        true,
      ]);
    }
    turn(STEP);
    expect((await give(await atTheCode(account.email), codeOf(secret, server.clock.now))).redirectPath).toBe(
      '/portal',
    );
  });

  test('is accepted from only one of two simultaneous requests', async () => {
    const { account, secret } = await enroll();
    const browsers = [await atTheCode(account.email), await atTheCode(account.email)];
    const code = codeOf(secret, server.clock.now);
    const shown = await Promise.all(browsers.map((browser) => give(browser, code)));
    expect(shown.filter(({ redirectPath }) => redirectPath === '/portal')).toHaveLength(1);
  });

  test.each([
    [-2, 422],
    [-1, 303],
    [0, 303],
    [1, 422],
    [2, 422],
  ])('that is %d time steps off gets %d', async (steps, status) => {
    const { account, secret } = await enroll();
    turn(STEP);
    const code = codeOf(secret, server.clock.now + steps * STEP);
    expect((await give(await atTheCode(account.email), ` ${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(
      status,
    );
  });

  test('replaces an earlier pending sign-in of the same browser', async () => {
    const { account } = await enroll();
    const browser = await atTheCode(account.email);
    const awaiting = () =>
      server.raw.query('SELECT * FROM sessions WHERE account_id = ? AND awaits_code', [account.id]);
    await browser.fill('/portal/login', { email: account.email, password: PASSWORD });
    expect(await awaiting()).toHaveLength(1);
  });

  test('must follow within ten minutes after the password', async () => {
    const { account, secret } = await enroll();
    const browser = await atTheCode(account.email);
    await browser.get('/portal/login/code');
    turn(10 * 60_000);
    expect((await browser.get('/portal/login/code')).redirectPath).toBe('/portal/login');
    const fresh = await atTheCode(account.email);
    expect((await give(fresh, codeOf(secret, server.clock.now))).redirectPath).toBe('/portal');
  });

  test('is throttled after wrong guesses, in any browser', async () => {
    const { account, secret } = await enroll();
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await give(await atTheCode(account.email), '000000')).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    const right = await give(await atTheCode(account.email), codeOf(secret, server.clock.now));
    expect([right.status, right.headers.get('retry-after')]).toEqual([429, '1']);
    turn(1000);
    expect((await give(await atTheCode(account.email), codeOf(secret, server.clock.now))).redirectPath).toBe(
      '/portal',
    );
  });
});

describe('a recovery code', () => {
  test('is accepted once, with or without dashes', async () => {
    const { account, codes } = await enroll();
    const [first = '', second = ''] = codes;
    expect((await give(await atTheCode(account.email), first)).redirectPath).toBe('/portal');
    expect((await give(await atTheCode(account.email), first)).status).toBe(422);
    expect(
      (await give(await atTheCode(account.email), second.replaceAll('-', '').toUpperCase())).redirectPath,
    ).toBe('/portal');
    const browser = await signedIn(server, account);
    expect((await browser.get('/portal/settings/security')).text).toContain(
      'You have 8 recovery codes left.',
    );
  });

  test('from before new ones were created is rejected', async () => {
    const { account, browser, codes } = await enroll();
    const fresh = codesIn((await browser.fill(PATH, {}, `${PATH}/recovery-codes`)).text);
    expect(fresh).toHaveLength(10);
    expect((await give(await atTheCode(account.email), codes[0] ?? '')).status).toBe(422);
    expect((await give(await atTheCode(account.email), fresh[0] ?? '')).redirectPath).toBe('/portal');
  });
});

describe('turning it off', () => {
  test('makes the password enough to sign in again', async () => {
    const { account, browser, codes } = await enroll();
    const done = await browser.fill(PATH, { current: PASSWORD }, `${PATH}/disable`);
    expect(done.redirectPath).toBe('/portal/settings/security');
    const shown = await createBrowserClient(server).fill('/portal/login', {
      email: account.email,
      password: PASSWORD,
    });
    expect(shown.redirectPath).toBe('/portal');
    expect(
      await server.app.services.authentication.twoFactor.accept(account, codes[0] ?? '', CLIENT_INFO),
    ).toBe(false);
  });

  test('requires the password, even right after signing in', async () => {
    const { account, browser } = await enroll();
    const statuses = [];
    for (const current of ['', 'wrong', 'wrong', 'wrong', 'wrong', 'wrong'])
      statuses.push((await browser.fill(PATH, { current }, `${PATH}/disable`)).status);
    // Throttled like sign-ins.
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    expect((await server.app.services.authentication.twoFactor.stateOf(account)).isOn).toBe(true);
    const { entries } = await server.app.services.audit.list(INSTALLATION, {}, { limit: 1 });
    expect(entries[0]).toMatchObject({ action: 'password-rejected', actor: account.email });
    turn(60 * 60_000);
    const later = await browser.fill(PATH, { current: PASSWORD }, `${PATH}/disable`);
    expect(later.redirectPath).toBe('/portal/settings/security');
  });

  test('on the command line also ends every session', async () => {
    const { account, browser } = await enroll();
    await server.app.services.authentication.twoFactor.reset(INSTALLATION, account);
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
    const shown = await createBrowserClient(server).fill('/portal/login', {
      email: account.email,
      password: PASSWORD,
    });
    expect(shown.redirectPath).toBe('/portal');
  });
});

const CLIENT_INFO = { address: undefined, browser: '' };
