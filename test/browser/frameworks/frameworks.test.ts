import { afterAll, describe, expect, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { BOX, COUNT_WORKERS, isIn, usePostern, visit } from '../fixture.ts';
import { buildExample, type Framework, readExamples, renderExample } from './build.ts';
import { type ExampleWebsite, serveExample } from './website.ts';

/** Runs the code in docs/how-to/frameworks.md unchanged. */

const examples = await readExamples();
const postern = usePostern();
const slow = usePostern({ level: 250 });
const websites: ExampleWebsite[] = [];
afterAll(async () => {
  for (const website of websites) await website.stop();
});

function serve(
  files: ReadonlyMap<string, string>,
  server = postern,
  sitekey = server.sitekey,
): ExampleWebsite {
  const website = serveExample(files, server, sitekey);
  websites.push(website);
  return website;
}

const TAG = '<script src="https://captcha.example.com/widget/postern.js" defer></script>';

/** The page of a framework's example. @param head additional markup, such as the tag that loads the widget */
async function filesOf(framework: Framework, head = '', files = examples) {
  const page = `<!doctype html><html lang="en"><title>${framework}</title>${head}
    <main></main><script src="/page.js"></script><script>mount()</script></html>`;
  return new Map([
    ['signup.html', page],
    ['page.js', await buildExample(framework, files)],
  ]);
}

const COUNT_INITS = `
  window.inits = 0;
  document.addEventListener('postern:init', () => { inits += 1; });`;

const STATUS = "document.querySelector('output').textContent";
const HOST = "document.querySelector('.postern-captcha > div')";
const SENT = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/signup')).length";

/** Types an address and submits the form with Enter. */
async function signUp(tab: Tab, address: string): Promise<void> {
  await tab.click("document.querySelector('input[name=email]')");
  await tab.type(address);
  await tab.press('Enter');
}

async function untilSent(tab: Tab, times: number): Promise<void> {
  await tab.until(`${SENT} === ${times} && ${STATUS} !== 'sending' && ${isIn('idle')}`);
}

function consoleErrors(tab: Tab): readonly string[] {
  return tab.consoleLines.filter((line) => /^(error|warn|assert)/.test(line));
}

/** Submits the form twice with the same widget. Both payloads must be valid. */
async function expectTwoSubmissions(tab: Tab, website: ExampleWebsite): Promise<void> {
  await tab.evaluate(`void (window.firstHost = ${HOST})`);
  await signUp(tab, 'ada@example.com');
  await untilSent(tab, 1);
  expect(await tab.evaluate<string>(STATUS)).toBe('welcome');
  // The widget is idle, so this submission waits for its payload.
  await tab.evaluate("document.querySelector('form').requestSubmit(document.querySelector('form button'))");
  await untilSent(tab, 2);
  expect(await tab.evaluate<string>(STATUS)).toBe('welcome');
  expect(await tab.evaluate<boolean>(`${HOST} === firstHost`)).toBe(true);
  expect(website.received.map(({ verdict }) => [verdict.success, verdict.code])).toEqual([
    [true, 0],
    [true, 0],
  ]);
  for (const { fields } of website.received) {
    expect(fields.get('email')).toBe('ada@example.com');
    expect(fields.get('plan')).toBe('free');
  }
  expect(new Set(website.received.map(({ payload }) => payload)).size).toBe(2);
}

describe.each(['react', 'vue', 'svelte', 'solid'] as const)('%s', (framework) => {
  test.each([
    ['loads the widget itself', ''],
    ['finds the widget on the page', TAG],
  ])('a form that %s is verified twice, and again after it is mounted again', async (_, head) => {
    const website = serve(await filesOf(framework, head));
    const tab = await visit(website, COUNT_WORKERS + COUNT_INITS);
    await expectTwoSubmissions(tab, website);
    expect(await tab.evaluate<number>('inits')).toBe(1);
    expect(await tab.evaluate<number>("document.querySelectorAll('script[src*=postern]').length")).toBe(1);

    await tab.evaluate('unmount()');
    await tab.until('postern.autoWidget === undefined');
    expect(await tab.evaluate<number>('openWorkers')).toBe(0);
    await tab.evaluate('mount()');
    await tab.until(isIn('idle'));
    await signUp(tab, 'bob@example.com');
    await untilSent(tab, 3);
    expect(website.received[2]?.verdict).toMatchObject({ success: true, code: 0 });
    expect(consoleErrors(tab)).toEqual([]);
    tab.close();
  });

  test('a form that is removed during a check leaves no workers behind', async () => {
    const tab = await visit(serve(await filesOf(framework), slow), COUNT_WORKERS);
    await signUp(tab, 'ada@example.com');
    await tab.until('openWorkers > 0');
    expect(await tab.evaluate<number>(SENT)).toBe(0);
    await tab.evaluate('unmount()');
    await tab.until('openWorkers === 0 && postern.autoWidget === undefined');
    await tab.evaluate('mount()');
    await tab.until(isIn('idle'));
    await tab.click("document.querySelector('input[name=email]')");
    await tab.until('openWorkers > 0');
    await tab.evaluate('unmount()');
    await tab.until('openWorkers === 0');
    expect(consoleErrors(tab)).toEqual([]);
    tab.close();
  });
});

const LISTEN = `
  const onFinish = ({ detail }) => solutions.push(detail.solution);
  const listen = (element) => {
    element.addEventListener('postern:finish', onFinish);
    return () => element.removeEventListener('postern:finish', onFinish);
  };`;

/** The changes that the documentation allows: the class and other attributes of the element, and event listeners. */
const CHANGES = {
  react: {
    file: 'SignupForm.jsx',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: part of the component
    attributes: 'className={`postern-captcha ${status}`} title={status} ref={listen}',
    script: 'export function',
    more: `${LISTEN}\nexport function`,
  },
  vue: {
    file: 'SignupForm.vue',
    attributes: 'class="postern-captcha" :class="status" :title="status" @postern:finish="onFinish"',
    script: '<script setup>',
    more: `<script setup>${LISTEN}`,
  },
  svelte: {
    file: 'SignupForm.svelte',
    attributes: `class={['postern-captcha', status]} title={status}
      {@attach (element) => on(element, 'postern:finish', onFinish)}`,
    script: '<script>',
    more: `<script>import { on } from 'svelte/events'; ${LISTEN}`,
  },
} as const;

test.each(['react', 'vue', 'svelte'] as const)(
  '%s can change the class and other attributes of the element, and listen to its events',
  async (framework) => {
    const { file, attributes, script, more } = CHANGES[framework];
    const changed = (examples.get(file) ?? '')
      .replace(/class(Name)?="postern-captcha"/, attributes)
      .replace(script, more);
    const website = serve(await filesOf(framework, '', new Map([...examples, [file, changed]])));
    const tab = await visit(website, 'window.solutions = [];');
    await expectTwoSubmissions(tab, website);
    const element = "document.querySelector('[data-postern]')";
    expect(await tab.evaluate<string>(`${element}.className`)).toBe('postern-captcha welcome');
    expect(await tab.evaluate<string>(`${element}.title`)).toBe('welcome');
    expect(await tab.evaluate<string[]>('solutions')).toEqual(website.received.map(({ payload }) => payload));
    expect(consoleErrors(tab)).toEqual([]);
    tab.close();
  },
);

describe('rendered on a server', () => {
  /** The React element for a page that contains the script tag. */
  const element = examples.get('server.jsx')?.trim() ?? '';

  async function hydrate(
    framework: Framework,
    head: string,
    files = examples,
  ): Promise<[Tab, ExampleWebsite]> {
    const page = `<!doctype html><html lang="en"><title>${framework}</title>${head}
      <main>${await renderExample(framework, files)}</main><script src="/page.js"></script></html>`;
    const script = await buildExample(framework, files);
    const website = serve(
      new Map([
        ['signup.html', page],
        ['page.js', script],
      ]),
    );
    const tab = await openTab();
    await tab.goto(website.url);
    if (head !== '') await tab.until(`${BOX} !== undefined`);
    await tab.evaluate(`void (window.first = document.querySelector('.postern-captcha'), hydrate())`);
    await tab.until(`${BOX} && ${isIn('idle')}`);
    return [tab, website];
  }

  async function expectHydrated(tab: Tab, website: ExampleWebsite): Promise<void> {
    await expectTwoSubmissions(tab, website);
    expect(await tab.evaluate<boolean>("first === document.querySelector('.postern-captcha')")).toBe(true);
    expect(consoleErrors(tab)).toEqual([]);
    tab.close();
  }

  test.each(['react', 'vue', 'svelte'] as const)('%s loads the widget after hydration', async (framework) => {
    await expectHydrated(...(await hydrate(framework, '')));
  });

  test.each(['vue', 'svelte'] as const)('%s hydrates a page with an existing widget', async (framework) => {
    await expectHydrated(...(await hydrate(framework, TAG)));
  });

  test('react hydrates a page with an existing widget if suppressHydrationWarning is set', async () => {
    const original = /<div className="postern-captcha".*\/>/;
    const changed = (examples.get('SignupForm.jsx') ?? '').replace(original, element);
    expect(changed).toContain('suppressHydrationWarning');
    await expectHydrated(
      ...(await hydrate('react', TAG, new Map([...examples, ['SignupForm.jsx', changed]]))),
    );
  });
});

describe('without a framework', () => {
  test('a form is verified twice', async () => {
    const website = serve(examples);
    const tab = await visit(website);
    await expectTwoSubmissions(tab, website);
    expect(consoleErrors(tab)).toEqual([]);
    tab.close();
  });

  test('a form is submitted without a payload after a failed check', async () => {
    const website = serve(examples, postern, postern.foreignSitekey);
    const tab = await visit(website);
    await signUp(tab, 'ada@example.com');
    await tab.until(`${STATUS} === 'not sent'`);
    expect(website.received.map(({ payload, verdict }) => [payload, verdict.success])).toEqual([['', false]]);
    tab.close();
  });

  test('a form is submitted if the widget is not loaded', async () => {
    const website = serve(examples);
    const tab = await openTab();
    await tab.block(['/widget/']);
    await tab.goto(website.url);
    await signUp(tab, 'ada@example.com');
    await tab.until(`${STATUS} === 'not sent'`);
    expect(website.received[0]?.fields.get('email')).toBe('ada@example.com');
    tab.close();
  });

  test('a form works without its script', async () => {
    const website = serve(new Map([...examples].filter(([name]) => name !== 'signup.js')));
    const tab = await visit(website);
    await tab.click("document.querySelector('input')");
    await tab.until(isIn('verified'));
    await tab.click("document.querySelector('form button')");
    await tab.until("document.title === 'true'");
    expect(website.received[0]?.fields.get('plan')).toBe('free');
    tab.close();
  });
});
