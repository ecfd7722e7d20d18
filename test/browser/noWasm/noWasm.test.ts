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
} from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let postern: TestPostern;
let site: Site;
beforeAll(async () => {
  postern = await startPostern();
  site = await serveSite(import.meta.dir, { postern: postern.url, sitekey: postern.sitekey });
});
afterAll(async () => {
  await site.stop();
  await postern.stop();
});

/** WebAssembly is gone from the page and, before their first line runs, from its workers. */
const WITHOUT_WASM = `
  delete window.WebAssembly;
  window.Blob = class extends Blob {
    constructor(parts, options) {
      super(['delete self.WebAssembly;', ...parts], options);
    }
  };`;

async function usedWasm(tab: Awaited<ReturnType<typeof visit>>): Promise<boolean | undefined> {
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  tab.close();
  expect(await postern.verify(payload)).toMatchObject({ success: true });
  return parsePayload(payload)?.metadata?.usedWasm;
}

test('WebAssembly does the work where it may', async () => {
  expect(await usedWasm(await visit(site))).toBe(true);
});

test('a browser without WebAssembly solves in JavaScript', async () => {
  expect(await usedWasm(await visit(site, WITHOUT_WASM))).toBe(false);
});

test('a policy without wasm-unsafe-eval makes the workers solve in JavaScript', async () => {
  const values = { postern: postern.url, sitekey: postern.sitekey };
  const policy = "default-src 'none'; script-src {{postern}}; connect-src {{postern}}; worker-src blob:";
  const strictSite = await serveSite(import.meta.dir, values, { 'Content-Security-Policy': policy });
  expect(await usedWasm(await visit(strictSite))).toBe(false);
  await strictSite.stop();
});
