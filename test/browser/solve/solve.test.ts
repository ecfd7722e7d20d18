import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  isIn,
  type Site,
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
  site = await serveSite(import.meta.dir, { postern: postern.url, sitekey: postern.sitekey });
});
afterAll(async () => {
  await site.stop();
  await postern.stop();
});

test('a press solves the puzzle, the form submits the payload, and Postern verifies it', async () => {
  const tab = await visit(site);
  expect(await tab.evaluate<string>(FIELD)).toBe('');
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(await tab.evaluate<string>(`${BUTTON}.getAttribute('aria-checked')`)).toBe('true');
  await tab.click("document.querySelector('#send')");
  await tab.until("document.title === 'received'");
  const submitted = site.submissions.at(-1);
  expect(submitted?.get('name')).toBe('Ada');
  expect(await postern.verify(submitted?.get('postern-captcha-solution') ?? '')).toMatchObject({
    success: true,
    code: 0,
  });
  tab.close();
});

test('a form sent before the check has an empty field', async () => {
  const tab = await visit(site);
  // Without a focus: that would start the check.
  await tab.evaluate("document.querySelector('form').requestSubmit(document.querySelector('#send'))");
  await tab.until("document.title === 'received'");
  expect(site.submissions.at(-1)?.get('postern-captcha-solution')).toBe('');
  tab.close();
});
