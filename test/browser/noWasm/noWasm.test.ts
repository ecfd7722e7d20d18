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

/** The solver's files that the last page requested. */
let files: readonly string[] = [];

async function usedWasm(tab: Awaited<ReturnType<typeof visit>>): Promise<boolean | undefined> {
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  const payload = await tab.evaluate<string>(FIELD);
  files = tab.requests.map(({ url }) => new URL(url).pathname).filter((path) => /solver|kernel/.test(path));
  tab.close();
  expect(await postern.verify(payload)).toMatchObject({ success: true });
  return parsePayload(payload)?.metadata?.usedWasm;
}

test('the solver uses WebAssembly if it is available', async () => {
  expect(await usedWasm(await visit(website))).toBe(true);
  expect(files).toEqual([]);
});

test('the solver uses JavaScript in a browser without WebAssembly', async () => {
  expect(await usedWasm(await visit(website, WITHOUT_WASM))).toBe(false);
});

test('the workers use JavaScript if the policy lacks wasm-unsafe-eval', async () => {
  const policy = "default-src 'none'; script-src {{postern}}; connect-src {{postern}}; worker-src blob:";
  const strictWebsite = await serve({}, { 'Content-Security-Policy': policy });
  expect(await usedWasm(await visit(strictWebsite))).toBe(false);
});

test.each([
  ['trusted types', "script-src {{postern}}; require-trusted-types-for 'script'"],
  ['a nonce', "script-src 'nonce-bm9uY2U'"],
  ['strict-dynamic', "script-src 'nonce-bm9uY2U' 'strict-dynamic'"],
])(
  'the page uses JavaScript if the policy requires %s, without WebAssembly and workers',
  async (_, policy) => {
    const strictWebsite = await serve(
      { nonce: 'bm9uY2U' },
      {
        'Content-Security-Policy': `default-src 'none'; ${policy}; connect-src {{postern}}; worker-src 'none'`,
      },
    );
    expect(await usedWasm(await visit(strictWebsite))).toBe(false);
  },
);

test('the solver uses the scalar kernel in a browser without SIMD', async () => {
  // Each worker tries the kernel with SIMD first.
  const withoutSimd = `window.Blob = class extends Blob {
    constructor(parts, options) {
      const reject = \`{
        const { instantiate } = WebAssembly;
        WebAssembly.instantiate = () => {
          WebAssembly.instantiate = instantiate;
          return Promise.reject(new Error('no SIMD'));
        };
      }\`;
      super([reject, ...parts], options);
    }
  };`;
  expect(await usedWasm(await visit(website, withoutSimd))).toBe(true);
  expect(files).toEqual([expect.stringMatching(/^\/widget\/solver\.[\da-f]{16}\.js$/)]);
});

test('a solver whose contents differ from those in the script is not used', async () => {
  // The first script contains the hash of the solver.
  const changed = `{
    let isFirst = true;
    const set = Object.getOwnPropertyDescriptor(HTMLScriptElement.prototype, 'integrity').set;
    Object.defineProperty(HTMLScriptElement.prototype, 'integrity', {
      set(value) { set.call(this, isFirst ? value : 'sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='); isFirst = false; },
    });
  }`;
  const tab = await visit(website, WITHOUT_WASM + changed);
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  expect(tab.consoleLines.some((line) => /solver-broken: .*solver\.\w+\.js did not load/.test(line))).toBe(
    true,
  );
  tab.close();
});
