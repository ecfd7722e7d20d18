import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  BUTTON,
  CASE_TIMEOUT_MS,
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
  postern = await startPostern();
  site = await serveSite(import.meta.dir, { postern: postern.url, sitekey: postern.sitekey });
});
afterAll(async () => {
  await site.stop();
  await postern.stop();
});

test('no other host is asked, no cookie sent or set, nothing stored', async () => {
  const tab = await visit(site);
  // Cookies do not know ports: this one would go to Postern with any request that carries credentials.
  await tab.evaluate("document.cookie = 'site=1'");
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(puzzlesAsked(tab)).toBe(1);
  const hosts = new Set(
    tab.requests
      .map(({ url }) => new URL(url))
      .filter(({ protocol }) => protocol !== 'blob:')
      .map(({ origin }) => `${origin}/`),
  );
  expect([...hosts].sort()).toEqual([site.url, `${postern.url}/`].sort());
  const asked = tab.requests.find(({ url }) => url.includes('/puzzle?'));
  expect(Object.keys(asked?.headers ?? {}).map((name) => name.toLowerCase())).not.toContain('cookie');
  expect(asked?.headers).toMatchObject({ 'X-PC-Captcha-Version': '1' });
  const { cookies } = await tab.cdp<{ cookies: { name: string }[] }>('Network.getCookies', {
    urls: [site.url, postern.url],
  });
  expect(cookies.map(({ name }) => name)).toEqual(['site']);
  expect(await tab.evaluate<number>('localStorage.length + sessionStorage.length')).toBe(0);
  expect(await tab.evaluate<unknown[]>('indexedDB.databases()')).toEqual([]);
  await tab.evaluate("document.cookie = 'site=; max-age=0'");
  tab.close();
});
