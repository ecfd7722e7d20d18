import { expect, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { BUTTON, FIELD, isIn, useBrowserCase, visit, WATCH_VIOLATIONS } from '../fixture.ts';

const POLICY =
  "default-src 'none'; script-src {{postern}} 'wasm-unsafe-eval'; connect-src {{postern}}; worker-src blob:";
const { postern, website } = useBrowserCase(import.meta.dir, {
  headers: { 'Content-Security-Policy': POLICY },
});

test('the widget works with styles under a strict policy, without violations', async () => {
  const tab = await visit(website, WATCH_VIOLATIONS);
  expect(await tab.evaluate<string>(`getComputedStyle(${BUTTON}).position`)).toBe('absolute');
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  expect(parsePayload(payload)?.metadata?.usedWasm).toBe(true);
  expect(await postern.verify(payload)).toMatchObject({ success: true });
  expect(await tab.evaluate<string[]>('violations')).toEqual([]);
  tab.close();
});
