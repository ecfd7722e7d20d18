import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
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
  WATCH_VIOLATIONS,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
let site: Site;
beforeAll(async () => {
  postern = await startPostern();
  const policy =
    "default-src 'none'; script-src {{postern}} 'wasm-unsafe-eval'; connect-src {{postern}}; worker-src blob:";
  const values = { postern: postern.url, sitekey: postern.sitekey };
  site = await serveSite(import.meta.dir, values, { 'Content-Security-Policy': policy });
});
afterAll(async () => {
  await site.stop();
  await postern.stop();
});

test('the widget works, styled, under a strict policy and violates nothing', async () => {
  const tab = await visit(site, WATCH_VIOLATIONS);
  expect(await tab.evaluate<string>(`getComputedStyle(${BUTTON}).position`)).toBe('absolute');
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  expect(parsePayload(payload)?.metadata?.usedWasm).toBe(true);
  expect(await postern.verify(payload)).toMatchObject({ success: true });
  expect(await tab.evaluate<string[]>('violations')).toEqual([]);
  tab.close();
});
