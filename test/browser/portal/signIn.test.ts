import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { codeOf } from '../../support/authenticator.ts';
import type { Tab } from '../../support/browser.ts';
import { addUser, PASSWORD as PERSONS_PASSWORD } from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

setDefaultTimeout(2 * CASE_TIMEOUT_MS);

let server: TestServer;
let url: string;
let tab: Tab;
let user: PortalUser;

beforeAll(async () => {
  server = await startServer();
  url = server.url.replace('127.0.0.1', 'localhost');
  user = await openPortalUser(url);
  tab = user.tab;
});
afterAll(async () => {
  tab.close();
  await server.stop();
});

const PASSWORD = 'four words nobody guesses';

test('a user completes the setup, turns on two-factor authentication, and signs in with a code and a recovery code', async () => {
  const { go, isAt, isOn, type, press, textOf, expectGood } = user;
  // The setup.
  await go('/');
  await isAt('Set up Postern');
  await expectGood('setup-no-link');
  const link = new URL(server.app.setupLink ?? '');
  await go(`${link.pathname}${link.hash}`);
  await isAt('Set up Postern');
  await isOn('#name');
  await type('name', 'Ann');
  await type('password', 'aaaaaaaa');
  expect(await textOf('.strength')).toBe('Weak: easily guessed.');
  await expectGood('setup');
  await type('email', 'ann@example.com');
  await type('password', PASSWORD);
  expect(await textOf('.strength')).toBe('Strong.');
  await type('organization', '<mine>');
  await press('Create first user');
  // The error summary has the focus and links to the field.
  await isOn('.error-summary');
  expect(await tab.evaluate<string>("document.querySelector('#email').value")).toBe('ann@example.com');
  await expectGood('setup-errors');
  await type('organization', 'My shops');
  await type('password', PASSWORD);
  await press('Create first user');
  await isAt('Protect your first property');
  await go('/portal');
  await isAt('Home');
  await go('/portal/orgs');
  expect(await textOf('main')).toContain('My shops');
  await go('/portal');
  await expectGood('home');

  // Two-factor authentication.
  await go('/portal/settings/security');
  await press('Set up two-factor authentication');
  await expectGood('two-factor-off');
  await press('Start setup');
  await isAt('Two-factor authentication');
  const secret = await textOf('#secret');
  expect(
    await tab.evaluate<number>("document.querySelector('.qr svg').getBoundingClientRect().width"),
  ).toBeGreaterThan(150);
  await expectGood('two-factor-enrollment');
  await type('code', codeOf(secret, server.clock.now));
  await press('Turn on two-factor authentication');
  await isAt('Recovery codes');
  const codes = (await textOf('#codes')).split('\n');
  expect(codes).toHaveLength(10);
  await expectGood('recovery-codes');
  await press('I have saved the codes');
  await isAt('Security');
  await expectGood('security');

  // Sign out, and sign in with a code.
  await press('Sign out');
  await isAt('Sign in');
  expect(await textOf('.notice')).toBe('You are signed out.');
  await expectGood('login-notice');
  await type('email', 'ann@example.com');
  await type('password', 'wrong wrong wrong');
  await press('Sign in');
  expect(await textOf('.error-summary')).toContain('The email address or the password is wrong.');
  await expectGood('login-errors');
  await type('password', PASSWORD);
  await press('Sign in');
  await isAt('Enter your code');
  await expectGood('login-code');
  server.clock.now = (server.clock.now + 30_000) as typeof server.clock.now;
  await type('code', codeOf(secret, server.clock.now));
  await press('Sign in');
  await isAt('Home');

  // Sign out, and sign in with a recovery code.
  await press('Sign out');
  await type('email', 'ann@example.com');
  await type('password', PASSWORD);
  await press('Sign in');
  await type('code', codes[3] ?? '');
  await press('Sign in');
  await isAt('Home');
  await go('/portal/settings/security');
  expect(await textOf('main')).toContain('You have 9 recovery codes left.');

  // The other pages.
  await go('/portal/settings/security/two-factor');
  await expectGood('two-factor-on');
  await go('/portal/settings/security/password');
  await expectGood('password');
  await go('/portal/settings/profile');
  await expectGood('profile');
  await go('/portal/nothing');
  await expectGood('not-found');
  server.clock.now = (server.clock.now + 15 * 60_000) as typeof server.clock.now;
  await go('/portal/settings/api-keys/new');
  await isAt('Confirm your password');
  await expectGood('confirm');
  await type('password', PASSWORD);
  await press('Continue');
  await isAt('Create API key');
});

test('the navigation is next to the page on a desktop and behind a button on a phone, also with a keyboard', async () => {
  const { go, isAt, expectGood } = user;
  await go('/portal');
  await isAt('Home');
  const isShown = "document.querySelector('#navigation').checkVisibility()";
  const setWidth = (width: number) =>
    tab.cdp('Emulation.setDeviceMetricsOverride', {
      width,
      height: 700,
      deviceScaleFactor: 1,
      mobile: false,
    });
  await setWidth(1280);
  expect(await tab.evaluate<boolean>(isShown)).toBe(true);
  await setWidth(320);
  expect(await tab.evaluate<boolean>(isShown)).toBe(false);
  await tab.evaluate("document.querySelector('.menu').focus()");
  await tab.press('Enter');
  expect(await tab.evaluate<boolean>(isShown)).toBe(true);
  await expectGood('menu');
  await setWidth(320);
  expect(await tab.evaluate<boolean>(isShown)).toBe(true);
  await tab.press('Escape');
  expect(await tab.evaluate<boolean>(isShown)).toBe(false);
});

test('signing in works without scripts, and the policy allows no inline scripts', async () => {
  const { go, type, press, textOf } = user;
  const { email } = await addUser(server);
  await tab.clearCookies();
  await tab.block(['.js']);
  await go('/portal');
  await type('email', email);
  await type('password', PERSONS_PASSWORD);
  await press('Sign in');
  expect(await textOf('h1')).toBe('Home');
  await tab.block([]);
});
