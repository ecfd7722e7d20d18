import type { Tab } from '../../support/browser.ts';

/** The rules that axe-core checks, and the window sizes. */

const AXE = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text();

/** Rules that axe-core does not apply by default: success criteria 1.3.1, 1.3.4, 2.5.3, and 2.5.8 of WCAG 2.2. */
export const MORE_RULES = JSON.stringify(
  Object.fromEntries(
    ['td-has-header', 'css-orientation-lock', 'label-content-name-mismatch', 'target-size'].map((rule) => [
      rule,
      { enabled: true },
    ]),
  ),
);

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];
export const WIDTHS = { phone: 320, desktop: 1280 } as const;

/** Sets the theme and the width of the page. */
export async function look(tab: Tab, scheme: Scheme, width: number): Promise<void> {
  await tab.cdp('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: scheme }],
  });
  await tab.cdp('Emulation.setDeviceMetricsOverride', {
    width,
    height: 800,
    deviceScaleFactor: 1,
    mobile: width < 600,
  });
}

/**
 * Checks the page with axe-core: rules of WCAG 2.2 A and AA, and best practices.
 *
 * @param rules all of them, or only those about color
 */
async function violationsOf(tab: Tab, rules: 'all' | 'color'): Promise<readonly string[]> {
  if (!(await tab.evaluate<boolean>("'axe' in window")))
    await tab.cdp('Runtime.evaluate', { expression: AXE });
  const choice = rules === 'color' ? 'runOnly: ["cat.color"]' : `rules: ${MORE_RULES}`;
  const found = await tab.evaluate<readonly Violation[]>(
    `axe.run(document, { resultTypes: ["violations"], ${choice} }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Controls that are smaller than 24 pixels in either direction, except links within text (WCAG 2.2, success criterion 2.5.8). */
export function smallTargets(tab: Tab): Promise<readonly string[]> {
  return tab.evaluate(`[...document.querySelectorAll('button, input:not([type="hidden"]), select, summary, nav a')]
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      return width < 24 || height < 24;
    })
    .map((element) => element.outerHTML)`);
}

/** The number of pixels by which the page is wider than the window (WCAG 2.2, success criterion 1.4.10). */
export function overflowOf(tab: Tab): Promise<number> {
  return tab.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/**
 * Runs all checks in both themes and at both widths. With `SCREENSHOTS=folder` in the environment, also writes a screenshot of each
 * to that folder.
 *
 * @returns the violations
 */
export async function faultsOf(tab: Tab, name: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const scheme of SCHEMES) {
    for (const [size, width] of Object.entries(WIDTHS)) {
      await look(tab, scheme, width);
      const where = `${name}, ${scheme}, ${size}`;
      // A theme changes only colors.
      const rules = scheme === 'light' ? 'all' : 'color';
      for (const fault of [...(await violationsOf(tab, rules)), ...(await smallTargets(tab))])
        faults.push(`${where}: ${fault}`);
      const overflow = await overflowOf(tab);
      if (overflow > 0) faults.push(`${where}: ${overflow} pixels too wide`);
      await keep(tab, `${name}-${scheme}-${size}`);
    }
  }
  return faults;
}

/** Runs axe-core and the check of controls in both themes at the width of a laptop. @returns the violations */
export async function violationsInThemes(tab: Tab): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const scheme of SCHEMES) {
    await look(tab, scheme, WIDTHS.desktop);
    const rules = scheme === 'light' ? 'all' : 'color';
    faults.push(...(await violationsOf(tab, rules)).map((fault) => `${scheme}: ${fault}`));
  }
  return [...faults, ...(await smallTargets(tab))];
}

/** Bytes that a browser without a cache transfers for the page and everything that it loads, without the later requests for new numbers. */
export function weightOf(tab: Tab): Promise<number> {
  return tab.evaluate(`(async () => {
    const isLoad = (name) => !new URL(name).pathname.endsWith('/live');
    const names = () => performance.getEntriesByType('resource').map(({ name }) => name);
    const loaded = new Set([location.href, ...names()].filter(isLoad));
    performance.clearResourceTimings();
    for (const one of loaded) await fetch(one, { cache: 'no-store' }).then((answer) => answer.blob(), () => undefined);
    return performance.getEntriesByType('resource').reduce((sum, { name, transferSize }) => sum + (isLoad(name) ? transferSize : 0), 0);
  })()`);
}

async function keep(tab: Tab, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  type Shot = { readonly data: string };
  const { data } = await tab.cdp<Shot>('Page.captureScreenshot', {
    format: 'png',
    captureBeyondViewport: true,
  });
  await Bun.write(`${folder}/${name}.png`, Buffer.from(data, 'base64'));
}
