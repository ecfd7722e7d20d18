import { expect, test } from 'bun:test';
import { BUTTON, FIELD, isIn, useBrowserCase, visit } from '../fixture.ts';

const { postern, website } = useBrowserCase(import.meta.dir);

test('activating the control solves the puzzle, and the submitted payload is valid', async () => {
  const tab = await visit(website);
  expect(await tab.evaluate<string>(FIELD)).toBe('');
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(await tab.evaluate<string>(`${BUTTON}.getAttribute('aria-checked')`)).toBe('true');
  await tab.click("document.querySelector('#send')");
  await tab.until("document.title === 'received'");
  const submitted = website.submissions.at(-1);
  expect(submitted?.get('name')).toBe('Ada');
  expect(await postern.verify(submitted?.get('postern-captcha-solution') ?? '')).toMatchObject({
    success: true,
    code: 0,
  });
  tab.close();
});

test('a form that does not wait for the check is submitted with an empty field', async () => {
  const tab = await visit(website);
  await tab.evaluate("document.querySelector('[data-sitekey]').dataset.holdSubmit = 'false'");
  // Without a focus, which would start the check.
  await tab.evaluate("document.querySelector('form').requestSubmit(document.querySelector('#send'))");
  await tab.until("document.title === 'received'");
  expect(website.submissions.at(-1)?.get('postern-captcha-solution')).toBe('');
  tab.close();
});
