import { afterEach, describe, expect, test } from 'bun:test';
import { BROWSER } from '../../browsers.ts';
import { openTab, type Tab } from '../../support/browser.ts';
import { COUNT_WORKERS, type TestPostern, useBrowserCase, usePostern } from '../fixture.ts';
import { buildProgram, PROGRAMS, type Program } from './programs.ts';

/** Unmodified components for other vendors, in development mode and React's strict mode. */

const { postern, serve } = useBrowserCase(import.meta.dir);
const slow = usePostern({ level: 250 });
let tab: Tab | undefined;
afterEach(() => {
  tab?.close();
  tab = undefined;
});

/** Only Chromium redirects the request for a script of another vendor in a way that the page does not notice. */
const POSSIBLE = PROGRAMS.filter(({ origin }) => BROWSER === 'chromium' || origin === undefined);

/** The built programs by their code. */
const built = new Map<string, Promise<string>>();

function builtOf(code: string): Promise<string> {
  const program = built.get(code) ?? buildProgram(code);
  built.set(code, program);
  return program;
}

async function open({ head, code, origin }: Program, server: TestPostern = postern): Promise<Tab> {
  const filled = head.replaceAll('HOST', server.url).replaceAll('KEY', server.sitekey);
  const program = `<script>${(await builtOf(code)).replaceAll('</script', '<\\/script')}</script>`;
  const site = await serve({ head: filled, program, postern: server.url, sitekey: server.sitekey });
  tab = await openTab();
  await tab.preload(COUNT_WORKERS);
  if (origin !== undefined) await tab.redirect(origin, server.url);
  await tab.goto(site.url);
  return tab;
}

const RENDERED = "document.querySelector('form [data-postern]') !== null";
const DONE = "calls.filter(([name, token]) => name === 'done' && token).length";

/** Waits for the component and starts the check. */
async function start(page: Tab, { start: expression, field }: Program): Promise<void> {
  await page.until(field === undefined ? 'window.component?.executeRecaptcha !== undefined' : RENDERED);
  if (expression) await page.evaluate(`void (${expression})`);
}

async function expectSolved(page: Tab, { field }: Program, times = 1): Promise<void> {
  await page.until(`${DONE} === ${times}`);
  const token = await page.evaluate<string>("calls.findLast(([name, token]) => name === 'done' && token)[1]");
  if (field !== undefined) {
    const values = await page.evaluate<string[]>(`new FormData(document.forms[0]).getAll('${field}')`);
    expect(values).toEqual([token]);
  }
  expect(await postern.verify(token)).toMatchObject({ success: true, code: 0 });
  const errors = page.consoleLines.filter((line) => line.startsWith('error'));
  expect(errors).toEqual([]);
}

describe.each(POSSIBLE)('$title', (program) => {
  test('completes a check in a form', async () => {
    const page = await open(program);
    await page.evaluate('void render()');
    await start(page, program);
    await expectSolved(page, program);
    const isExpected = (url: string) =>
      /^(http:\/\/localhost|blob:|data:)/.test(url) || url.startsWith(program.origin ?? ' ');
    const foreign = page.requests.filter(({ url }) => !isExpected(url));
    expect(foreign).toEqual([]);
  });

  test('works again after it is unmounted and mounted', async () => {
    const page = await open(program);
    await page.evaluate('void render()');
    await start(page, program);
    await expectSolved(page, program);
    await page.evaluate('unmount()');
    await page.evaluate('void render()');
    await start(page, program);
    await expectSolved(page, program, 2);
  });

  test('keeps its solution when it is rendered again', async () => {
    const page = await open(program);
    await page.evaluate('void render()');
    await start(page, program);
    await page.until(`${DONE} === 1`);
    if (program.title === '@hcaptcha/loader') return;
    await page.evaluate("render({ 'data-version': '2' })");
    await expectSolved(page, program);
  });

  test('calls no callback and stops its workers if it is unmounted during the check', async () => {
    const page = await open(program, slow);
    await page.evaluate('void render()');
    await start(page, program);
    await page.until('openWorkers > 0');
    await page.evaluate('unmount()');
    if (program.field !== undefined) await page.until('openWorkers === 0');
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
    expect(await page.evaluate<number>(DONE)).toBe(0);
  });
});
