import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  isIn,
  puzzlesAsked,
  type Site,
  STATUS,
  serveSite,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
let site: Site;
beforeAll(async () => {
  postern = await startPostern();
  site = await serveSite(import.meta.dir, { postern: postern.url, sitekey: postern.foreignSitekey });
});
afterAll(async () => {
  await site.stop();
  await postern.stop();
});

test('a page of another domain is told that it was refused and why, once', async () => {
  const tab = await visit(site);
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  const status = await tab.evaluate<string>(STATUS);
  expect(status).toContain('rejected this page');
  expect(status).toContain('Reason: ');
  expect(await tab.evaluate<string>(`${BUTTON}.getAttribute('aria-checked')`)).toBe('false');
  expect(await tab.evaluate<string>(FIELD)).toBe('');
  expect(puzzlesAsked(tab)).toBe(1);
  expect(tab.consoleLines.some((line) => line.startsWith('error [postern] puzzle-refused: '))).toBe(true);
  tab.close();
});
