import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { addUser } from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

/** Dialogs are modal: the confirmations were popovers, so that Tab and clicks reached the page below. */

setDefaultTimeout(2 * CASE_TIMEOUT_MS);

let server: TestServer;
let admin: Account;

beforeAll(async () => {
  server = await startServer();
  admin = await addUser(server, true);
});
afterAll(() => server.stop());

/** The browser knows neither `command` nor `closedby`. */
const OLD = `
  delete HTMLButtonElement.prototype.command;
  delete HTMLDialogElement.prototype.closedBy;
  addEventListener('command', (event) => event.preventDefault(), true);
  addEventListener('DOMContentLoaded', () => {
    for (const dialog of document.querySelectorAll('dialog')) dialog.removeAttribute('closedby');
  });`;

async function openUser(prelude = ''): Promise<PortalUser> {
  const user = await openPortalUser(server.url.replace('127.0.0.1', 'localhost'));
  await user.tab.preload(prelude);
  await user.signIn(admin.email, '/portal/system/users');
  await user.isAt('Users');
  return user;
}

const CONFIRMATION = "document.querySelector('dialog.confirm')";
const OPENER = "document.querySelector('main button[command=show-modal]')";
const IS_MODAL = `${CONFIRMATION}.matches(':modal')`;

/** Presses Tab often. @returns what had the focus and is outside of the open dialog, except for the page as a whole */
async function leavesByTab({ tab }: PortalUser): Promise<readonly string[]> {
  const outside: string[] = [];
  for (let presses = 0; presses < 8; presses++) {
    await tab.press('Tab');
    const at = await tab.evaluate<string>(`(() => {
      const { activeElement } = document;
      return activeElement === document.body || activeElement.closest('dialog[open]') ? '' : activeElement.outerHTML;
    })()`);
    if (at !== '') outside.push(at);
  }
  return outside;
}

test.each([
  ['a current browser', ''],
  ['an older browser', OLD],
])('in %s, a confirmation keeps the focus, and Escape and Cancel close it', async (_, prelude) => {
  const user = await openUser(prelude);
  const { tab } = user;
  for (const close of [
    () => tab.press('Escape'),
    () => tab.click("document.querySelector('dialog.confirm button[command=close]')"),
  ]) {
    await tab.click(OPENER);
    await tab.until(IS_MODAL);
    await user.isOn('dialog.confirm button[command=close]');
    // The last child of a card has no margin, which moved the dialog to the end of the window.
    expect(
      await tab.evaluate<number>(
        `(({ top, bottom }) => Math.round(top - (innerHeight - bottom)))(${CONFIRMATION}.getBoundingClientRect())`,
      ),
    ).toBeCloseTo(0, -1);
    expect(await leavesByTab(user)).toEqual([]);
    await close();
    await tab.until(`!${CONFIRMATION}.open`);
    await user.isOn('main button[command=show-modal]');
  }
  user.tab.close();
});

test.each([
  ['a current browser', ''],
  ['an older browser', OLD],
])('in %s, a click beside a confirmation closes it and does nothing else', async (_, prelude) => {
  const user = await openUser(prelude);
  const { tab } = user;
  // The dialog does not cover the controls below.
  await tab.resize({ width: 1280, height: 1200 });
  await tab.evaluate("void addEventListener('submit', (event) => event.preventDefault())");
  for (const below of ['.brand', 'main thead a']) {
    await tab.evaluate(`void (window.clicks = 0,
      document.querySelector('${below}').addEventListener('click', (event) => { clicks += 1; event.preventDefault(); }))`);
    await tab.evaluate('scrollTo(0, 0)');
    await tab.evaluate(`${CONFIRMATION}.showModal()`);
    await tab.click(`document.querySelector('${below}')`);
    await tab.until(`!${CONFIRMATION}.open`);
    expect([below, await tab.evaluate<number>('clicks')]).toEqual([below, 0]);
    // Without the dialog, the click arrives.
    await tab.click(`document.querySelector('${below}')`);
    await tab.until('clicks === 1');
  }
  tab.close();
});

test('a click inside of a confirmation does not close it', async () => {
  const user = await openUser(OLD);
  await user.tab.click(OPENER);
  await user.tab.until(IS_MODAL);
  await user.tab.click("document.querySelector('dialog.confirm h2')");
  // In the padding, whose target is the dialog.
  await user.tab.evaluate(`${CONFIRMATION}.dispatchEvent((({ x, y }) =>
    new MouseEvent('click', { bubbles: true, clientX: x + 3, clientY: y + 3 }))(${CONFIRMATION}.getBoundingClientRect()))`);
  expect(await user.tab.evaluate<boolean>(IS_MODAL)).toBe(true);
  user.tab.close();
});

test('without scripts, a confirmation is modal too', async () => {
  const user = await openUser();
  const { tab } = user;
  await tab.cdp('Emulation.setScriptExecutionDisabled', { value: true });
  await tab.goto(`${server.url.replace('127.0.0.1', 'localhost')}/portal/system`);
  await tab.click(OPENER);
  while (!(await tab.evaluate<boolean>(IS_MODAL))) await Bun.sleep(10);
  expect(await leavesByTab(user)).toEqual([]);
  tab.close();
});

// The first control was at the end of the list.
test('the list of shortcuts opens at its beginning, keeps the focus, and returns it', async () => {
  const user = await openUser();
  const { tab } = user;
  await tab.resize({ width: 1000, height: 400 });
  await tab.evaluate("document.querySelector('.brand').focus()");
  await tab.press('?');
  await tab.until("document.querySelector('#shortcuts-dialog').matches(':modal')");
  await user.isOn('#shortcuts-dialog .dialog-head button');
  expect(
    await tab.evaluate<readonly number[]>(
      "(({ scrollTop, scrollHeight, clientHeight }) => [scrollTop, scrollHeight > clientHeight])(document.querySelector('#shortcuts-dialog'))",
    ),
  ).toEqual([0, true] as never);
  expect(await leavesByTab(user)).toEqual([]);
  await tab.click("document.querySelector('#shortcuts-dialog .dialog-head button')");
  await tab.until("!document.querySelector('#shortcuts-dialog').open");
  await user.isOn('.brand');
  tab.close();
});

test('a click beside the open menu of a narrow window closes it and does nothing else', async () => {
  const user = await openUser();
  const { tab } = user;
  await tab.resize({ width: 390, height: 2000 }, true);
  // The button must be below the menu, not behind it.
  await tab.evaluate("void (document.querySelector('main').style.paddingTop = '1000px')");
  const link = "document.querySelector('main > .card:last-of-type button')";
  await tab.evaluate(`void (window.clicks = 0, ${link}.addEventListener('click', () => { clicks += 1; }))`);
  await tab.click("document.querySelector('button.menu')");
  const isOpen = "document.querySelector('#navigation').matches(':popover-open')";
  await tab.until(isOpen);
  await tab.click(link);
  await tab.until(`!${isOpen}`);
  expect(await tab.evaluate<number>('clicks')).toBe(0);
  await tab.click(link);
  await tab.until('clicks === 1');
  tab.close();
});
