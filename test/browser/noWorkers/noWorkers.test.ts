import { expect, test } from 'bun:test';
import { BUTTON, FIELD, isIn, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

test.each([
  ['blocks workers', "worker-src 'none'"],
  ['requires trusted types', "require-trusted-types-for 'script'"],
])('the page solves the puzzle if the policy %s', async (_, policy) => {
  const tab = await visit(await serve({}, { 'Content-Security-Policy': policy }));
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(await postern.verify(await tab.evaluate<string>(FIELD))).toMatchObject({ success: true });
  tab.close();
});
