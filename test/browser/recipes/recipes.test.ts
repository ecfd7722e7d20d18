import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import {
  BOX,
  CASE_TIMEOUT_MS,
  COUNT_WORKERS,
  isIn,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';
import { buildRecipe, type Framework, readRecipes, renderRecipe } from './build.ts';
import { type RecipeSite, serveRecipe } from './site.ts';

/** The code of docs/how-to/frameworks.md, run as it stands there. */

setDefaultTimeout(CASE_TIMEOUT_MS);

const recipes = await readRecipes();
let postern: TestPostern;
let slow: TestPostern;
const sites: RecipeSite[] = [];
beforeAll(async () => {
  postern = await startPostern();
  slow = await startPostern({ level: 250 });
});
afterAll(async () => {
  for (const site of sites) await site.stop();
  await slow.stop();
  await postern.stop();
});

function serve(files: ReadonlyMap<string, string>, at = postern, sitekey = at.sitekey): RecipeSite {
  const site = serveRecipe(files, at, sitekey);
  sites.push(site);
  return site;
}

const TAG = '<script src="https://captcha.example.com/widget/postern.js" defer></script>';

/** The page of a framework's recipe. @param head more of it, as the tag that loads the widget */
async function filesOf(framework: Framework, head = '', files = recipes) {
  const page = `<!doctype html><html lang="en"><title>${framework}</title>${head}
    <main></main><script src="/page.js"></script><script>mount()</script></html>`;
  return new Map([
    ['signup.html', page],
    ['page.js', await buildRecipe(framework, files)],
  ]);
}

const COUNT_INITS = `
  window.inits = 0;
  document.addEventListener('postern:init', () => { inits += 1; });`;

const STATUS = "document.querySelector('output').textContent";
const HOST = "document.querySelector('.postern-captcha > div')";
const SENT = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/signup')).length";

/** Types an address and sends the form by Enter. */
async function signUp(tab: Tab, address: string): Promise<void> {
  await tab.click("document.querySelector('input[name=email]')");
  await tab.cdp('Input.insertText', { text: address });
  await tab.press('Enter');
}

async function untilSent(tab: Tab, times: number): Promise<void> {
  await tab.until(`${SENT} === ${times} && ${STATUS} !== 'sending' && ${isIn('idle')}`);
}

function complaintsIn(tab: Tab): readonly string[] {
  return tab.consoleLines.filter((line) => /^(error|warn|assert)/.test(line));
}

/** The form goes twice, each time with a payload that Postern takes, from one and the same widget. */
async function expectTwoSent(tab: Tab, site: RecipeSite): Promise<void> {
  await tab.evaluate(`void (window.kept = ${HOST})`);
  await signUp(tab, 'ada@example.com');
  await untilSent(tab, 1);
  expect(await tab.evaluate<string>(STATUS)).toBe('welcome');
  // At rest, so this one waits for its payload.
  await tab.evaluate("document.querySelector('form').requestSubmit(document.querySelector('form button'))");
  await untilSent(tab, 2);
  expect(await tab.evaluate<string>(STATUS)).toBe('welcome');
  expect(await tab.evaluate<boolean>(`${HOST} === kept`)).toBe(true);
  expect(site.received.map(({ verdict }) => [verdict.success, verdict.code])).toEqual([
    [true, 0],
    [true, 0],
  ]);
  for (const { fields } of site.received) {
    expect(fields.get('email')).toBe('ada@example.com');
    expect(fields.get('plan')).toBe('free');
  }
  expect(new Set(site.received.map(({ payload }) => payload)).size).toBe(2);
}

describe.each(['react', 'vue', 'svelte'] as const)('%s', (framework) => {
  test.each([
    ['loads the widget itself', ''],
    ['finds the widget on the page', TAG],
  ])('a form that %s is verified, twice, and again after it was mounted anew', async (_, head) => {
    const site = serve(await filesOf(framework, head));
    const tab = await visit(site, COUNT_WORKERS + COUNT_INITS);
    await expectTwoSent(tab, site);
    expect(await tab.evaluate<number>('inits')).toBe(1);
    expect(await tab.evaluate<number>("document.querySelectorAll('script[src*=postern]').length")).toBe(1);

    await tab.evaluate('unmount()');
    await tab.until('postern.autoWidget === undefined');
    expect(await tab.evaluate<number>('openWorkers')).toBe(0);
    await tab.evaluate('mount()');
    await tab.until(isIn('idle'));
    await signUp(tab, 'bob@example.com');
    await untilSent(tab, 3);
    expect(site.received[2]?.verdict).toMatchObject({ success: true, code: 0 });
    expect(complaintsIn(tab)).toEqual([]);
    tab.close();
  });

  test('a form that goes while its puzzle is solved leaves no worker behind', async () => {
    const tab = await visit(serve(await filesOf(framework), slow), COUNT_WORKERS);
    await signUp(tab, 'ada@example.com');
    await tab.until('openWorkers > 0');
    expect(await tab.evaluate<string>(STATUS)).toBe('sending');
    await tab.evaluate('unmount()');
    await tab.until('openWorkers === 0 && postern.autoWidget === undefined');
    await tab.evaluate('mount()');
    await tab.until(isIn('idle'));
    await tab.click("document.querySelector('input[name=email]')");
    await tab.until('openWorkers > 0');
    await tab.evaluate('unmount()');
    await tab.until('openWorkers === 0');
    expect(complaintsIn(tab)).toEqual([]);
    tab.close();
  });
});

const HEAR = `
  const told = ({ detail }) => heard.push(detail.solution);
  const hear = (element) => {
    element.addEventListener('postern:finish', told);
    return () => element.removeEventListener('postern:finish', told);
  };`;

/** What the page says that components may do besides: the class and the other attributes, and more of the script. */
const CHANGES = {
  react: {
    file: 'SignupForm.jsx',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the component's own
    attributes: 'className={`postern-captcha ${status}`} title={status} ref={hear}',
    script: 'export function',
    more: `${HEAR}\nexport function`,
  },
  vue: {
    file: 'SignupForm.vue',
    attributes: 'class="postern-captcha" :class="status" :title="status" @postern:finish="told"',
    script: '<script setup>',
    more: `<script setup>${HEAR}`,
  },
  svelte: {
    file: 'SignupForm.svelte',
    attributes: `class={['postern-captcha', status]} title={status}
      {@attach (element) => on(element, 'postern:finish', told)}`,
    script: '<script>',
    more: `<script>import { on } from 'svelte/events'; ${HEAR}`,
  },
} as const;

test.each(['react', 'vue', 'svelte'] as const)(
  '%s may change the class and other attributes of the element, and hear its events',
  async (framework) => {
    const { file, attributes, script, more } = CHANGES[framework];
    const changed = (recipes.get(file) ?? '')
      .replace(/class(Name)?="postern-captcha"/, attributes)
      .replace(script, more);
    const site = serve(await filesOf(framework, '', new Map([...recipes, [file, changed]])));
    const tab = await visit(site, 'window.heard = [];');
    await expectTwoSent(tab, site);
    const element = "document.querySelector('[data-postern]')";
    expect(await tab.evaluate<string>(`${element}.className`)).toBe('postern-captcha welcome');
    expect(await tab.evaluate<string>(`${element}.title`)).toBe('welcome');
    expect(await tab.evaluate<string[]>('heard')).toEqual(site.received.map(({ payload }) => payload));
    expect(complaintsIn(tab)).toEqual([]);
    tab.close();
  },
);

describe('rendered on a server', () => {
  /** React's element as the page tells it for a server that sends the tag along. */
  const kept = recipes.get('server.jsx')?.trim() ?? '';

  async function hydrate(framework: Framework, head: string, files = recipes): Promise<[Tab, RecipeSite]> {
    const page = `<!doctype html><html lang="en"><title>${framework}</title>${head}
      <main>${await renderRecipe(framework, files)}</main><script src="/page.js"></script></html>`;
    const script = await buildRecipe(framework, files);
    const site = serve(
      new Map([
        ['signup.html', page],
        ['page.js', script],
      ]),
    );
    const tab = await openTab();
    await tab.goto(site.url);
    if (head !== '') await tab.until(`${BOX} !== undefined`);
    await tab.evaluate(`void (window.first = document.querySelector('.postern-captcha'), hydrate())`);
    await tab.until(`${BOX} && ${isIn('idle')}`);
    return [tab, site];
  }

  async function expectHydrated(tab: Tab, site: RecipeSite): Promise<void> {
    await expectTwoSent(tab, site);
    expect(await tab.evaluate<boolean>("first === document.querySelector('.postern-captcha')")).toBe(true);
    expect(complaintsIn(tab)).toEqual([]);
    tab.close();
  }

  test.each(['react', 'vue', 'svelte'] as const)(
    '%s loads the widget once it has woken up',
    async (framework) => {
      await expectHydrated(...(await hydrate(framework, '')));
    },
  );

  test.each(['vue', 'svelte'] as const)('%s wakes up around a widget that is there', async (framework) => {
    await expectHydrated(...(await hydrate(framework, TAG)));
  });

  test('react does too, where it is told that the children are not its own', async () => {
    const own = /<div className="postern-captcha".*\/>/;
    const changed = (recipes.get('SignupForm.jsx') ?? '').replace(own, kept);
    expect(changed).toContain('suppressHydrationWarning');
    await expectHydrated(
      ...(await hydrate('react', TAG, new Map([...recipes, ['SignupForm.jsx', changed]]))),
    );
  });
});

describe('without a framework', () => {
  test('a form is verified, twice', async () => {
    const site = serve(recipes);
    const tab = await visit(site);
    await expectTwoSent(tab, site);
    expect(complaintsIn(tab)).toEqual([]);
    tab.close();
  });

  test('a failed check sends the form without a payload', async () => {
    const site = serve(recipes, postern, postern.foreignSitekey);
    const tab = await visit(site);
    await signUp(tab, 'ada@example.com');
    await tab.until(`${STATUS} === 'not sent'`);
    expect(site.received.map(({ payload, verdict }) => [payload, verdict.success])).toEqual([['', false]]);
    tab.close();
  });

  test('a widget that was not loaded does not stop the form', async () => {
    const site = serve(recipes);
    const tab = await openTab();
    await tab.cdp('Network.setBlockedURLs', { urls: ['*/widget/*'] });
    await tab.goto(site.url);
    await signUp(tab, 'ada@example.com');
    await tab.until(`${STATUS} === 'not sent'`);
    expect(site.received[0]?.fields.get('email')).toBe('ada@example.com');
    tab.close();
  });

  test('the form works without its script', async () => {
    const site = serve(new Map([...recipes].filter(([name]) => name !== 'signup.js')));
    const tab = await visit(site);
    await tab.click("document.querySelector('input')");
    await tab.until(isIn('verified'));
    await tab.click("document.querySelector('form button')");
    await tab.until("document.title === 'true'");
    expect(site.received[0]?.fields.get('plan')).toBe('free');
    tab.close();
  });
});
