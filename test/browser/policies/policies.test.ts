import { expect, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import type { Tab } from '../../support/browser.ts';
import { BUTTON, FIELD, isIn, published, STATUS, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve } = useBrowserCase(import.meta.dir);

async function open(policy: string): Promise<Tab> {
  return visit(await serve({ nonce: 'bm9uY2U' }, { 'Content-Security-Policy': policy }));
}

test('with a nonce-based policy, the page solves the puzzle in JavaScript, and the widget has styles', async () => {
  const tab = await open("script-src 'nonce-bm9uY2U'; style-src 'self'");
  expect(await tab.evaluate<string>(`getComputedStyle(${BUTTON}).position`)).toBe('absolute');
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  expect(parsePayload(payload)?.metadata?.usedWasm).toBe(false);
  expect(await postern.verify(payload)).toMatchObject({ success: true });
  tab.close();
});

test('if the policy blocks requests, the console and the event name the directive immediately, and the visitor gets a message', async () => {
  const website = await serve({}, { 'Content-Security-Policy': "connect-src 'self'" });
  const tab = await visit(published(website));
  await tab.evaluate(
    "void document.addEventListener('postern:error', ({ detail }) => { window.failure = detail.reason; })",
  );
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  await tab.until(`${STATUS} === 'This check is not available right now. Reload the page.'`);
  const reason = `content-security-policy: connect-src ${postern.url}`;
  expect(await tab.evaluate<string>('failure')).toBe(reason);
  expect(tab.consoleLines).toContain(`error [postern] policy-blocks: ${reason}`);
  tab.close();
});

test('a policy that only reports has no effect', async () => {
  const policy = "connect-src 'self'; script-src 'none'; worker-src 'none'";
  const tab = await visit(await serve({}, { 'Content-Security-Policy-Report-Only': policy }));
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  tab.close();
});
