import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import type { Tab } from '../../support/browser.ts';
import {
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  isIn,
  type Site,
  STATUS,
  serveSite,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
const sites: Site[] = [];
beforeAll(async () => {
  postern = await startPostern();
});
afterAll(async () => {
  for (const site of sites) await site.stop();
  await postern.stop();
});

async function open(policy: string): Promise<Tab> {
  const values = { postern: postern.url, sitekey: postern.sitekey, nonce: 'bm9uY2U' };
  const site = await serveSite(import.meta.dir, values, { 'Content-Security-Policy': policy });
  sites.push(site);
  return visit(site);
}

test('a policy of nonces is enough: the page itself solves, in JavaScript, and the widget is styled', async () => {
  const tab = await open("script-src 'nonce-bm9uY2U'; style-src 'self'");
  expect(await tab.evaluate<string>(`getComputedStyle(${BUTTON}).position`)).toBe('absolute');
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  expect(parsePayload(payload)?.metadata?.usedWasm).toBe(false);
  expect(await postern.verify(payload)).toMatchObject({ success: true });
  tab.close();
});

test('where the policy forbids asking, the widget names the directive at once', async () => {
  const tab = await open("connect-src 'self'");
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  expect(await tab.evaluate<string>(STATUS)).toBe(
    'This check is not set up correctly. Please tell the owner of this site. ' +
      `Reason: \u2068content-security-policy: connect-src ${postern.url}\u2069`,
  );
  tab.close();
});

test('a policy that only reports stops nothing', async () => {
  const values = { postern: postern.url, sitekey: postern.sitekey, nonce: '' };
  const policy = "connect-src 'self'; script-src 'none'; worker-src 'none'";
  const site = await serveSite(import.meta.dir, values, { 'Content-Security-Policy-Report-Only': policy });
  sites.push(site);
  const tab = await visit(site);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  tab.close();
});
