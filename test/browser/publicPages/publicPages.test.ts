import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS, WATCH_VIOLATIONS } from '../fixture.ts';
import { faultsOf, weightOf } from '../portal/screens.ts';

/** The documentation, the demo, the welcome page, and messages in a real browser. */

setDefaultTimeout(CASE_TIMEOUT_MS);

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DEMO: 'on' } });
  url = server.url.replace('127.0.0.1', 'localhost');
});
afterAll(() => server.stop());

/** Bytes, with the widget that the demo loads. */
const PAGE_LIMIT = 150_000;

async function openPage(path: string): Promise<Tab> {
  const tab = await openTab({ width: 1280, height: 800 });
  await tab.cdp('Page.enable');
  await tab.cdp('Page.addScriptToEvaluateOnNewDocument', { source: WATCH_VIOLATIONS });
  await tab.goto(`${url}${path}`);
  return tab;
}

/** @returns the origins of all requests, except data URLs and blobs */
function hostsOf(tab: Tab): readonly string[] {
  const urls = tab.requests.map((request) => new URL(request.url));
  const remote = urls.filter(({ protocol }) => protocol === 'http:' || protocol === 'https:');
  return [...new Set(remote.map(({ origin }) => origin))];
}

describe('a page outside of the portal', () => {
  test.each([
    ['/', 'welcome'],
    ['/demo', 'demo'],
    ['/docs', 'docs'],
    ['/docs/how-to/verify-on-your-backend', 'docs-code'],
    ['/docs/configuration', 'docs-table'],
    ['/docs/how-to/portal', 'docs-picture'],
    ['/docs/reference/accessibility', 'docs-wide-table'],
    ['/docs/search?q=api+key', 'docs-search'],
    ['/docs/nothing', 'docs-missing'],
    ['/nothing', 'missing'],
  ])('is accessible, fits every window, and contacts no other server: %s', async (path, name) => {
    const tab = await openPage(path);
    // First, because each theme loads its own picture.
    expect(await weightOf(tab)).toBeLessThan(PAGE_LIMIT);
    expect(await faultsOf(tab, name)).toEqual([]);
    expect(await tab.evaluate<string[]>('violations')).toEqual([]);
    expect(hostsOf(tab)).toEqual([url]);
    tab.close();
  });

  test('with a verdict is accessible and fits every window', async () => {
    const tab = await openPage('/demo');
    await tab.evaluate(`void (() => {
      const form = document.querySelector('#form');
      form.innerHTML = '<input name="postern-captcha-solution" value="nonsense">';
      HTMLFormElement.prototype.submit.call(form);
    })()`);
    await tab.until("document.querySelector('#verdict') !== null");
    expect(await tab.evaluate<string>("document.querySelector('#verdict-title').textContent")).toBe(
      'Form rejected',
    );
    await tab.evaluate("void (document.querySelector('.card details').open = true)");
    expect(await faultsOf(tab, 'demo-rejected')).toEqual([]);
    expect(await tab.evaluate<string[]>('violations')).toEqual([]);
    tab.close();
  });
});

describe('the documentation', () => {
  test('shows results while the reader types, and the keyboard opens one', async () => {
    const tab = await openPage('/docs/configuration');
    await tab.click("document.querySelector('.finder input')");
    await tab.cdp('Input.insertText', { text: 'recovery codes' });
    await tab.until("document.querySelector('.found a mark') !== null");
    await tab.press('ArrowDown');
    await tab.until("document.activeElement === document.querySelector('.found a')");
    const target = await tab.evaluate<string>('document.activeElement.href');
    await tab.press('Enter');
    await tab.until(`location.href === ${JSON.stringify(target)}`);
    expect(await tab.evaluate<string[]>('violations')).toEqual([]);
    tab.close();
  });

  test('closes the results with Escape', async () => {
    const tab = await openPage('/docs');
    await tab.click("document.querySelector('.finder input')");
    await tab.cdp('Input.insertText', { text: 'nginx' });
    await tab.until("document.querySelector('.found a') !== null");
    // The results did not fit into narrow windows.
    expect(await faultsOf(tab, 'docs-results')).toEqual([]);
    await tab.press('Escape');
    await tab.until("document.querySelector('.found').hidden");
    tab.close();
  });

  test('marks the current section in the table of contents', async () => {
    const tab = await openPage('/docs/how-to/portal#create-api-keys');
    await tab.until("document.querySelector('.toc [aria-current]')?.hash === '#create-api-keys'");
    tab.close();
  });

  test('copies code, in full where it is shortened', async () => {
    const tab = await openPage('/docs/how-to/verify-on-your-backend');
    await tab.cdp('Browser.grantPermissions', {
      origin: url,
      permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'],
    });
    await tab.click("document.querySelector('.code .copy')");
    await tab.until("document.querySelector('.code .copy').textContent === 'Copied'");
    const same = `navigator.clipboard.readText().then((text) => text === document.querySelector('.code pre').textContent.trimEnd())`;
    expect(await tab.evaluate<boolean>(same)).toBe(true);
    tab.close();
  });

  test('opens its navigation with a button in narrow windows', async () => {
    const tab = await openPage('/docs/configuration');
    await tab.cdp('Emulation.setDeviceMetricsOverride', {
      width: 390,
      height: 800,
      deviceScaleFactor: 1,
      mobile: true,
    });
    const isShown = "document.querySelector('.tree').checkVisibility()";
    await tab.until(`!${isShown}`);
    // The page beside the navigation, on which a click only closes it.
    const isReached = "document.elementFromPoint(370, 400).closest('main') !== null";
    expect(await tab.evaluate<boolean>(isReached)).toBe(true);
    await tab.click("document.querySelector('.menu')");
    await tab.until(isShown);
    expect(await tab.evaluate<boolean>(isReached)).toBe(false);
    await tab.press('Escape');
    await tab.until(`!${isShown}`);
    tab.close();
  });
});
