import { expect, test } from 'bun:test';
import { BROWSER } from '../../browsers.ts';
import { BUTTON, FIELD, fastClock, isIn, puzzleRequests, STATUS, useBrowserCase, visit } from '../fixture.ts';

/** The solution must still be valid when the test has seen it, which takes longer in other browsers on a busy machine. */
const VALIDITY_SECONDS = BROWSER === 'chromium' ? 60 : 300;

const { postern, website } = useBrowserCase(import.meta.dir, { validitySeconds: VALIDITY_SECONDS });

/** A validity of a minute ends after about a second. */
const FAST = fastClock(50);

/** For `Date.now()` of the page. */
const LONG_AFTER_EXPIRATION_MS = 2000 * VALIDITY_SECONDS;

/** Hidden fields reflect their value in an attribute, so it can be observed. */
const WATCH_FIELD = `(() => {
  window.values = [];
  const field = document.querySelector('input[name="postern-captcha-solution"]');
  new MutationObserver(() => values.push(field.value)).observe(field, { attributes: true });
})()`;

test('an expired solution is cleared and a new puzzle is solved', async () => {
  const tab = await visit(website, FAST);
  await tab.evaluate(WATCH_FIELD);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const first = await tab.evaluate<string>(FIELD);
  await tab.until(`${FIELD} !== '' && ${FIELD} !== ${JSON.stringify(first)}`);
  expect(await tab.evaluate<string[]>('values')).toContain('');
  expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
  expect(puzzleRequests(tab)).toBe(2);
  tab.close();
});

test('a removed widget requests no further puzzles', async () => {
  const tab = await visit(website, FAST);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  await tab.evaluate("document.querySelector('form').remove()");
  const begin = await tab.evaluate<number>('Date.now()');
  await tab.until(`Date.now() > ${begin + LONG_AFTER_EXPIRATION_MS}`);
  expect(puzzleRequests(tab)).toBe(1);
  tab.close();
});

test('a widget that was reset does not restart automatically', async () => {
  const tab = await visit(website, FAST);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  await tab.evaluate("document.querySelector('form').reset()");
  expect(await tab.evaluate<string>(FIELD)).toBe('');
  const begin = await tab.evaluate<number>('Date.now()');
  await tab.until(`Date.now() > ${begin + LONG_AFTER_EXPIRATION_MS}`);
  expect(await tab.evaluate<boolean>(isIn('idle'))).toBe(true);
  expect(puzzleRequests(tab)).toBe(1);
  tab.close();
});

test('with manual repetition, the text says that the check has expired, and a click repeats it', async () => {
  const tab = await visit(website, FAST);
  await tab.evaluate("document.querySelector('.postern-captcha').dataset.refreshExpired = 'manual'");
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  await tab.until(`${STATUS} === 'Expired. Press to start again.'`);
  expect(await tab.evaluate<boolean>(isIn('idle'))).toBe(true);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  tab.close();
});
