import { expect, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { BUTTON, FIELD, isIn, TEST_SITEKEY, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

test('the test sitekey requires no work, and the solutions are zeros', async () => {
  const tab = await visit(await serve({ sitekey: TEST_SITEKEY }));
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  const parsed = parsePayload(payload);
  expect(parsed?.solutions).toEqual(new Uint8Array(16 * 8));
  expect(parsed?.metadata).toBeDefined();
  expect(await postern.verify(payload)).toMatchObject({ code: 10 });
  tab.close();
});
