import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { useBrowserCase, type Website } from '../fixture.ts';
import { REQUIRED_APIS } from './requiredApis.ts';

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

type Widget = { readonly script: string; readonly css: string; readonly field: string };

const OWN: Widget = {
  script: '/widget/postern.js',
  css: 'postern-captcha',
  field: 'postern-captcha-solution',
};
/** The scripts that replace those of other vendors. */
const VENDORS: readonly Widget[] = [
  { script: '/recaptcha/api.js', css: 'g-recaptcha', field: 'g-recaptcha-response' },
  { script: '/1/api.js', css: 'h-captcha', field: 'h-captcha-response' },
  { script: '/turnstile/v0/api.js', css: 'cf-turnstile', field: 'cf-turnstile-response' },
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
async function submitWith(api: string, mode: string, widget = OWN) {
  await tab.evaluate(`run('${api}', '${mode}', ${JSON.stringify(widget)})`);
  return resultOf(api, mode, widget);
}

async function resultOf(api: string, mode: string, { script, field }: Widget) {
  const name = `${script} ${api} ${mode}`;
  const solutions = website.submissions
    .filter((form) => form.get('case') === name)
    .map((form) => form.get(field) ?? '');
  const reports = await tab.evaluate<string[]>(`reports['${name}'] ?? []`);
  return { solutions, reports };
}

/** @returns the APIs that a script uses from the start to the submission */
async function usedBy(widget: Widget): Promise<readonly string[]> {
  const { solutions } = await submitWith('', 'recorded', widget);
  expect(solutions.at(-1)).toMatch(/./);
  return tab.evaluate<string[]>('[...used].sort()');
}

/**
 * Breaks each API on a page of its own. Several at once, because each page waits for the server and for its workers.
 *
 * @returns the APIs without which the form was sent without a solution
 */
async function expectSent(apis: readonly string[], mode: string, widget: Widget): Promise<readonly string[]> {
  await tab.evaluate(`runAll(${JSON.stringify(apis)}, '${mode}', ${JSON.stringify(widget)})`);
  const wrong: string[] = [];
  const unsolved: string[] = [];
  for (const api of apis) {
    const { solutions, reports } = await resultOf(api, mode, widget);
    const isSolved = Boolean(solutions[0]);
    if (!isSolved) unsolved.push(api);
    if (solutions.length !== 1 || reports.length > 1 || (!isSolved && FALLBACKS.includes(api)))
      wrong.push(`${api}: ${solutions.length} submissions, solved: ${isSolved}, ${reports.join(' | ')}`);
  }
  expect(wrong).toEqual([]);
  return unsolved;
}

test.each(['removed', 'throwing'])(
  'if a Web API is %s, the form is sent once, at most one exception is reported, and fallbacks work',
  async (mode) => {
    const apis = await usedBy(OWN);
    expect(apis.length).toBeGreaterThan(80);
    const unsolved = await expectSent(apis, mode, OWN);
    // The page about browsers is based on this list. Only WebKit reads the length when it iterates over a list.
    const required = unsolved.filter((api) => api !== 'NodeList.prototype.length');
    if (mode === 'removed') expect(required).toEqual([...REQUIRED_APIS]);
  },
  600_000,
);

// The APIs that the own widget uses as well are tested with it.
test.each(VENDORS)(
  'the same is true for the APIs that only $script uses',
  async (widget) => {
    const own = new Set(await usedBy(OWN));
    const apis = (await usedBy(widget)).filter((api) => !own.has(api));
    expect(apis.length).toBeGreaterThan(0);
    for (const mode of ['removed', 'throwing']) await expectSent(apis, mode, widget);
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
