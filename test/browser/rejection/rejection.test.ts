import { expect, test } from 'bun:test';
import { BUTTON, FIELD, isIn, published, puzzleRequests, STATUS, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

test('a page on another domain is rejected once, with the reason in the console', async () => {
  const tab = await visit(published(await serve({ sitekey: postern.foreignSitekey })));
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  await tab.until(`${STATUS} === 'This check is not available right now. Reload the page.'`);
  expect(await tab.evaluate<string>(`${BUTTON}.getAttribute('aria-checked')`)).toBe('false');
  expect(await tab.evaluate<string>(FIELD)).toBe('');
  expect(puzzleRequests(tab)).toBe(1);
  expect(tab.consoleLines.some((line) => line.startsWith('error [postern] puzzle-denied: '))).toBe(true);
  tab.close();
});

test('if the text of a problem cannot be loaded, the visitor gets the text for an unreachable server', async () => {
  const tab = await visit(published(await serve({ sitekey: postern.foreignSitekey })));
  await tab.block(['extras']);
  await tab.click(BUTTON);
  await tab.until(`${STATUS}.startsWith('The check could not be reached.')`);
  await tab.evaluate("postern.reset(document.querySelector('.postern-captcha'))");
  await tab.block([]);
  await tab.click(BUTTON);
  await tab.until(`${STATUS} === 'This check is not available right now. Reload the page.'`);
  tab.close();
});

test('on localhost, the widget shows the reason, in any language', async () => {
  const tab = await visit(await serve({ sitekey: postern.foreignSitekey }));
  await tab.evaluate("document.documentElement.lang = 'de'");
  await tab.click(BUTTON);
  await tab.until(`${STATUS}.startsWith("This page is not on the property's domain;")`);
  tab.close();
});
