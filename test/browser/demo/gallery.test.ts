import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { BOX, BUTTON, CASE_TIMEOUT_MS, isIn, STATUS, WATCH_VIOLATIONS } from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DEMO: 'on' } });
});
afterAll(() => server.stop());

async function openDemo(): Promise<Tab> {
  const tab = await openTab({ width: 1280, height: 900 });
  await tab.preload(WATCH_VIOLATIONS);
  await tab.goto(`${server.url.replace('127.0.0.1', 'localhost')}/demo`);
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  return tab;
}

const partOf = (state: string, part: string) =>
  `document.querySelector('#states [data-state=${state}] > div').shadowRoot.querySelector('${part}')`;

test('the gallery shows real widgets in every state', async () => {
  const tab = await openDemo();
  const expected = [
    ['idle', 'idle', 'Press to start a short check'],
    ['checking', 'solving', 'Checking…'],
    ['done', 'verified', 'Verified'],
    ['expired', 'idle', 'Expired. Press to start again.'],
    ['error', 'failed', 'This check is not available right now. Reload the page.'],
    ['offline', 'failed', 'The check could not be reached. Check your connection, then press to try again.'],
    [
      'unsupported',
      'failed',
      'Your browser could not run the check. Reload the page or try another browser.',
    ],
  ] as const;
  for (const [state, kind, text] of expected) {
    await tab.evaluate(`document.querySelector('#states [data-state=${state}]').scrollIntoView()`);
    await tab.until(`${partOf(state, '.box')}.dataset.state === '${kind}'`);
    await tab.until(`${partOf(state, '#status')}.textContent === '${text}'`);
  }
  // The same after the visitor has pressed the widget.
  await tab.evaluate(`void document.addEventListener('postern:error', () => (window.hasFailed = true))`);
  await tab.click(partOf('unsupported', 'button'));
  await tab.until('window.hasFailed');
  expect(tab.requests.filter(({ url }) => url.includes('/demo/states/'))).toEqual([]);
  expect(await tab.evaluate<string[]>('violations')).toEqual([]);
  tab.close();
});

test('the gallery says which modes are hidden', async () => {
  const tab = await openDemo();
  const hints = await tab.evaluate<Record<string, string>>(`Object.fromEntries(
    [...document.querySelectorAll('.exhibit:has([data-name])')].map((form) => [
      form.querySelector('h3').textContent,
      form.querySelector('h3 + p')?.textContent,
    ]))`);
  expect(hints['hidden, auto']).toStartWith('Always hidden.');
  expect(hints['popup, dark']).toStartWith('Hidden until the check starts');
  expect(Object.keys(hints)).not.toContain('widget, auto');
  tab.close();
});

// The headline was centered next to the form, so it moved whenever the form's height changed.
test('the page does not move while the widget of the form changes its state', async () => {
  const tab = await openDemo();
  const positions = () =>
    tab.evaluate<number[]>(`['h1', '#form', '#form > button', '#how'].map(
      (selector) => Math.round(document.querySelector(selector).getBoundingClientRect().top + scrollY))`);
  const before = await positions();
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(await positions()).toEqual(before);
  await tab.evaluate("void (document.querySelector('details.options').open = true)");
  const [headline, form] = await positions();
  expect([headline, form]).toEqual(before.slice(0, 2));
  await tab.goto(`${server.url.replace('127.0.0.1', 'localhost')}/demo`);
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  await tab.block(['/puzzle']);
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  await tab.until(`${STATUS}.startsWith('The check could not be reached.')`);
  expect(await positions()).toEqual(before);
  await tab.block([]);
  tab.close();
});
