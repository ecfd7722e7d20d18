import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  fastClock,
  isIn,
  puzzlesAsked,
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
  postern = await startPostern({ validitySeconds: 60 });
  site = await serveSite(import.meta.dir, { postern: postern.url, sitekey: postern.sitekey });
});
afterAll(async () => {
  await site.stop();
  await postern.stop();
});

/** A minute of validity is over in a second. */
const FAST = fastClock(50);

/** Hidden fields reflect their value in an attribute, so that it can be watched. */
const WATCH_FIELD = `(() => {
  window.values = [];
  const field = document.querySelector('input[name="postern-captcha-solution"]');
  new MutationObserver(() => values.push(field.value)).observe(field, { attributes: true });
})()`;

test('an expired solution is cleared and a new puzzle is solved', async () => {
  const tab = await visit(site, FAST);
  await tab.evaluate(WATCH_FIELD);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const first = await tab.evaluate<string>(FIELD);
  await tab.until(`${FIELD} !== '' && ${FIELD} !== ${JSON.stringify(first)}`);
  expect(await tab.evaluate<string[]>('values')).toContain('');
  expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
  expect(puzzlesAsked(tab)).toBe(2);
  tab.close();
});

test('a widget that left the page does not ask for more', async () => {
  const tab = await visit(site, FAST);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  await tab.evaluate("document.querySelector('form').remove()");
  const begin = await tab.evaluate<number>('Date.now()');
  await tab.until(`Date.now() > ${begin + 120_000}`);
  expect(puzzlesAsked(tab)).toBe(1);
  tab.close();
});

test('a widget that was reset does not start again by itself', async () => {
  const tab = await visit(site, FAST);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  await tab.evaluate("document.querySelector('form').reset()");
  expect(await tab.evaluate<string>(FIELD)).toBe('');
  // Two minutes pass for the page.
  const begin = await tab.evaluate<number>('Date.now()');
  await tab.until(`Date.now() > ${begin + 120_000}`);
  expect(await tab.evaluate<boolean>(isIn('idle'))).toBe(true);
  expect(puzzlesAsked(tab)).toBe(1);
  tab.close();
});
