import { expect } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { PASSWORD } from '../../support/portal.ts';
import { WATCH_VIOLATIONS } from '../fixture.ts';
import { faultsOf, weightOf } from './screens.ts';

/** A user at a browser: reads headings, types, and presses buttons. */
export type PortalUser = {
  readonly tab: Tab;
  readonly go: (path: string) => Promise<void>;
  /** Waits for a page with this heading. */
  readonly isAt: (heading: string) => Promise<void>;
  /** Waits until the matching element has the focus, which browsers set some time after the page has loaded. */
  readonly isOn: (selector: string) => Promise<void>;
  /** Replaces the value of a field by typing. @param field its id */
  readonly type: (field: string, text: string) => Promise<void>;
  readonly choose: (field: string, value: string) => Promise<void>;
  /** Presses the button or follows the link with this label, and waits for the next page. */
  readonly press: (label: string) => Promise<void>;
  /** Presses the button with this label, checks the confirmation that it opens, and confirms. @param name of the pictures */
  readonly confirm: (label: string, name: string) => Promise<void>;
  /** Reloads the page; the response to a form is requested by sending the form again. */
  readonly reload: () => Promise<void>;
  readonly textOf: (selector: string) => Promise<string>;
  /** The visible fields among those with these ids. */
  readonly shownOf: (...fields: readonly string[]) => Promise<readonly string[]>;
  /** Checks the page as in screens.ts, its policy, and its size of at most 150 kB. @param name of the pictures */
  readonly expectGood: (name: string) => Promise<void>;
  /** Deletes the cookies, opens a page, and signs in if the page redirects there. */
  readonly signIn: (email: string, path?: string) => Promise<void>;
};

/**
 * Opens a browser tab on a server.
 *
 * @param url its address; on `localhost`, the clipboard and cookies work as on https. Cookies depend on the host, so
 *   each host name acts as a separate browser
 */
export async function openPortalUser(url: string): Promise<PortalUser> {
  const tab = await openTab();
  await tab.preload(WATCH_VIOLATIONS);

  /** Performs an action that loads another page, and waits for it. */
  async function leave(act: () => Promise<void>): Promise<void> {
    await tab.evaluate('void (window.isBefore = true)');
    await act();
    await tab.until("window.isBefore !== true && document.readyState === 'complete'");
  }

  // `goto` may still see the previous page.
  const go = (path: string) => leave(() => tab.goto(`${url}${path}`));

  async function type(field: string, text: string): Promise<void> {
    await tab.evaluate(`document.querySelector('#${field}').select()`);
    await tab.type(text);
  }

  const press = (label: string) => leave(() => tab.click(controlOf(label)));

  async function expectGood(name: string): Promise<void> {
    expect(await faultsOf(tab, name)).toEqual([]);
    expect(await tab.evaluate<string[]>('window.violations')).toEqual([]);
    const weight = await weightOf(tab);
    expect(weight).toBeGreaterThan(1000);
    expect(weight).toBeLessThan(150_000);
  }

  async function confirm(label: string, name: string): Promise<void> {
    await tab.click(controlOf(label));
    await tab.until("document.querySelector('.confirm:modal') !== null");
    // Cancel has the focus, so that the Enter key does not confirm by accident.
    await tab.until("document.activeElement.matches('.confirm:modal button[command=close]')");
    await expectGood(name);
    await leave(() => tab.click("document.querySelector('.confirm:modal button[type=submit]')"));
  }

  return {
    tab,
    go,
    isAt: (heading) => {
      // The whole heading, or the name of the object or of the page in it.
      const isThere = `[...document.querySelectorAll('h1, h1 > *')].some(({ textContent }) => textContent === ${JSON.stringify(heading)})`;
      return tab.until(`document.readyState === 'complete' && ${isThere}`);
    },
    isOn: (selector) => tab.until(`document.activeElement?.matches(${JSON.stringify(selector)})`),
    type,
    choose: (field, value) =>
      tab.evaluate(`void (document.querySelector('#${field}').value = ${JSON.stringify(value)})`),
    press,
    reload: () => leave(() => tab.cdp('Page.reload')),
    textOf: (selector) => tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`),
    shownOf(...fields) {
      const isShown = '(id) => document.getElementById(id).checkVisibility()';
      return tab.evaluate(`${JSON.stringify(fields)}.filter(${isShown})`);
    },
    confirm,
    expectGood,
    async signIn(email, path = '/portal') {
      await tab.cdp('Network.deleteCookies', { name: 'postern-session', url });
      await go(path);
      await type('email', email);
      await type('password', PASSWORD);
      await press('Sign in');
    },
  };
}

/** An expression for the visible button or link with this label. */
function controlOf(label: string): string {
  const all = "[...document.querySelectorAll('main button, main a, .account button')]";
  const isIt = `(one.getAttribute('aria-label') ?? one.textContent) === ${JSON.stringify(label)}`;
  return `${all}.find((one) => ${isIt} && one.checkVisibility())`;
}
