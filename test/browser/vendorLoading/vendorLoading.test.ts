import { afterEach, describe, expect, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { useBrowserCase } from '../fixture.ts';

/** The ways to load the scripts that replace other vendors' scripts. */

const { postern, serve } = useBrowserCase(import.meta.dir);
let tab: Tab | undefined;
afterEach(() => {
  tab?.close();
  tab = undefined;
});

const VENDORS = [
  { path: '/widget/js/privatecaptcha.js', css: 'private-captcha', field: 'private-captcha-solution' },
  { path: '/recaptcha/api.js', css: 'g-recaptcha', field: 'g-recaptcha-response' },
  { path: '/1/api.js', css: 'h-captcha', field: 'h-captcha-response' },
  { path: '/turnstile/v0/api.js', css: 'cf-turnstile', field: 'cf-turnstile-response' },
] as const;
type Vendor = (typeof VENDORS)[number];

const MODES = ['', 'async', 'defer', 'type="module"', 'type="module" async'];

/** The sitekey with the dashes of a UUID, which some vendors' configurations require. */
const uuid = () => postern.sitekey.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const form = ({ css }: Vendor) =>
  `<form><div class="${css}" data-sitekey="${uuid()}" data-start-mode="click"></div></form>`;

const scriptOf = ({ path }: Vendor, mode: string, query = '') =>
  `<script ${mode} src="${postern.url}${path}${query}" onload="order.push('load')"></script>`;

async function open(head: string, body: string): Promise<Tab> {
  const log = '<script>window.order = []; window.loaded = () => order.push("onload");</script>';
  const site = await serve({ head: log + head, body });
  tab = await openTab();
  await tab.goto(site.url);
  return tab;
}

/** Waits for the vendor's only widget, starts its check unless the check starts automatically, and verifies its token. */
async function expectSolved(page: Tab, { css, field }: Vendor): Promise<void> {
  await page.until(`document.querySelectorAll('.${css} > div, .${css} > [data-postern] > div').length > 0`);
  const hosts = `[...document.querySelectorAll('.${css}, .${css} *')].filter(({ shadowRoot }) => shadowRoot)`;
  expect(await page.evaluate<number>(`${hosts}.length`)).toBe(1);
  if (css !== 'cf-turnstile') await page.evaluate(`${hosts}[0].shadowRoot.querySelector('button').click()`);
  const value = `document.querySelector('.${css} [name=${field}]').value`;
  await page.until(`${value} !== ''`);
  expect(await postern.verify(await page.evaluate(value))).toMatchObject({ success: true, code: 0 });
}

describe.each(VENDORS)('$path', (vendor) => {
  test.each(MODES)(
    'works as a script with the attributes "%s", and calls onload after its load event',
    async (mode) => {
      const page = await open(scriptOf(vendor, mode, '?onload=loaded'), form(vendor));
      await page.until("order.includes('onload')");
      expect(await page.evaluate<string[]>('order')).toEqual(['load', 'onload']);
      await expectSolved(page, vendor);
    },
  );

  test.each(['', 'async'])(
    'works if the page loads the script twice, with the attributes "%s"',
    async (mode) => {
      const script = scriptOf(vendor, mode, '?onload=loaded');
      const page = await open(script, form(vendor) + script);
      await page.until("order.filter((name) => name === 'onload').length === 2");
      await expectSolved(page, vendor);
    },
  );

  test('works if another module imports it', async () => {
    const program = `<script type="module">await import('${postern.url}${vendor.path}?onload=loaded'); order.push('load');</script>`;
    const page = await open(program, form(vendor));
    await page.until("order.includes('onload')");
    await expectSolved(page, vendor);
  });
});

test.each(MODES)('all scripts work on one page with the attributes "%s"', async (mode) => {
  const head = VENDORS.map((vendor) => scriptOf(vendor, mode)).join('');
  const page = await open(head, VENDORS.map(form).join(''));
  for (const vendor of VENDORS) await expectSolved(page, vendor);
});
