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
  TEST_SITEKEY,
  type TestPostern,
  visit,
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
let site: Site;
beforeAll(async () => {
  postern = await startPostern();
  site = await serveSite(import.meta.dir, { postern: postern.url, sitekey: TEST_SITEKEY });
});
afterAll(async () => {
  await site.stop();
  await postern.stop();
});

test('the test sitekey asks for no work and is answered with zeros', async () => {
  const tab = await visit(site);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  const parsed = parsePayload(payload);
  expect(parsed?.solutions).toEqual(new Uint8Array(16 * 8));
  expect(parsed?.metadata).toBeDefined();
  expect(await postern.verify(payload)).toMatchObject({ code: 10 });
  tab.close();
});
