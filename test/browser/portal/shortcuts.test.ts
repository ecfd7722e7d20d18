import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { addUser, createBrowserClient, PASSWORD, signedIn } from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

setDefaultTimeout(2 * CASE_TIMEOUT_MS);

let server: TestServer;
let account: Account;
let user: PortalUser;

beforeAll(async () => {
  server = await startServer();
  account = await addUser(server);
  user = await openPortalUser(server.url.replace('127.0.0.1', 'localhost'));
  await user.signIn(account.email, '/portal/settings/profile');
  await user.isAt('Profile');
});
afterAll(async () => {
  user.tab.close();
  await server.stop();
});

/** Presses keys one after the other, where the focus is. */
async function press(...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const text = key === 'Escape' ? { windowsVirtualKeyCode: 27 } : { text: key };
    await user.tab.cdp('Input.dispatchKeyEvent', { type: 'keyDown', key, ...text });
    await user.tab.cdp('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }
}

const pathname = () => user.tab.evaluate<string>('location.pathname');

test('a sequence of two keys opens a page', async () => {
  await user.go('/portal/settings/profile');
  await press('g', 's');
  await user.isAt('Security');
  // Other keys end a sequence.
  await press('g', 'x', 'p');
  await press('g', 'k');
  await user.isAt('API keys');
});

test('a slash moves the focus to the search field, in which keys are text', async () => {
  await user.go('/portal/settings/profile');
  await press('/');
  await user.isOn('input[type="search"]');
  await press('g', 's', '?');
  expect(await user.tab.evaluate<string>("document.querySelector('input[type=search]').value")).toBe('gs?');
  expect([
    await pathname(),
    await user.tab.evaluate<number>("document.querySelectorAll('dialog[open]').length"),
  ]).toEqual(['/portal/settings/profile', 0]);
});

test('a question mark shows all shortcuts in a dialog, which Escape closes', async () => {
  await user.go('/portal/settings/security');
  await press('?');
  await user.tab.until("document.querySelector('#shortcuts-dialog').open === true");
  expect(await user.textOf('#shortcuts-dialog h2')).toBe('Keyboard shortcuts');
  expect(await user.textOf('#shortcuts-dialog table')).toContain('Go to: API keys');
  await user.expectGood('shortcuts-dialog');
  // Shortcuts do not act behind the dialog.
  await press('g', 'p');
  await press('Escape');
  await user.tab.until("document.querySelector('#shortcuts-dialog').open === false");
  expect(await pathname()).toBe('/portal/settings/security');
  await press('?');
  await user.tab.until("document.querySelector('#shortcuts-dialog').open === true");
});

test('shortcuts can be turned off in a browser, and on again', async () => {
  await user.go('/portal/shortcuts');
  await user.expectGood('shortcuts');
  await user.tab.click("document.querySelector('#use-shortcuts')");
  await user.tab.evaluate('document.activeElement.blur()');
  await press('g', 's');
  await user.go('/portal/shortcuts');
  await press('g', 's', '/');
  expect([await pathname(), await user.tab.evaluate<string>('document.activeElement.tagName')]).toEqual([
    '/portal/shortcuts',
    'BODY',
  ]);
  expect(await user.tab.evaluate<boolean>("document.querySelector('#use-shortcuts').checked")).toBe(false);
  await user.tab.click("document.querySelector('#use-shortcuts')");
  // The checkbox has the focus.
  await press('g', 's');
  await user.isAt('Security');
});

test('the page lists every page of the navigation that has keys, without scripts', async () => {
  const browser = await signedIn(server, account);
  const { text } = await browser.get('/portal/shortcuts');
  const keys = [...text.matchAll(/data-shortcut="(\w) (\w)"/g)].map(([, one, two]) => `${one} ${two}`);
  expect(keys.length).toBeGreaterThan(5);
  expect(new Set(keys).size).toBe(keys.length);
  for (const [one, two] of keys.map((pair) => pair.split(' ')))
    expect(text).toContain(`<kbd>${one}</kbd> then <kbd>${two}</kbd>`);
});

test('a password can be shown, and is hidden again before it is sent', async () => {
  await user.tab.clearCookies();
  await user.go('/portal/login');
  const stateOf = () =>
    user.tab.evaluate<string>(
      "document.querySelector('#password').type + ' ' + document.querySelector('.reveal').ariaPressed",
    );
  await user.type('password', PASSWORD);
  expect(await stateOf()).toBe('password false');
  await user.tab.click("document.querySelector('.reveal')");
  expect(await stateOf()).toBe('text true');
  await user.expectGood('login-revealed');
  await user.tab.evaluate(
    "void document.querySelector('main form').addEventListener('submit', (event) => event.preventDefault())",
  );
  await user.type('email', account.email);
  await user.tab.click("document.querySelector('main form button[type=submit]')");
  expect(await stateOf()).toBe('password false');
  // Without the script, the button is hidden.
  const { text } = await createBrowserClient(server).get('/portal/login');
  expect(text).toMatch(/<button type="button" class="quiet reveal"[^>]* hidden=""/);
});
