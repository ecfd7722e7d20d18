import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  BUTTON,
  CASE_TIMEOUT_MS,
  FIELD,
  isIn,
  serveSite,
  startPostern,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
beforeAll(async () => {
  postern = await startPostern();
});
afterAll(async () => {
  await postern.stop();
});

test.each([
  ['a policy that forbids workers', "worker-src 'none'"],
  ['a policy that wants trusted types', "require-trusted-types-for 'script'"],
])('%s makes the page itself solve', async (_, policy) => {
  const values = { postern: postern.url, sitekey: postern.sitekey };
  const site = await serveSite(import.meta.dir, values, { 'Content-Security-Policy': policy });
  const tab = await visit(site);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
  tab.close();
  await site.stop();
});
