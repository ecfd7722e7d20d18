import { expect, test } from 'bun:test';
import { BUTTON, FIELD, isIn, STATUS, useBrowserCase, visit } from '../fixture.ts';

const { postern, website } = useBrowserCase(import.meta.dir);

test.each(['Space', 'Enter'])('Tab focuses the control visibly, and %s activates it', async (key) => {
  const tab = await visit(website);
  await tab.press('Tab');
  expect(await tab.evaluate<boolean>(`${BUTTON}.matches(':focus-visible')`)).toBe(true);
  expect(await tab.evaluate<string>(`getComputedStyle(${BUTTON}).outlineStyle`)).toBe('solid');
  await tab.press(key);
  await tab.until(isIn('verified'));
  expect(await tab.evaluate<string>(FIELD)).not.toBe('');
  tab.close();
});

test('the keyboard alone starts the check, hears its result, and sends the form', async () => {
  const tab = await visit(website);
  await tab.press('Tab');
  await tab.press('Space');
  await tab.until(isIn('verified'));
  expect(await tab.evaluate<string>(STATUS)).toBe('Verified');
  const live = `${BUTTON}.getRootNode().querySelector('#status').getAttribute('aria-live')`;
  expect(await tab.evaluate<string>(live)).toBe('polite');
  await tab.press('Tab');
  expect(await tab.evaluate<string>('document.activeElement.id')).toBe('send');
  await tab.press('Enter');
  await tab.until("document.title === 'received'");
  const solution = website.submissions.at(-1)?.get('postern-captcha-solution') ?? '';
  expect(await postern.verify(solution)).toMatchObject({ success: true, code: 0 });
  tab.close();
});
