import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Tab } from '../../support/browser.ts';
import {
  BOX,
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  isIn,
  type Site,
  STATUS,
  serveSite,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
const sites: Site[] = [];
beforeAll(async () => {
  postern = await startPostern();
});
afterAll(async () => {
  for (const site of sites) await site.stop();
  await postern.stop();
});

async function open(values: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Tab> {
  const given = { postern: postern.url, sitekey: postern.sitekey, ...values };
  const site = await serveSite(import.meta.dir, given, headers);
  sites.push(site);
  return visit(site);
}

const ELEMENT = "document.querySelector('.postern-captcha')";
const HOST = `${ELEMENT}.firstElementChild`;
const isSeen = `(${BUTTON}.getClientRects().length > 0)`;
const styleOf = (part: string, name: string) => `getComputedStyle(${part}).${name}`;

describe('the object at the element', () => {
  test('may have a name that elements use themselves', async () => {
    const tab = await open();
    await tab.evaluate("postern.autoWidget.reset({ storeVariable: 'children' })");
    expect(await tab.evaluate<string>(`${ELEMENT}.children.state()`)).toBe('idle');
    tab.close();
  });
});

test('an option that is undefined leaves the attribute as it is', async () => {
  const tab = await open({ theme: 'dark' });
  await tab.evaluate('postern.autoWidget.reset({ theme: undefined, debug: false })');
  expect(await tab.evaluate<string>(`${ELEMENT}.dataset.theme`)).toBe('dark');
  expect(await tab.evaluate<string>(`${ELEMENT}.dataset.debug`)).toBe('false');
  tab.close();
});

describe('callbacks', () => {
  test('are called in order, as methods of their owners, with the widget alone', async () => {
    const tab = await open();
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until('calls.length === 3');
    await tab.evaluate(`${ELEMENT}.captcha.reset()`);
    await tab.until('calls.length === 4');
    expect(await tab.evaluate<unknown>('calls')).toEqual([
      ['begun', true, 1, 'idle'],
      ['started', true, 1, 'solving'],
      ['finished', true, 1, 'verified'],
      ['emptied', true, 1, 'idle'],
    ]);
    tab.close();
  });

  test('hear of an error', async () => {
    const tab = await open({ sitekey: postern.foreignSitekey });
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until('calls.length === 3');
    expect(await tab.evaluate<unknown>('calls[2]')).toEqual(['errored', true, 1, 'failed']);
    tab.close();
  });

  test('that are not there are named in the console', async () => {
    const tab = await open();
    await tab.evaluate(`${ELEMENT}.captcha.reset({ startedCallback: 'site.nowhere' })`);
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until(isIn('verified'));
    expect(tab.consoleLines).toContain('error [postern] startedCallback: no function "site.nowhere"');
    tab.close();
  });
});

describe('the display mode', () => {
  test('popup: nothing is seen until a check runs, and soon after it is done', async () => {
    const tab = await open({ mode: 'popup' });
    expect(await tab.evaluate<boolean>(isSeen)).toBe(false);
    const shown = `window.sawPopup = new Promise((resolve) => {
      document.addEventListener('postern:progress', () => resolve(${isSeen} && ${styleOf(HOST, 'position')}));
    })`;
    await tab.evaluate(`void (${shown})`);
    await tab.click("document.querySelector('#name')");
    expect(await tab.evaluate<unknown>('sawPopup')).toBe('fixed');
    await tab.until(isIn('verified'));
    expect(await tab.evaluate<boolean>(isSeen)).toBe(true);
    await tab.until(`!${isSeen}`);
    expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
    tab.close();
  });

  test('popup: a failed check stays, and can be repeated; a reset hides it', async () => {
    const tab = await open({ mode: 'popup', sitekey: postern.foreignSitekey });
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until(isIn('failed'));
    expect(await tab.evaluate<boolean>(isSeen)).toBe(true);
    await tab.evaluate(`void (${ELEMENT}.dataset.sitekey = '${postern.sitekey}')`);
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    await tab.evaluate(`${ELEMENT}.captcha.reset()`);
    expect(await tab.evaluate<boolean>(isSeen)).toBe(false);
    tab.close();
  });

  test('popup: it lies inside the window, on a phone too', async () => {
    const tab = await open({ mode: 'popup', sitekey: postern.foreignSitekey });
    await tab.cdp('Emulation.setDeviceMetricsOverride', {
      width: 320,
      height: 512,
      deviceScaleFactor: 2,
      mobile: true,
    });
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until(isIn('failed'));
    const { left, right, bottom } = await tab.evaluate<{ left: number; right: number; bottom: number }>(
      `(({ left, right, bottom }) => ({ left, right: innerWidth - right, bottom: innerHeight - bottom }))(${HOST}.getBoundingClientRect())`,
    );
    expect(Math.min(left, right, bottom)).toBeGreaterThanOrEqual(8);
    tab.close();
  });

  test('hidden: nothing is ever seen, and all is done', async () => {
    const tab = await open({ mode: 'hidden' });
    await tab.click("document.querySelector('#name')");
    await tab.until(isIn('verified'));
    expect(await tab.evaluate<boolean>(isSeen)).toBe(false);
    expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
    tab.close();
  });

  test('inline: it stands in the line, in the colour of the text around it', async () => {
    const tab = await open({ mode: 'inline' });
    await tab.evaluate("void (document.querySelector('form').style.color = 'rgb(10, 20, 30)')");
    expect(await tab.evaluate<string>(styleOf(HOST, 'display'))).toBe('inline-block');
    expect(await tab.evaluate<string>(styleOf(BOX, 'color'))).toBe('rgb(10, 20, 30)');
    const height = await tab.evaluate<number>(`${BUTTON}.getBoundingClientRect().height`);
    expect(height).toBeGreaterThanOrEqual(24);
    expect(height).toBeLessThan(40);
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    tab.close();
  });

  test('that nobody knows is named in the console; the widget is shown', async () => {
    const tab = await open({ mode: 'floating' });
    expect(await tab.evaluate<boolean>(isSeen)).toBe(true);
    expect(tab.consoleLines).toContain(
      'error [postern] displayMode "floating" is not one of widget, popup, hidden, inline',
    );
    tab.close();
  });

  test('changes with a reset', async () => {
    const tab = await open();
    expect(await tab.evaluate<boolean>(isSeen)).toBe(true);
    await tab.evaluate(`${ELEMENT}.captcha.reset({ displayMode: 'popup' })`);
    expect(await tab.evaluate<boolean>(isSeen)).toBe(false);
    tab.close();
  });
});

describe('the theme', () => {
  const WHITE = 'rgb(255, 255, 255)';
  const DARK = 'rgb(28, 33, 40)';

  test.each([
    ['', 'dark', WHITE],
    ['light', 'dark', WHITE],
    ['dark', 'light', DARK],
    ['auto', 'light', WHITE],
    ['auto', 'dark', DARK],
  ])('"%s", where the visitor prefers %s, has the ground %s', async (theme, preference, ground) => {
    const tab = await open({ theme });
    await tab.cdp('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: preference }],
    });
    expect(await tab.evaluate<string>(styleOf(BOX, 'backgroundColor'))).toBe(ground);
    tab.close();
  });
});

describe('styles', () => {
  test('of the attribute win, under a policy that forbids inline styles', async () => {
    const policy = "style-src 'self'";
    const styles = '--postern-background: rgb(1, 2, 3); --postern-radius: 0; max-width: 200px';
    const tab = await open({ styles, theme: 'dark' }, { 'Content-Security-Policy': policy });
    expect(await tab.evaluate<string>(styleOf(BOX, 'backgroundColor'))).toBe('rgb(1, 2, 3)');
    expect(await tab.evaluate<string>(styleOf(BOX, 'borderTopLeftRadius'))).toBe('0px');
    expect(await tab.evaluate<number>(`${HOST}.getBoundingClientRect().width`)).toBe(200);
    tab.close();
  });

  test('may come from the page’s style sheet', async () => {
    const tab = await open();
    await tab.evaluate(`(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.postern-captcha { --postern-color: rgb(4, 5, 6); --postern-width: 100% }');
      document.adoptedStyleSheets = [sheet];
    })()`);
    expect(await tab.evaluate<string>(styleOf(BOX, 'color'))).toBe('rgb(4, 5, 6)');
    tab.close();
  });
});

test('after a reset the widget says what it said before, in the same language', async () => {
  const tab = await open();
  const before = await tab.evaluate<string>(STATUS);
  await tab.evaluate(`(${ELEMENT}.dataset.lang = 'de', ${ELEMENT}.captcha.reset())`);
  await tab.until(`${STATUS} !== ${JSON.stringify(before)}`);
  await tab.evaluate(`${ELEMENT}.captcha.reset()`);
  expect(await tab.evaluate<string>(`${HOST}.lang`)).toBe('de');
  tab.close();
});
