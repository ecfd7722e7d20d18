import { expect } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { PASSWORD } from '../../support/portal.ts';
import { WATCH_VIOLATIONS } from '../fixture.ts';
import { faultsOf } from './screens.ts';

/** Somebody at a browser: reads headings, types, presses. */
export type Person = {
  readonly tab: Tab;
  readonly go: (path: string) => Promise<void>;
  readonly isAt: (heading: string) => Promise<void>;
  /** Types as a person does, in place of what is there. */
  readonly type: (field: string, text: string) => Promise<void>;
  readonly choose: (field: string, value: string) => Promise<void>;
  /** Presses a button or follows a link of this name, and waits for the page behind it. */
  readonly press: (label: string) => Promise<void>;
  /** Loads the page anew; the answer to a form is asked for with the form again. */
  readonly reload: () => Promise<void>;
  readonly textOf: (selector: string) => Promise<string>;
  /** Holds the page to what screens.ts asks, the policy, and 150 kB. */
  readonly expectGood: (name: string) => Promise<void>;
  readonly signIn: (email: string) => Promise<void>;
};

/** Opens a browser tab on a server. @param url its address; `localhost` keeps clipboard and cookies as they are on https */
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
  const textOf = (selector: string) =>
    tab.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).textContent`);

  async function isAt(heading: string): Promise<void> {
    const isThere = `document.querySelector('h1')?.textContent === ${JSON.stringify(heading)}`;
    await tab.until(`document.readyState === 'complete' && ${isThere}`);
  }

  async function type(field: string, text: string): Promise<void> {
    await tab.evaluate(`void (document.querySelector('#${field}').value = '')`);
    await tab.evaluate(`document.querySelector('#${field}').focus()`);
    await tab.cdp('Input.insertText', { text });
  }

  function press(label: string): Promise<void> {
    const all = "[...document.querySelectorAll('main button, main a, .account button')]";
    return leave(() =>
      tab.click(
        `${all}.find((one) => one.textContent === ${JSON.stringify(label)} && one.checkVisibility())`,
      ),
    );
  }

  return {
    tab,
    go,
    isAt,
    type,
    choose: (field, value) =>
      tab.evaluate(`void (document.querySelector('#${field}').value = ${JSON.stringify(value)})`),
    press,
    reload: () => leave(() => tab.cdp('Page.reload')),
    textOf,
    async expectGood(name) {
      expect(await faultsOf(tab, name)).toEqual([]);
      expect(await tab.evaluate<string[]>('window.violations')).toEqual([]);
      expect(await weightOf(tab)).toBeLessThan(150_000);
    },
    async signIn(email) {
      await tab.cdp('Network.clearBrowserCookies');
      await go('/portal/login');
      await type('email', email);
      await type('password', PASSWORD);
      await press('Sign in');
    },
  };
}

/** Bytes that the page and all that it loaded took on the wire; what came from the browser's cache took none. */
function weightOf(tab: Tab): Promise<number> {
  return tab.evaluate(
    'performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0)',
  );
}
