import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { type Faults, tabThrough, wcagFaults } from '../wcag.ts';

/** Success criteria of WCAG 2.2 on the pages outside of the portal; the conformance report refers to these tests. */

setDefaultTimeout(4 * CASE_TIMEOUT_MS);

let server: TestServer;
let url: string;
let tab: Tab;

const PATHS = [
  '/',
  '/demo',
  '/docs',
  '/docs/how-to/verify-on-your-backend',
  '/docs/configuration',
  '/docs/how-to/portal',
  '/docs/reference/accessibility',
  '/docs/search?q=api+key',
  '/docs/nothing',
  '/nothing',
];

type Page = {
  readonly path: string;
  readonly title: string;
  readonly language: string;
  readonly faults: Faults;
};
const pages: Page[] = [];

beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DEMO: 'on' } });
  url = server.url.replace('127.0.0.1', 'localhost');
  tab = await openTab();
  for (const path of PATHS) {
    await tab.goto(`${url}${path}`);
    const title = await tab.evaluate<string>('document.title');
    const language = await tab.evaluate<string>('document.documentElement.lang');
    pages.push({ path, title, language, faults: await wcagFaults(tab) });
  }
});
afterAll(async () => {
  tab.close();
  await server.stop();
});

const faultsIn = (check: keyof Faults) =>
  pages.flatMap(({ path, faults }) => faults[check].map((fault) => `${path}: ${fault}`));

test('every page has a language, and a title of its own', () => {
  expect(pages.map(({ language }) => language)).toEqual(PATHS.map(() => 'en'));
  // Both addresses do not exist.
  const titles = pages.filter(({ path }) => path !== '/nothing').map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  for (const title of titles) expect(title).toContain('Postern');
});

test('no page cuts off text with the text spacing of WCAG 2.2', () => {
  expect(faultsIn('spacing')).toEqual([]);
});

test('no page cuts off text of twice the size, or is too wide at 200% zoom', () => {
  expect(faultsIn('enlarged')).toEqual([]);
});

test('every control of every page shows the focus, and no other element covers it, also at 400% zoom', () => {
  expect(faultsIn('focus')).toEqual([]);
});

test('the borders of fields have a contrast of 3:1 on every page in both themes', () => {
  expect(faultsIn('fields')).toEqual([]);
});

test('Tab reaches every control of a page in the order of the document', async () => {
  for (const path of ['/', '/docs/configuration', '/docs/search?q=api+key']) {
    await tab.goto(`${url}${path}`);
    const { reached, count } = await tabThrough(tab);
    expect(count).toBeGreaterThan(5);
    expect([path, reached]).toEqual([path, [...Array(count).keys()]]);
  }
});

test('the checks find text that is cut off, controls without a visible focus or behind others, and pale borders', async () => {
  await tab.goto(`${url}/nothing`);
  await tab.until("document.readyState === 'complete'");
  await tab.evaluate(`void (() => {
    const add = (tag, text, styles) => {
      const element = document.createElement(tag);
      element.textContent = text;
      Object.assign(element.style, styles);
      document.querySelector('main').append(element);
    };
    add('p', 'A text that is too long', { width: '4rem', height: '2rem', overflow: 'hidden' });
    add('button', 'Bare', { outline: 'none' });
    add('button', 'Covered', { position: 'fixed', bottom: 0, left: 0 });
    add('div', '', { position: 'fixed', bottom: 0, left: 0, width: '100%', height: '4rem', zIndex: 1 });
    add('input', '', { border: '1px solid #eee' });
  })()`);
  const { spacing, enlarged, focus, fields } = await wcagFaults(tab);
  expect(spacing.join('\n')).toMatch(/<p [^>]*>A text/);
  expect(enlarged.join('\n')).toMatch(/<p [^>]*>A text/);
  expect(focus.join('\n')).toMatch(/focus not visible: <button [^>]*>Bare/);
  expect(focus.join('\n')).toMatch(/covered: <button [^>]*>Covered/);
  expect(fields.join('\n')).toMatch(/<input /);
});

/** Presses a key, with Control if `isWithControl`. */
async function press(key: string, isWithControl: boolean): Promise<void> {
  const modifiers = isWithControl ? 2 : 0;
  const text = isWithControl ? {} : { text: key };
  await tab.cdp('Input.dispatchKeyEvent', { type: 'keyDown', key, modifiers, ...text });
  await tab.cdp('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers });
}

// The key / alone moved the focus, which a reader could not turn off (success criterion 2.1.4).
test('in the documentation, Ctrl+K moves the focus to the search, and keys without a modifier do nothing', async () => {
  await tab.goto(`${url}/docs/configuration`);
  const hasFocus = "document.activeElement === document.querySelector('.finder input')";
  for (const key of ['/', 'k', 's', '?']) await press(key, false);
  expect(await tab.evaluate<boolean>(hasFocus)).toBe(false);
  await press('k', true);
  await tab.until(hasFocus);
});

test('in the documentation, the number of results is announced while the reader types', async () => {
  await tab.goto(`${url}/docs/configuration`);
  await tab.click("document.querySelector('.finder input')");
  const status = "document.querySelector('.finder > [role=status]').textContent";
  expect(await tab.evaluate<string>(status)).toBe('');
  await tab.cdp('Input.insertText', { text: 'recovery codes' });
  await tab.until(`/^\\d+ results$/.test(${status})`);
  // One announcement, not two.
  expect(await tab.evaluate<number>("document.querySelectorAll('.found [role=status]').length")).toBe(0);
});
