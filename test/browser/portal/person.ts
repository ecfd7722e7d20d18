import { expect } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { PASSWORD } from '../../support/portal.ts';
import { WATCH_VIOLATIONS } from '../fixture.ts';
import { faultsOf, weightOf } from './screens.ts';

/** Somebody at a browser: reads headings, types, presses. */
export type Person = {
  readonly tab: Tab;
  readonly go: (path: string) => Promise<void>;
  /** Waits until a page of this heading is there. */
  readonly isAt: (heading: string) => Promise<void>;
  /** Waits until what the selector matches has the focus: browsers give it some time after the page is there. */
  readonly isOn: (selector: string) => Promise<void>;
  /** Types as a person does, in place of what is there. @param field its id */
  readonly type: (field: string, text: string) => Promise<void>;
  readonly choose: (field: string, value: string) => Promise<void>;
  /** Presses a button or follows a link of this name, and waits for the page behind it. */
  readonly press: (label: string) => Promise<void>;
  /** Loads the page anew; the answer to a form is asked for with the form again. */
  readonly reload: () => Promise<void>;
  readonly textOf: (selector: string) => Promise<string>;
  /** Holds the page to what screens.ts asks, the policy, and 150 kB. @param name of the pictures */
  readonly expectGood: (name: string) => Promise<void>;
  /** Forgets who was signed in, opens a page, and signs in where it leads to that. */
  readonly signIn: (email: string, path?: string) => Promise<void>;
};

/**
 * Opens a browser tab on a server.
 *
 * @param url its address; `localhost` keeps clipboard and cookies as they are on https. Cookies are bound to the host: two
 *   names of one machine are two browsers
 */
export async function openPerson(url: string): Promise<Person> {
  const tab = await openTab();
  await tab.cdp('Page.enable');
  await tab.cdp('Page.addScriptToEvaluateOnNewDocument', { source: WATCH_VIOLATIONS });

  /** Does what leads to another page, and waits for that. */
  async function leave(act: () => Promise<void>): Promise<void> {
    await tab.evaluate('void (window.isBefore = true)');
    await act();
    await tab.until("window.isBefore !== true && document.readyState === 'complete'");
  }

  // What `goto` waits for may still be the end of the page before.
  const go = (path: string) => leave(() => tab.goto(`${url}${path}`));

  async function type(field: string, text: string): Promise<void> {
    await tab.evaluate(`document.querySelector('#${field}').select()`);
    await tab.cdp('Input.insertText', { text });
  }

  const press = (label: string) => leave(() => tab.click(controlOf(label)));

  return {
    tab,
    go,
    isAt: (heading) => {
      const isThere = `document.querySelector('h1')?.textContent === ${JSON.stringify(heading)}`;
      return tab.until(`document.readyState === 'complete' && ${isThere}`);
    },
    isOn: (selector) => tab.until(`document.activeElement?.matches(${JSON.stringify(selector)})`),
    type,
    choose: (field, value) =>
      tab.evaluate(`void (document.querySelector('#${field}').value = ${JSON.stringify(value)})`),
    press,
    reload: () => leave(() => tab.cdp('Page.reload')),
    textOf: (selector) => tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`),
    async expectGood(name) {
      expect(await faultsOf(tab, name)).toEqual([]);
      expect(await tab.evaluate<string[]>('window.violations')).toEqual([]);
      const weight = await weightOf(tab);
      expect(weight).toBeGreaterThan(1000);
      expect(weight).toBeLessThan(150_000);
    },
    async signIn(email, path = '/portal') {
      await tab.cdp('Network.deleteCookies', { name: 'postern-session', url });
      await go(path);
      await type('email', email);
      await type('password', PASSWORD);
      await press('Sign in');
    },
  };
}

/** An expression for the visible button or link that is called so. */
function controlOf(label: string): string {
  const all = "[...document.querySelectorAll('main button, main a, .account button')]";
  const isIt = `(one.getAttribute('aria-label') ?? one.textContent) === ${JSON.stringify(label)}`;
  return `${all}.find((one) => ${isIt} && one.checkVisibility())`;
}
