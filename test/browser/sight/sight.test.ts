import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import {
  CASE_TIMEOUT_MS,
  isIn,
  puzzlesAsked,
  type Site,
  serveSite,
  startPostern,
  type TestPostern,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
let slow: TestPostern;
const sites: Site[] = [];
beforeAll(async () => {
  postern = await startPostern();
  slow = await startPostern({ level: 250 });
});
afterAll(async () => {
  for (const site of sites) await site.stop();
  await postern.stop();
  await slow.stop();
});

/** A prelude that counts the workers which are open. */
const COUNT_WORKERS = `
  window.openWorkers = 0;
  window.Worker = class extends Worker {
    constructor(url) { super(url); openWorkers += 1; this.isOpen = true; }
    terminate() { super.terminate(); if (this.isOpen) openWorkers -= 1; this.isOpen = false; }
  };`;

async function open(of: TestPostern, values: Record<string, string>): Promise<Tab> {
  const site = await serveSite(import.meta.dir, { postern: of.url, sitekey: of.sitekey, ...values });
  sites.push(site);
  const tab = await openTab();
  await tab.cdp('Page.enable');
  await tab.cdp('Page.addScriptToEvaluateOnNewDocument', { source: COUNT_WORKERS });
  await tab.goto(site.url);
  await tab.until('window.postern?.autoWidget !== undefined');
  return tab;
}

const setAway = (isAway: boolean) =>
  `void document.querySelector('#panel').classList.toggle('away', ${isAway})`;

test('workers stop while the page hides the form, and the check begins anew when it shows it', async () => {
  const tab = await open(slow, { start: 'load' });
  await tab.until(`${isIn('solving')} && openWorkers > 0`);
  await tab.evaluate(setAway(true));
  await tab.until(`${isIn('idle')} && openWorkers === 0`);
  expect(puzzlesAsked(tab)).toBe(1);
  await tab.evaluate(setAway(false));
  await tab.until(`${isIn('solving')} && openWorkers > 0`);
  expect(puzzlesAsked(tab)).toBe(2);
  tab.close();
});

test('a form that is hidden from the start is waited for', async () => {
  const tab = await open(postern, { start: 'load', class: 'away' });
  expect(puzzlesAsked(tab)).toBe(0);
  expect(await tab.evaluate<string>('postern.autoWidget.state()')).toBe('idle');
  await tab.evaluate(setAway(false));
  await tab.until(isIn('verified'));
  expect(puzzlesAsked(tab)).toBe(1);
  tab.close();
});

test('a solution stays when the form is hidden', async () => {
  const tab = await open(postern, { start: 'load' });
  await tab.until(isIn('verified'));
  await tab.evaluate(setAway(true));
  await tab.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))');
  expect(await tab.evaluate<boolean>(isIn('verified'))).toBe(true);
  tab.close();
});

test('a form without a box of its own is not taken for a hidden one', async () => {
  const tab = await open(postern, { start: 'load', form: 'bare' });
  await tab.until(isIn('verified'));
  tab.close();
});

test('what waits for a hidden form is dropped by a reset in mode click', async () => {
  const tab = await open(slow, { start: 'load' });
  await tab.until(isIn('solving'));
  await tab.evaluate(setAway(true));
  await tab.until(isIn('idle'));
  await tab.evaluate("postern.autoWidget.reset({ startMode: 'click' })");
  await tab.evaluate(setAway(false));
  await tab.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))');
  expect(await tab.evaluate<boolean>(isIn('idle'))).toBe(true);
  tab.close();
});
