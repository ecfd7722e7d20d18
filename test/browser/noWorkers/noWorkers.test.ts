import { expect, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { BUTTON, FIELD, isIn, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

test.each([
  ['blocks workers', "worker-src 'none'"],
  ['requires trusted types', "require-trusted-types-for 'script'"],
  ['allows only the trusted type of the widget', "require-trusted-types-for 'script'; trusted-types postern"],
])('the page solves the puzzle if the policy %s', async (_, policy) => {
  const tab = await visit(await serve({}, { 'Content-Security-Policy': policy }));
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  expect(parsePayload(payload)?.metadata?.usedWasm).toBe(true);
  const files = tab.requests.map(({ url }) => /\/widget\/(extras|solver)\./.exec(url)?.[1]).filter(Boolean);
  expect(files).toEqual(['extras', 'solver']);
  expect(await postern.verify(payload)).toMatchObject({ success: true });
  tab.close();
});
