import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { examplePath } from '../../portal/kit/examples.ts';
import { addUser } from '../../support/portal.ts';
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

const CODES: Readonly<Record<string, number>> = { Enter: 13, Escape: 27, ArrowUp: 38, ArrowDown: 40, k: 75 };
const CTRL = 2;

async function press(key: string, modifiers = 0): Promise<void> {
  const event = { key, modifiers, windowsVirtualKeyCode: CODES[key], ...(key === 'Enter' && { text: '\r' }) };
  await user.tab.cdp('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
  await user.tab.cdp('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
}

/** Opens the palette and waits for the actions and pages. */
async function open(): Promise<void> {
  await press('k', CTRL);
  await user.tab.until("document.querySelector('#palette').open");
  await user.isOn('#palette input');
  await user.tab.until("document.querySelectorAll('#palette [role=option]').length > 10");
}

/** Types a text and waits until the first option has this text. */
async function find(text: string, first: string): Promise<void> {
  await user.tab.type(text);
  await user.tab.until(
    `document.querySelector('#palette [role=option] bdi')?.textContent === ${JSON.stringify(first)} && ${ACTIVE} === ${JSON.stringify(first)}`,
  );
}

/** The text of the option that the combobox names as active. */
const ACTIVE =
  "document.getElementById(document.querySelector('#palette input').getAttribute('aria-activedescendant'))?.querySelector('bdi').textContent";

test('the palette opens with Ctrl+K, even in a field, and Escape closes it and returns the focus', async () => {
  await user.go('/portal/settings/profile');
  await user.tab.evaluate("document.querySelector('#name').focus()");
  await open();
  await user.expectGood('palette');
  await press('Escape');
  await user.tab.until("!document.querySelector('#palette').open");
  await user.isOn('#name');
});

test('a page and an action are found and opened by keyboard only', async () => {
  await user.go('/portal/settings/profile');
  await open();
  await find('key', 'Create API key');
  await press('ArrowDown');
  expect(await user.tab.evaluate<string>(ACTIVE)).toBe('API keys');
  await press('ArrowUp');
  expect(await user.tab.evaluate<string>(ACTIVE)).toBe('Create API key');
  await press('ArrowDown');
  await press('Enter');
  await user.isAt('API keys');
  await open();
  await find('sign out', 'Sign out');
  await press('Enter');
  await user.tab.until("location.pathname === '/portal/login'");
});

test('the search answers if the results are not available', async () => {
  await user.signIn(account.email, '/portal/settings/profile');
  await user.isAt('Profile');
  await user.tab.evaluate("void (window.fetch = () => Promise.reject(new Error('offline')))");
  await press('k', CTRL);
  await user.tab.until(
    "document.querySelector('#palette [role=status]').textContent.startsWith('The results are not available')",
  );
  await user.tab.type('shop');
  await press('Enter');
  await user.tab.until("location.pathname + location.search === '/portal/search?q=shop'");
});

test('the designer shows the widget and its code as soon as an option changes', async () => {
  await user.signIn(account.email);
  await user.go(
    await examplePath('/portal/orgs/:org/properties/:property/integration/design', server, account),
  );
  const BOX = "document.querySelector('#preview .postern-captcha')";
  await user.tab.until(`${BOX}?.dataset.postern !== undefined`);
  await user.expectGood('design');
  await user.choose('mode', 'inline');
  await user.choose('theme', 'dark');
  await user.tab.evaluate(
    "void document.querySelector('#theme').dispatchEvent(new Event('change', { bubbles: true }))",
  );
  await user.tab.until(`${BOX}?.dataset.displayMode === 'inline' && ${BOX}.dataset.postern !== undefined`);
  expect(await user.textOf('#snippet-design')).toContain('data-display-mode="inline"\n  data-theme="dark">');
  expect(await user.tab.evaluate<string>('location.search')).toContain('mode=inline&theme=dark');
  await user.expectGood('design-inline');
});
