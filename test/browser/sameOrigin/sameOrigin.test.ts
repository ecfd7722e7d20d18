import { expect, setDefaultTimeout, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { openTab } from '../../support/browser.ts';
import { startServer } from '../../support/server.ts';
import { BOX, BUTTON, CASE_TIMEOUT_MS, FIELD, isIn } from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

// Such a request has no Origin header, and the page's policy would remove the referrer. The widget sends the origin as referrer.
test("a page on Postern's own host with a no-referrer policy and a long URL receives a puzzle", async () => {
  const server = await startServer({ settings: { POSTERN_DEMO: 'on' } });
  const tab = await openTab();
  await tab.goto(`${server.url}/demo`);
  // A Referer over 300 characters would be ignored, but the widget sends only the origin.
  await tab.evaluate("history.replaceState(null, '', '/demo?' + 'a'.repeat(400))");
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  // The page's policy does not allow blobs and WebAssembly, but its workers are loaded from files.
  expect(parsePayload(await tab.evaluate<string>(FIELD))?.metadata?.usedWasm).toBe(true);
  await tab.click("document.querySelector('#form > button')");
  await tab.until("document.querySelector('#verdict') !== null");
  const verdict = await tab.evaluate<string>("document.querySelector('#verdict').textContent");
  expect(JSON.parse(verdict)).toMatchObject({ success: true, code: 0 });
  const request = tab.requests.find(({ url }) => url.includes('/puzzle?'));
  expect(request?.headers).toMatchObject({ Referer: `${server.url}/` });
  tab.close();
  await server.stop();
});
