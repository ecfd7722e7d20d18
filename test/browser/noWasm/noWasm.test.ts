import { expect, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { BUTTON, FIELD, isIn, useBrowserCase, visit } from '../fixture.ts';

const { postern, serve, website } = useBrowserCase(import.meta.dir);

/** Removes WebAssembly from the page and from its workers, before they run. */
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

test('the solver uses WebAssembly if it is available', async () => {
  expect(await usedWasm(await visit(website))).toBe(true);
});

test('the solver uses JavaScript in a browser without WebAssembly', async () => {
  expect(await usedWasm(await visit(website, WITHOUT_WASM))).toBe(false);
});

test('the workers use JavaScript if the policy lacks wasm-unsafe-eval', async () => {
  const policy = "default-src 'none'; script-src {{postern}}; connect-src {{postern}}; worker-src blob:";
  const strictWebsite = await serve({}, { 'Content-Security-Policy': policy });
  expect(await usedWasm(await visit(strictWebsite))).toBe(false);
});
