import { expect, test } from 'bun:test';
import { BUTTON, isIn, puzzleRequests, useBrowserCase, visit } from '../fixture.ts';

const { postern, website } = useBrowserCase(import.meta.dir);

test('the widget contacts no other host, sends and sets no cookies, and stores nothing', async () => {
  const tab = await visit(website);
  // Other test files in this process use the same browser.
  await tab.clearCookies();
  // Cookies ignore ports, so requests with credentials would send this cookie to Postern.
  await tab.evaluate("document.cookie = 'website=1'");
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(puzzleRequests(tab)).toBe(1);
  const hosts = new Set(
    tab.requests
      .map(({ url }) => new URL(url))
      .filter(({ protocol }) => protocol !== 'blob:')
      .map(({ origin }) => `${origin}/`),
  );
  expect([...hosts].sort()).toEqual([website.url, `${postern.url}/`].sort());
  const request = tab.requests.find(({ url }) => url.includes('/puzzle?'));
  expect(Object.keys(request?.headers ?? {}).map((name) => name.toLowerCase())).not.toContain('cookie');
  expect([...new URL(request?.url ?? '').searchParams.keys()]).toEqual(['sitekey', 'version', 'random']);
  expect(await tab.cookieNames([website.url, postern.url])).toEqual(['website']);
  expect(await tab.evaluate<number>('localStorage.length + sessionStorage.length')).toBe(0);
  expect(await tab.evaluate<unknown[]>('indexedDB.databases()')).toEqual([]);
  await tab.evaluate("document.cookie = 'website=; max-age=0'");
  tab.close();
});
