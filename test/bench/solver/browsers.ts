import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTab } from '../../support/browser.ts';

/** A browser page that evaluates expressions and awaits promises. */
export type Page = {
  readonly name: string;
  evaluate<T>(expression: string): Promise<T>;
  close(): void;
};

/** @throws if Chromium is not installed */
async function openChromium(): Promise<Page> {
  // A blank page has no origin and therefore no workers.
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => htmlOf('<!doctype html>') });
  const tab = await openTab();
  await tab.goto(server.url.href);
  return {
    name: 'Chromium',
    evaluate: tab.evaluate,
    close() {
      tab.close();
      server.stop(true);
    },
  };
}

/**
 * Starts Firefox in headless mode. Its page requests expressions from a local server and posts their results.
 *
 * @throws if Firefox is not installed
 */
async function openFirefox(): Promise<Page> {
  const binary = Bun.which('firefox') ?? Bun.which('firefox-esr');
  if (binary === null) throw new Error('not installed');
  const profile = mkdtempSync(join(tmpdir(), 'postern-firefox-'));
  const expressions = createSlot();
  const results = createSlot();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/') return htmlOf(PAGE);
      if (pathname === '/next') return new Response(await expressions.take());
      if (pathname === '/result') results.put(await request.text());
      return new Response();
    },
  });
  const browser = Bun.spawn(
    [binary, '--headless', '--profile', profile, `http://127.0.0.1:${server.port}/`],
    {
      stdout: 'ignore',
      stderr: 'ignore',
      env: { ...process.env, HOME: profile },
    },
  );
  // A failed run must not leave the browser running.
  process.once('exit', () => browser.kill());
  return {
    name: 'Firefox',
    async evaluate<T>(text: string) {
      expressions.put(text);
      const { value, error } = JSON.parse(await results.take());
      if (error !== undefined) throw new Error(error);
      return value as T;
    },
    close() {
      browser.kill();
      server.stop(true);
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

function htmlOf(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'text/html' } });
}

/** Holds one text; `take` waits until there is one. */
function createSlot() {
  let { promise, resolve } = Promise.withResolvers<string>();
  return {
    put: (text: string) => resolve(text),
    async take(): Promise<string> {
      const text = await promise;
      ({ promise, resolve } = Promise.withResolvers<string>());
      return text;
    },
  };
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>bench</title><script type="module">
for (;;) {
  const expression = await (await fetch('/next')).text();
  const result = await Promise.resolve().then(() => (0, eval)(expression)).then(
    (value) => ({ value }),
    (cause) => ({ error: String(cause) }),
  );
  await fetch('/result', { method: 'POST', body: JSON.stringify(result) });
}
</script>`;

/** Opens a page in each browser that is installed. They are closed when the part ends. */
export async function openPages(
  defer: (step: () => unknown) => void,
  progress: (text: string) => void,
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (const open of [openChromium, openFirefox]) {
    try {
      const page = await open();
      defer(() => page.close());
      pages.push(page);
    } catch (cause) {
      progress(`not measured: ${open.name.slice(4)}: ${cause instanceof Error ? cause.message : cause}`);
    }
  }
  return pages;
}

/**
 * Loads scripts into a page, and a worker's program as the function `posternSolver`.
 *
 * @param files paths in the repository
 */
export async function loadScripts(page: Page, files: readonly string[], worker: string): Promise<void> {
  const [script, program] = [await bundleOf('iife', files), await bundleOf('esm', [worker])];
  await page.evaluate(`(0, eval)(${JSON.stringify(script)}), 0`);
  await page.evaluate(`globalThis.posternSolver = function (self) {${program}}, 0`);
}

async function bundleOf(format: 'iife' | 'esm', files: readonly string[]): Promise<string> {
  const entrypoints = files.map((file) => join(import.meta.dir, '../../..', file));
  const { outputs } = await Bun.build({ entrypoints, target: 'browser', format });
  return (await Promise.all(outputs.map((output) => output.text()))).join(';');
}
