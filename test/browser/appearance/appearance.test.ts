import { describe, expect, test } from 'bun:test';
import type { Tab } from '../../support/browser.ts';
import { BOX, BUTTON, FIELD, fastClock, isIn, STATUS, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

async function open(values: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Tab> {
  return visit(await serve({ debug: 'true', ...values }, headers));
}

/** Waits for a line in the console, because the texts are in a script that is loaded only for them. */
async function logged(tab: Tab, line: string): Promise<void> {
  while (!tab.consoleLines.includes(line)) await tab.evaluate('new Promise(requestAnimationFrame)');
}

const ELEMENT = "document.querySelector('.postern-captcha')";
const HOST = `${ELEMENT}.firstElementChild`;
const isShown = `(${BUTTON}.getClientRects().length > 0)`;
const styleOf = (part: string, name: string) => `getComputedStyle(${part}).${name}`;

describe('the store variable', () => {
  test('may have the name of a property of the element', async () => {
    const tab = await open();
    await tab.evaluate("postern.autoWidget.reset({ storeVariable: 'children' })");
    expect(await tab.evaluate<string>(`${ELEMENT}.children.state()`)).toBe('idle');
    tab.close();
  });
});

test('an undefined option does not change the attribute', async () => {
  const tab = await open({ theme: 'dark' });
  await tab.evaluate('postern.autoWidget.reset({ theme: undefined, debug: false })');
  expect(await tab.evaluate<string>(`${ELEMENT}.dataset.theme`)).toBe('dark');
  expect(await tab.evaluate<string>(`${ELEMENT}.dataset.debug`)).toBe('false');
  tab.close();
});

describe('callbacks', () => {
  test('are called in order, as methods of their owners, with the widget as the only argument', async () => {
    const tab = await open();
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until('calls.length === 3');
    await tab.evaluate(`${ELEMENT}.captcha.reset()`);
    await tab.until('calls.length === 4');
    expect(await tab.evaluate<unknown>('calls')).toEqual([
      ['initialized', true, 1, 'idle'],
      ['started', true, 1, 'solving'],
      ['finished', true, 1, 'verified'],
      ['wasReset', true, 1, 'idle'],
    ]);
    tab.close();
  });

  test('include one for errors', async () => {
    const tab = await open({ sitekey: postern.foreignSitekey });
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until('calls.length === 3');
    expect(await tab.evaluate<unknown>('calls[2]')).toEqual(['errored', true, 1, 'failed']);
    tab.close();
  });

  test('that do not exist are reported in the console', async () => {
    const tab = await open();
    await tab.evaluate(`${ELEMENT}.captcha.reset({ startedCallback: 'website.missing' })`);
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until(isIn('verified'));
    await logged(tab, 'error [postern] startedCallback: no function "website.missing"');
    tab.close();
  });
});

describe('the display mode', () => {
  test('popup: the widget is visible during the check and shortly after it', async () => {
    const tab = await open({ mode: 'popup' });
    expect(await tab.evaluate<boolean>(isShown)).toBe(false);
    const shown = `window.popupPosition = new Promise((resolve) => {
      document.addEventListener('postern:progress', () => resolve(${isShown} && ${styleOf(HOST, 'position')}));
    })`;
    await tab.evaluate(`void (${shown})`);
    await tab.click("document.querySelector('#name')");
    expect(await tab.evaluate<unknown>('popupPosition')).toBe('fixed');
    await tab.until(isIn('verified'));
    expect(await tab.evaluate<boolean>(isShown)).toBe(true);
    await tab.until(`!${isShown}`);
    expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
    tab.close();
  });

  test('popup: a failed check remains visible and can be repeated; a reset hides it', async () => {
    const tab = await open({ mode: 'popup', sitekey: postern.foreignSitekey });
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until(isIn('failed'));
    expect(await tab.evaluate<boolean>(isShown)).toBe(true);
    await tab.evaluate(`void (${ELEMENT}.dataset.sitekey = '${postern.sitekey}')`);
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    await tab.evaluate(`${ELEMENT}.captcha.reset()`);
    expect(await tab.evaluate<boolean>(isShown)).toBe(false);
    tab.close();
  });

  test('hidden: the check works, but the widget is never visible', async () => {
    const tab = await open({ mode: 'hidden' });
    await tab.click("document.querySelector('#name')");
    await tab.until(isIn('verified'));
    expect(await tab.evaluate<boolean>(isShown)).toBe(false);
    expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
    tab.close();
  });

  test('inline: the widget is part of the line and has its text color', async () => {
    const tab = await open({ mode: 'inline' });
    await tab.until(isShown);
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

  test('that is unknown is reported in the console, and the default is used', async () => {
    const tab = await open({ mode: 'floating' });
    expect(await tab.evaluate<boolean>(isShown)).toBe(true);
    await logged(tab, 'error [postern] displayMode "floating" is not one of widget, popup, hidden, inline');
    tab.close();
  });

  test('can be changed by a reset', async () => {
    const tab = await open();
    expect(await tab.evaluate<boolean>(isShown)).toBe(true);
    await tab.evaluate(`${ELEMENT}.captcha.reset({ displayMode: 'popup' })`);
    expect(await tab.evaluate<boolean>(isShown)).toBe(false);
    tab.close();
  });
});

describe('the script with the rarely used options', () => {
  const extras = (tab: Tab) =>
    tab.requests.filter(({ url }) => /\/widget\/extras\.[\da-f]{16}\.js$/.test(url));

  test.each([
    ['widget', 0],
    ['hidden', 0],
    ['popup', 1],
    ['inline', 1],
  ])('is loaded for the display mode %s %d times', async (mode, times) => {
    const tab = await open({ mode, debug: '' });
    await tab.evaluate(`${ELEMENT}.captcha.execute()`);
    await tab.until(isIn('verified'));
    expect(extras(tab)).toHaveLength(times);
    tab.close();
  });

  test.each([
    ['a strict policy', "script-src {{postern}} 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:"],
    ['trusted types', "require-trusted-types-for 'script'"],
  ])('is loaded under %s', async (_, policy) => {
    const tab = await open({ mode: 'inline' }, { 'Content-Security-Policy': policy });
    await tab.until(isShown);
    expect(await tab.evaluate<string>(styleOf(HOST, 'display'))).toBe('inline-block');
    tab.close();
  });

  test.each(['popup', 'inline'])(
    'may be missing: then, the mode %s looks like the mode widget, and the console says why',
    async (mode) => {
      const tab = await open({ mode: 'hidden', debug: '' });
      await tab.block(['extras']);
      await tab.evaluate(`${ELEMENT}.captcha.reset({ displayMode: '${mode}' })`);
      await tab.until(isShown);
      expect(await tab.evaluate<string>(styleOf(HOST, 'display'))).toBe('block');
      expect(tab.consoleLines).toContainEqual(
        expect.stringMatching(/\[postern\].*extras\.\w+\.js did not load/),
      );
      await tab.click(BUTTON);
      await tab.until(isIn('verified'));
      await tab.block([]);
      tab.close();
    },
  );
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
  ])('"%s" has, if the visitor prefers %s, the background %s', async (theme, preference, background) => {
    const tab = await open({ theme });
    await tab.setMedia([{ name: 'prefers-color-scheme', value: preference }]);
    expect(await tab.evaluate<string>(styleOf(BOX, 'backgroundColor'))).toBe(background);
    tab.close();
  });
});

describe('styles', () => {
  test('of the attribute have precedence, even if the policy blocks inline styles', async () => {
    const policy = "style-src 'self'";
    const styles = '--postern-background: rgb(1, 2, 3); --postern-radius: 0; max-width: 200px';
    const tab = await open({ styles, theme: 'dark' }, { 'Content-Security-Policy': policy });
    expect(await tab.evaluate<string>(styleOf(BOX, 'backgroundColor'))).toBe('rgb(1, 2, 3)');
    expect(await tab.evaluate<string>(styleOf(BOX, 'borderTopLeftRadius'))).toBe('0px');
    expect(await tab.evaluate<number>(`${HOST}.getBoundingClientRect().width`)).toBe(200);
    tab.close();
  });

  test('can be set in the page’s style sheet', async () => {
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

describe('the name and the logo', () => {
  const partOf = (selector: string) => `${BOX}.querySelector('${selector}')`;
  const areShown = (tab: Tab) =>
    tab.evaluate<boolean[]>(
      `[${['.brand svg', '.brand'].map((part) => `${partOf(part)}.getClientRects().length > 0`).join()}]`,
    );

  test.each([
    ['', [true, true]],
    ['name', [false, true]],
    ['none', [false, false]],
    ['big', [true, true]],
  ])('are shown as data-branding="%s" says', async (branding, shown) => {
    const tab = await open();
    await tab.evaluate(`${ELEMENT}.captcha.reset({ branding: '${branding}' })`);
    expect(await areShown(tab)).toEqual(shown);
    if (branding === 'big')
      await logged(tab, 'error [postern] branding "big" is not one of logo, name, none');
    else expect(tab.consoleLines).toEqual([]);
    tab.close();
  });

  test.each([
    ['', 300, true],
    ['', 240, false],
    ['', 170, false],
    ['name', 240, true],
  ])('with data-branding="%s", %i pixels have space for the name: %p', async (branding, width, hasName) => {
    const tab = await open();
    await tab.evaluate(`${ELEMENT}.captcha.reset({ branding: '${branding}' })`);
    await tab.evaluate(`void (${ELEMENT}.style.width = '${width}px')`);
    const isWhole = `((brand) => {
      const text = document.createRange();
      text.selectNodeContents(brand.lastChild);
      const [inner, outer] = [text.getBoundingClientRect(), brand.getBoundingClientRect()];
      return inner.right <= outer.right + 1 && inner.left >= outer.left - 1;
    })(${partOf('.brand')})`;
    expect(await tab.evaluate<boolean>(isWhole)).toBe(hasName);
    tab.close();
  });
});

test('the message of a failed check does not move the page', async () => {
  const tab = await visit(await serve(), fastClock(20));
  await tab.evaluate(`${ELEMENT}.dataset.puzzleEndpoint = 'http://localhost:1/puzzle'`);
  const height = `${BOX}.getBoundingClientRect().height`;
  const before = await tab.evaluate<number>(height);
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  expect(await tab.evaluate<string>(STATUS)).toContain('could not be reached');
  expect(await tab.evaluate<number>(height)).toBe(before);
  tab.close();
});

describe('the privacy link', () => {
  const LINK = `${BOX}.querySelector('a')`;
  const isLinkShown = `(${LINK}?.getClientRects().length > 0)`;

  test('appears if the page sets its URL, and a click on it does not start the check', async () => {
    const tab = await open();
    expect(await tab.evaluate<boolean>(isLinkShown)).toBe(false);
    await tab.evaluate(`${ELEMENT}.captcha.reset({ privacyUrl: '/privacy' })`);
    await tab.until(isLinkShown);
    expect(await tab.evaluate<string>(`${LINK}.textContent`)).toBe('Privacy');
    expect(await tab.evaluate<string>(`${LINK}.href`)).toBe(
      await tab.evaluate<string>("new URL('/privacy', location).href"),
    );
    expect(await tab.evaluate<string>(`${LINK}.target + ' ' + ${LINK}.rel`)).toBe('_blank noopener');
    await tab.evaluate(`void ${LINK}.addEventListener('click', (event) => event.preventDefault())`);
    await tab.click(LINK);
    expect(await tab.evaluate<string>(`${ELEMENT}.captcha.state()`)).toBe('idle');
    tab.close();
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'http://'])('does not appear for %s', async (url) => {
    const tab = await open();
    await tab.evaluate(`${ELEMENT}.captcha.reset({ privacyUrl: '${url}' })`);
    await logged(tab, `error [postern] privacyUrl "${url}" is not an http or https URL`);
    expect(await tab.evaluate<boolean>(isLinkShown)).toBe(false);
    expect(await tab.evaluate<string>(`${LINK}.getAttribute('href')`)).toBe('');
    tab.close();
  });
});

test('a reset does not change the language', async () => {
  const tab = await open();
  const before = await tab.evaluate<string>(STATUS);
  await tab.evaluate(`(${ELEMENT}.dataset.lang = 'de', ${ELEMENT}.captcha.reset())`);
  await tab.until(`${STATUS} !== ${JSON.stringify(before)}`);
  await tab.evaluate(`${ELEMENT}.captcha.reset()`);
  expect(await tab.evaluate<string>(`${HOST}.lang`)).toBe('de');
  tab.close();
});
