import { expect, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import {
  COUNT_WORKERS,
  isIn,
  puzzleRequests,
  type TestPostern,
  useBrowserCase,
  usePostern,
} from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);
const slow = usePostern({ level: 250 });

async function open(server: TestPostern, values: Record<string, string>): Promise<Tab> {
  const website = await serve({ postern: server.url, sitekey: server.sitekey, ...values });
  const tab = await openTab();
  await tab.preload(COUNT_WORKERS);
  await tab.goto(website.url);
  await tab.until('window.postern?.autoWidget !== undefined');
  return tab;
}

const setHidden = (isHidden: boolean) =>
  `void document.querySelector('#panel').classList.toggle('away', ${isHidden})`;

test('the check stops while the page hides the form, and restarts when it shows the form', async () => {
  const tab = await open(slow, { start: 'load' });
  await tab.until(`${isIn('solving')} && openWorkers > 0`);
  await tab.evaluate(setHidden(true));
  await tab.until(`${isIn('idle')} && openWorkers === 0`);
  expect(puzzleRequests(tab)).toBe(1);
  await tab.evaluate(setHidden(false));
  await tab.until(`${isIn('solving')} && openWorkers > 0`);
  expect(puzzleRequests(tab)).toBe(2);
  tab.close();
});

test('the check of a hidden form waits until the form is shown', async () => {
  const tab = await open(postern, { start: 'load', class: 'away' });
  expect(puzzleRequests(tab)).toBe(0);
  expect(await tab.evaluate<string>('postern.autoWidget.state()')).toBe('idle');
  await tab.evaluate(setHidden(false));
  await tab.until(isIn('verified'));
  expect(puzzleRequests(tab)).toBe(1);
  tab.close();
});

test('hiding the form does not clear the solution', async () => {
  const tab = await open(postern, { start: 'load' });
  await tab.until(isIn('verified'));
  await tab.evaluate(setHidden(true));
  await tab.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))');
  expect(await tab.evaluate<boolean>(isIn('verified'))).toBe(true);
  tab.close();
});

test('a form with display: contents counts as visible', async () => {
  const tab = await open(postern, { start: 'load', form: 'bare' });
  await tab.until(isIn('verified'));
  tab.close();
});

test('a reset to start mode click cancels a waiting check', async () => {
  const tab = await open(slow, { start: 'load' });
  await tab.until(isIn('solving'));
  await tab.evaluate(setHidden(true));
  await tab.until(isIn('idle'));
  await tab.evaluate("postern.autoWidget.reset({ startMode: 'click' })");
  await tab.evaluate(setHidden(false));
  await tab.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))');
  expect(await tab.evaluate<boolean>(isIn('idle'))).toBe(true);
  tab.close();
});
