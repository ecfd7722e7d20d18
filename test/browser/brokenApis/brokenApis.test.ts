import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { useBrowserCase, type Website } from '../fixture.ts';

/**
 * The page removes each Web API that the widget uses, or makes it throw. An exception during the mounting once froze the tab, because
 * each attempt changed the page, which led to the next attempt.
 */

const { serve } = useBrowserCase(import.meta.dir, { level: 1 });

/** APIs that the widget does not need: the check is successful without them. */
const FALLBACKS = [
  'Blob',
  'CSSStyleSheet',
  'CSSStyleSheet.prototype.replaceSync',
  'Element.prototype.checkVisibility',
  'HTMLFormElement.prototype.requestSubmit',
  'MutationObserver',
  'MutationObserver.prototype.observe',
  'ResizeObserver',
  'ResizeObserver.prototype.disconnect',
  'ResizeObserver.prototype.observe',
  'ShadowRoot.prototype.adoptedStyleSheets',
  'URL.createObjectURL',
  'Worker',
  'Worker.prototype.postMessage',
  'Worker.prototype.terminate',
  'clearTimeout',
  'setTimeout',
];

/** Names of the language. */
const LANGUAGE =
  /^(?:Object|Function|Array|Number|parse.*|Infinity|NaN|undefined|Boolean|String|Symbol|Date|Promise|RegExp|.*Error|JSON|Math|Intl|.*Array|ArrayBuffer|DataView|Map|BigInt|Set|WeakMap|WeakSet|WeakRef|Proxy|Reflect|decode.*|encode.*|escape|unescape|eval|is.*|globalThis|Atomics)$/;

let website: Website;
let tab: Tab;
beforeAll(async () => {
  website = await serve();
  tab = await openTab();
  await tab.goto(website.url);
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => LANGUAGE.test(name));
  await tab.evaluate(`void (window.languageGlobals = ${JSON.stringify(names)})`);
});
afterAll(() => {
  // The exceptions are those of the broken APIs.
  expect(() => tab.close()).toThrow('is broken');
});

/** Loads the page with a broken API in a frame, and submits its form. */
async function submitWith(api: string, mode: string) {
  await tab.evaluate(`run('${api}', '${mode}')`);
  return resultOf(api, mode);
}

async function resultOf(api: string, mode: string) {
  const solutions = website.submissions
    .filter((form) => form.get('case') === `${api} ${mode}`)
    .map((form) => form.get('postern-captcha-solution') ?? '');
  const reports = await tab.evaluate<string[]>(`reports['${api} ${mode}'] ?? []`);
  return { solutions, reports };
}

test.each(['removed', 'throwing'])(
  'if a Web API is %s, the form is sent once, at most one exception is reported, and fallbacks work',
  async (mode) => {
    await submitWith('', 'recorded');
    const apis = await tab.evaluate<string[]>('[...used].sort()');
    expect(apis.length).toBeGreaterThan(80);
    const wrong: string[] = [];
    // Several at once, because each page waits for the server and for its workers.
    await tab.evaluate(`runAll(${JSON.stringify(apis)}, '${mode}')`);
    for (const api of apis) {
      const { solutions, reports } = await resultOf(api, mode);
      const isSolved = Boolean(solutions[0]) || !FALLBACKS.includes(api);
      if (solutions.length !== 1 || reports.length > 1 || !isSolved)
        wrong.push(`${api}: ${solutions.length} submissions, solved: ${isSolved}, ${reports.join(' | ')}`);
    }
    expect(wrong).toEqual([]);
  },
  600_000,
);

test.each(['fetch', 'Response.prototype.text'])('if %s never settles, the form is sent', async (api) => {
  const { solutions, reports } = await submitWith(api, 'pending');
  expect([solutions, reports]).toEqual([[''], [expect.stringContaining('[postern] service-unreachable')]]);
});

test.each(['attachShadow', 'ResizeObserver', 'a property that cannot be redefined'])(
  'a page without %s stays responsive',
  async (name) => {
    const { solutions } = await submitWith(name, 'mounted');
    expect(solutions.length).toBe(1);
  },
);
