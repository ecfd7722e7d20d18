import { expect } from 'bun:test';
import type { Tab } from '../../support/browser.ts';
import { PASSWORD } from '../../support/portal.ts';
import { faultsOf } from './screens.ts';

/** Somebody before a tab of the portal. */
export type Person = {
  /** Waits until a page of this heading is there. */
  readonly isAt: (heading: string) => Promise<void>;
  /** Types as a person does, behind what is there. @param field its id */
  readonly type: (field: string, text: string) => Promise<void>;
  /** The same, instead of what is there. */
  readonly retype: (field: string, text: string) => Promise<void>;
  /** Clicks what is called so, and waits for the next page. */
  readonly press: (label: string) => Promise<void>;
  readonly textOf: (selector: string) => Promise<string>;
  /** Opens a page; where it leads to signing in, signs in. */
  readonly signIn: (url: string, email: string) => Promise<void>;
  /** Holds the page to `faultsOf`, and to its policy. @param name of the pictures */
  readonly expectGood: (name: string) => Promise<void>;
};

/** @param tab with WATCH_VIOLATIONS in each of its pages */
export function createPerson(tab: Tab): Person {
  const type: Person['type'] = async (field, text) => {
    await tab.evaluate(`document.querySelector('#${field}').focus()`);
    await tab.cdp('Input.insertText', { text });
  };

  const press: Person['press'] = async (label) => {
    await tab.evaluate('void (window.isBefore = true)');
    const name = JSON.stringify(label);
    const all = `[...document.querySelectorAll('main button, main a, .account button')]`;
    await tab.click(
      `${all}.find((one) => (one.getAttribute('aria-label') ?? one.textContent) === ${name} && one.checkVisibility())`,
    );
    await tab.until("window.isBefore !== true && document.readyState === 'complete'");
  };

  return {
    isAt: (heading) =>
      tab.until(
        `document.readyState === 'complete' && document.querySelector('h1')?.textContent === ${JSON.stringify(heading)}`,
      ),
    type,
    async retype(field, text) {
      await tab.evaluate(`document.querySelector('#${field}').value = ''`);
      await type(field, text);
    },
    press,
    textOf: (selector) => tab.evaluate(`document.querySelector('${selector}').textContent`),
    async signIn(url, email) {
      await tab.goto(url);
      await type('email', email);
      await type('password', PASSWORD);
      await press('Sign in');
    },
    async expectGood(name) {
      expect(await faultsOf(tab, name)).toEqual([]);
      expect(await tab.evaluate<string[]>('window.violations')).toEqual([]);
    },
  };
}
