import { afterEach, describe, expect, test } from 'bun:test';
import type { Tab } from '../../support/browser.ts';
import {
  BOX,
  BUTTON,
  fastClock,
  isIn,
  type TestPostern,
  useBrowserCase,
  usePostern,
  visit,
} from '../fixture.ts';
import { MORE_RULES } from '../portal/screens.ts';
import { SPACING } from '../wcag.ts';

const AXE = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text();

const { postern, serve } = useBrowserCase(import.meta.dir);
// No test waits until these puzzles are solved.
const slow = usePostern({ level: 250 });
const shortLived = usePostern({ level: 250, validitySeconds: 60 });
let tab: Tab | undefined;

afterEach(() => {
  tab?.close();
  tab = undefined;
});

/** Attributes of the widget, and the theme of the page. */
type Options = { readonly theme?: string; readonly mode?: string; readonly page?: string };

async function open(
  server: TestPostern,
  options: Options,
  prelude = '',
  sitekey = server.sitekey,
): Promise<Tab> {
  const values = { postern: server.url, sitekey, theme: '', mode: '', page: 'light', ...options };
  tab = await visit(await serve(values), prelude);
  return tab;
}

const start = (page: Tab) => page.evaluate('postern.autoWidget.execute()');

/** Opens a page with a widget in each state. */
const STATES: Readonly<Record<string, (options: Options) => Promise<Tab>>> = {
  idle: (options) => open(postern, options),
  async solving(options) {
    const page = await open(slow, options);
    await start(page);
    await page.until(isIn('solving'));
    return page;
  },
  async verified(options) {
    const page = await open(postern, options);
    await start(page);
    await page.until(isIn('verified'));
    return page;
  },
  async expired(options) {
    // Only a widget on a hidden page remains in this state.
    const page = await open(shortLived, options, `${fastClock(50)}; ${HIDEABLE}`);
    await start(page);
    await page.evaluate('window.isHidden = true');
    await page.until(isIn('expired'));
    return page;
  },
  async failed(options) {
    const page = await open(postern, options, '', postern.foreignSitekey);
    await start(page);
    await page.until(isIn('failed'));
    return page;
  },
};

/** A prelude that lets the page pretend to be hidden. */
const HIDEABLE = `Object.defineProperty(document, 'visibilityState', { get: () => (window.isHidden ? 'hidden' : 'visible') });`;

const prefers = (value: string) => [{ name: 'prefers-color-scheme', value }];

type Appearance = { readonly media: readonly object[]; readonly options?: Options };

const APPEARANCES: Readonly<Record<string, Appearance>> = {
  light: { media: prefers('light') },
  'light, although the visitor prefers dark': { media: prefers('dark') },
  dark: { media: prefers('light'), options: { theme: 'dark', page: 'dark' } },
  'dark by preference': { media: prefers('dark'), options: { theme: 'auto', page: 'dark' } },
  inline: { media: prefers('light'), options: { mode: 'inline' } },
  'inline and dark': { media: prefers('light'), options: { mode: 'inline', theme: 'dark', page: 'dark' } },
  'a popup': { media: prefers('light'), options: { mode: 'popup' } },
  'a dark popup': { media: prefers('light'), options: { mode: 'popup', theme: 'dark' } },
  'forced colors': { media: [{ name: 'forced-colors', value: 'active' }] },
  'reduced motion': { media: [{ name: 'prefers-reduced-motion', value: 'reduce' }] },
};

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** @returns the violations that axe-core finds on the page, including shadow roots: WCAG 2.2 A and AA, and best practices */
async function violationsOf(page: Tab): Promise<readonly string[]> {
  await page.cdp('Runtime.evaluate', { expression: AXE });
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(document, { resultTypes: ["violations"], rules: ${MORE_RULES} }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe.each(Object.keys(STATES))('a widget in the state %s', (state) => {
  test.each(Object.entries(APPEARANCES))(
    'has no violations according to axe-core: %s',
    async (_, { media, options = {} }) => {
      const page = await (STATES[state] as (options: Options) => Promise<Tab>)(options);
      await page.cdp('Emulation.setEmulatedMedia', { features: media });
      expect(await violationsOf(page)).toEqual([]);
      // The state did not change during the analysis.
      expect(await page.evaluate<boolean>(isIn(state))).toBe(true);
    },
  );
});

test('axe-core finds a control without a name inside the widget', async () => {
  const page = await open(postern, {});
  await page.evaluate(`(${BUTTON}.removeAttribute('aria-labelledby'), ${BUTTON}.replaceChildren())`);
  expect((await violationsOf(page)).join('\n')).toMatch(/aria-toggle-field-name|button-name/);
});

test.each(['widget', 'inline', 'popup'])(
  'no text is cut off with the text spacing of WCAG 2.2: %s',
  async (mode) => {
    const page = await open(postern, { mode }, '', postern.foreignSitekey);
    await start(page);
    // The longest text.
    await page.until(isIn('failed'));
    await page.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(SPACING)});
    for (const root of [document, ${BOX}.getRootNode()]) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  })()`);
    for (const width of [320, 800]) {
      await page.cdp('Emulation.setDeviceMetricsOverride', {
        width,
        height: 600,
        deviceScaleFactor: 1,
        mobile: false,
      });
      const cut = await page.evaluate<string[]>(`(() => {
      const box = ${BOX}.getBoundingClientRect();
      const range = document.createRange();
      return [...${BOX}.querySelectorAll('#label, #status, a')].filter((text) => {
        range.selectNodeContents(text);
        const { left, right, top, bottom, width } = range.getBoundingClientRect();
        return width > 0 && (left < box.left || right > box.right || top < box.top || bottom > box.bottom);
      }).map(({ textContent }) => textContent);
    })()`);
      expect(cut).toEqual([]);
      expect(
        await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        ),
      ).toBeLessThanOrEqual(0);
    }
  },
);

test('nothing moves during the check if the visitor prefers reduced motion', async () => {
  const page = await (STATES.solving as (options: Options) => Promise<Tab>)({});
  const moving = `${BOX}.getRootNode().getAnimations().length`;
  await page.until(`${moving} > 0`);
  await page.cdp('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-reduced-motion', value: 'reduce' }],
  });
  await page.until(`${moving} === 0`);
  expect(await page.evaluate<boolean>(isIn('solving'))).toBe(true);
});

test('the control is large enough, and nothing is clipped at 200% zoom', async () => {
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
  // 320 CSS pixels correspond to 640 at 200% zoom. WCAG 2.2, success criterion 1.4.10.
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBeLessThanOrEqual(0);
  expect(await page.evaluate<boolean>(`${BOX}.scrollWidth <= ${BOX}.clientWidth + 1`)).toBe(true);
});
