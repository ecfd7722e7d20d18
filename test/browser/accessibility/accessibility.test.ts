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

async function open(of: TestPostern, prelude = '', sitekey = of.sitekey): Promise<Tab> {
  const values = { postern: of.url, sitekey };
  const site = await serveSite(import.meta.dir, values);
  sites.push(site);
  tab = await visit(site, prelude);
  return tab;
}

/** Brings a fresh widget into each of its states. */
const STATES: Readonly<Record<string, () => Promise<Tab>>> = {
  idle: () => open(postern),
  async solving() {
    const page = await open(slow);
    await page.click(BUTTON);
    await page.until(isIn('solving'));
    return page;
  },
  async verified() {
    const page = await open(postern);
    await page.click(BUTTON);
    await page.until(isIn('verified'));
    return page;
  },
  async expired() {
    // Only a page that nobody looks at stays in it.
    const page = await open(shortLived, `${fastClock(50)}; ${AWAY}`);
    await page.click(BUTTON);
    await page.evaluate('window.isAway = true');
    await page.until(isIn('expired'));
    return page;
  },
  async failed() {
    const page = await open(postern, '', postern.foreignSitekey);
    await page.click(BUTTON);
    await page.until(isIn('failed'));
    return page;
  },
};

/** A prelude: the page is out of sight where it says so. */
const AWAY = `Object.defineProperty(document, 'visibilityState', { get: () => (window.isAway ? 'hidden' : 'visible') });`;

const LOOKS = {
  light: [{ name: 'prefers-color-scheme', value: 'light' }],
  dark: [{ name: 'prefers-color-scheme', value: 'dark' }],
  'forced colours': [{ name: 'forced-colors', value: 'active' }],
  'reduced motion': [{ name: 'prefers-reduced-motion', value: 'reduce' }],
} as const;

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
  test.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])(
    'has nothing that axe-core objects to, %s',
    async (look) => {
      const page = await (STATES[state] as () => Promise<Tab>)();
      await page.cdp('Emulation.setEmulatedMedia', { features: LOOKS[look] });
      expect(await violationsOf(page)).toEqual([]);
      // It is still what was looked at.
      expect(await page.evaluate<boolean>(isIn(state))).toBe(true);
    },
  );
});

test('axe-core sees into the widget: a control without a name is found', async () => {
  const page = await open(postern);
  await page.evaluate(`(${BUTTON}.removeAttribute('aria-labelledby'), ${BUTTON}.replaceChildren())`);
  expect((await violationsOf(page)).join('\n')).toMatch(/aria-toggle-field-name|button-name/);
});

test('the control is large enough to be hit, at 200 % zoom nothing is cut off', async () => {
  const page = await open(postern);
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
