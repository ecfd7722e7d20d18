import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { addUser } from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

setDefaultTimeout(4 * CASE_TIMEOUT_MS);

let server: TestServer;
let user: PortalUser;
let admin: Account;
let others: readonly Account[];

/** Together with the administrator, more users than a list without a filter has. */
const OTHERS = 5;
const ALL = OTHERS + 1;

beforeAll(async () => {
  server = await startServer();
  user = await openPortalUser(server.url.replace('127.0.0.1', 'localhost'));
  admin = await addUser(server, true);
  others = await Promise.all(Array.from({ length: OTHERS }, () => addUser(server)));
});
afterAll(async () => {
  user.tab.close();
  await server.stop();
});

const rows = () => user.tab.evaluate<number>("document.querySelectorAll('tbody tr').length");
const hasRows = (count: number) =>
  user.tab.until(`document.querySelectorAll('tbody tr').length === ${count}`);
const announced = (text: string) =>
  user.tab.until(`document.querySelector('main > [role=status]').textContent === '${text}'`);
/** The focused field, its text, and the position of the cursor. */
const FIELD =
  '[document.activeElement.name, document.activeElement.value, document.activeElement.selectionStart].join()';

test('a filter applies while the user types, keeps the focus and the cursor, and announces the results', async () => {
  await user.signIn(admin.email, '/portal/system/users');
  expect(await user.shownOf('filter-note')).toEqual(['filter-note']);
  expect(
    await user.tab.evaluate("document.querySelector('form[data-live] [type=submit]').checkVisibility()"),
  ).toBe(false);
  expect(await rows()).toBe(ALL);
  await user.tab.evaluate('void (window.isSame = true)');
  await user.tab.evaluate("document.querySelector('form[data-live] [name=q]').focus()");
  const email = others[0]?.email ?? '';
  await user.tab.type(email);
  await hasRows(1);
  await announced('1 result');
  expect(await user.tab.evaluate<string>(FIELD)).toBe(`q,${email},${email.length}`);
  expect(await user.tab.evaluate<string>('new URLSearchParams(location.search).get("q")')).toBe(email);
  expect(await user.tab.evaluate<boolean>('window.isSame')).toBe(true);
  await user.expectGood('users, filtered');
});

test('the back button restores the filter and its results', async () => {
  await user.tab.evaluate('history.back()');
  await hasRows(ALL);
  await announced(`${ALL} results`);
  expect(await user.tab.evaluate<string>("document.querySelector('form[data-live] [name=q]').value")).toBe(
    '',
  );
  await user.tab.evaluate('history.forward()');
  await hasRows(1);
  expect(await user.tab.evaluate<string>("document.querySelector('form[data-live] [name=q]').value")).toBe(
    others[0]?.email ?? '',
  );
});

test('a choice applies immediately, and an invalid filter loads the page with its errors', async () => {
  await user.go('/portal/activity?from=2020-01-01');
  await user.tab.evaluate(`(() => {
    const select = document.querySelector('form[data-live] [name=action]');
    select.focus();
    select.value = select.options[1].value;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await user.tab.until("new URLSearchParams(location.search).has('action')");
  expect(await user.tab.evaluate<string>('document.activeElement.name')).toBe('action');
  expect(await user.tab.evaluate<string>("document.querySelector('a[download]').href")).toContain('action=');
  await user.tab.evaluate(`(() => {
    const field = document.querySelector('form[data-live] [name=object]');
    field.value = 'x'.repeat(600);
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  })()`);
  await user.isOn('.error-summary');
});
