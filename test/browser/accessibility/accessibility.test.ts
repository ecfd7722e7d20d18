import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Tab } from '../../support/browser.ts';
import {
  BOX,
  BUTTON,
  CASE_TIMEOUT_MS,
  fastClock,
  isIn,
  type Site,
  serveSite,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

const AXE = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text();

let postern: TestPostern;
let slow: TestPostern;
let shortLived: TestPostern;
const sites: Site[] = [];
let tab: Tab | undefined;

beforeAll(async () => {
  postern = await startPostern();
  // More work than any test waits for.
  slow = await startPostern({ level: 250 });
  shortLived = await startPostern({ level: 250, validitySeconds: 60 });
});
afterEach(() => {
  tab?.close();
  tab = undefined;
});
afterAll(async () => {
  for (const site of sites) await site.stop();
  for (const one of [postern, slow, shortLived]) await one.stop();
});

/** Attributes of the widget, and what the page around it looks like. */
type Dress = { readonly theme?: string; readonly mode?: string; readonly page?: string };

async function open(of: TestPostern, dress: Dress, prelude = '', sitekey = of.sitekey): Promise<Tab> {
  const values = { postern: of.url, sitekey, theme: '', mode: '', page: 'light', ...dress };
  const site = await serveSite(import.meta.dir, values);
  sites.push(site);
  tab = await visit(site, prelude);
  return tab;
}

const start = (page: Tab) => page.evaluate('postern.autoWidget.execute()');

/** Brings a fresh widget into each of its states. */
const STATES: Readonly<Record<string, (dress: Dress) => Promise<Tab>>> = {
  idle: (dress) => open(postern, dress),
  async solving(dress) {
    const page = await open(slow, dress);
    await start(page);
    await page.until(isIn('solving'));
    return page;
  },
  async verified(dress) {
    const page = await open(postern, dress);
    await start(page);
    await page.until(isIn('verified'));
    return page;
  },
  async expired(dress) {
    // Only a page that nobody looks at stays in it.
    const page = await open(shortLived, dress, `${fastClock(50)}; ${AWAY}`);
    await start(page);
    await page.evaluate('window.isAway = true');
    await page.until(isIn('expired'));
    return page;
  },
  async failed(dress) {
    const page = await open(postern, dress, '', postern.foreignSitekey);
    await start(page);
    await page.until(isIn('failed'));
    return page;
  },
};

/** A prelude: the page is out of sight where it says so. */
const AWAY = `Object.defineProperty(document, 'visibilityState', { get: () => (window.isAway ? 'hidden' : 'visible') });`;

const prefers = (value: string) => [{ name: 'prefers-color-scheme', value }];

type Look = { readonly media: readonly object[]; readonly dress?: Dress };

const LOOKS: Readonly<Record<string, Look>> = {
  light: { media: prefers('light') },
  'light, where the visitor prefers dark': { media: prefers('dark') },
  dark: { media: prefers('light'), dress: { theme: 'dark', page: 'dark' } },
  'dark by preference': { media: prefers('dark'), dress: { theme: 'auto', page: 'dark' } },
  inline: { media: prefers('light'), dress: { mode: 'inline' } },
  'inline and dark': { media: prefers('light'), dress: { mode: 'inline', theme: 'dark', page: 'dark' } },
  'a popup': { media: prefers('light'), dress: { mode: 'popup' } },
  'a dark popup': { media: prefers('light'), dress: { mode: 'popup', theme: 'dark' } },
  'forced colours': { media: [{ name: 'forced-colors', value: 'active' }] },
  'reduced motion': { media: [{ name: 'prefers-reduced-motion', value: 'reduce' }] },
};

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** What axe-core finds on the whole page, shadow roots included: rules of WCAG 2.2 A and AA, and best practices. */
async function violationsOf(page: Tab): Promise<readonly string[]> {
  await page.cdp('Runtime.evaluate', { expression: AXE });
  const found = await page.evaluate<readonly Violation[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe.each(Object.keys(STATES))('a widget that is %s', (state) => {
  test.each(Object.entries(LOOKS))(
    'has nothing that axe-core objects to, %s',
    async (_, { media, dress = {} }) => {
      const page = await (STATES[state] as (dress: Dress) => Promise<Tab>)(dress);
      await page.cdp('Emulation.setEmulatedMedia', { features: media });
      expect(await violationsOf(page)).toEqual([]);
      // It is still what was looked at.
      expect(await page.evaluate<boolean>(isIn(state))).toBe(true);
    },
  );
});

test('axe-core sees into the widget: a control without a name is found', async () => {
  const page = await open(postern, {});
  await page.evaluate(`(${BUTTON}.removeAttribute('aria-labelledby'), ${BUTTON}.replaceChildren())`);
  expect((await violationsOf(page)).join('\n')).toMatch(/aria-toggle-field-name|button-name/);
});

test('the control is large enough to be hit, at 200 % zoom nothing is cut off', async () => {
  const page = await open(postern, {});
  const size = await page.evaluate<{ width: number; height: number }>(
    `(({ width, height }) => ({ width, height }))(${BUTTON}.getBoundingClientRect())`,
  );
  // WCAG 2.2, success criterion 2.5.8.
  expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(24);
  await page.cdp('Emulation.setDeviceMetricsOverride', {
    width: 320,
    height: 512,
    deviceScaleFactor: 2,
    mobile: false,
  });
  // 320 CSS pixels wide: a page of 640 at 200 %. WCAG 2.2, success criterion 1.4.10.
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBeLessThanOrEqual(0);
  expect(await page.evaluate<boolean>(`${BOX}.scrollWidth <= ${BOX}.clientWidth + 1`)).toBe(true);
});
