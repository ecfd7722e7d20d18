import { join } from 'node:path';
import { TEST_SITEKEY } from '../../src/model/property.ts';
import { openTab, type Tab } from '../support/browser.ts';
import { addTenant, startServer } from '../support/server.ts';
import { type VerifyAnswer, verify } from '../support/visitor.ts';

export { TEST_SITEKEY };

/** For `setDefaultTimeout` in each case: generous, because browsers are slow on a busy machine. */
export const CASE_TIMEOUT_MS = 120_000;

/** A running Postern with a property that allows localhost and one that does not. */
export type TestPostern = {
  readonly url: string;
  readonly sitekey: string;
  readonly foreignSitekey: string;
  verify(payload: string): Promise<VerifyAnswer>;
  stop(): Promise<void>;
};

export type PosternOptions = { readonly level?: number; readonly validitySeconds?: number };

/** The whole appliance in this process, on a folder of its own. */
export async function startPostern({
  level = 80,
  validitySeconds = 600,
}: PosternOptions = {}): Promise<TestPostern> {
  const server = await startServer();
  const tenant = await addTenant(server, { level, validitySeconds, allowsLocalhost: true });
  const foreign = await addTenant(server);
  // The page and Postern share a host name, as far as cookies are concerned.
  const url = server.url.replace('127.0.0.1', 'localhost');
  return {
    url,
    sitekey: tenant.property.sitekey,
    foreignSitekey: foreign.property.sitekey,
    verify: (payload) => verify(server.url, tenant.verifyKey, payload),
    stop: server.stop,
  };
}

/** A site that has the widget on its page; another origin than Postern's. */
export type Site = {
  readonly url: string;
  /** What forms submitted, in order. */
  readonly submissions: readonly URLSearchParams[];
  stop(): Promise<void>;
};

/**
 * Serves `page.html` of a case, each {{name}} replaced by its value.
 *
 * @param folder `import.meta.dir` of the case
 * @param headers of the page, filled in too
 */
export async function serveSite(
  folder: string,
  values: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const submissions: URLSearchParams[] = [];
  const fill = (text: string) => text.replaceAll(/{{(\w+)}}/g, (_, name: string) => values[name] ?? '');
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === 'POST') {
        submissions.push(new URLSearchParams(await request.text()));
        return new Response('<title>received</title>', { headers: { 'content-type': 'text/html' } });
      }
      if (pathname !== '/') return new Response(null, { status: 404 });
      const page = await Bun.file(join(folder, 'page.html')).text();
      const filled = Object.entries(headers).map(([name, value]) => [name, fill(value)] as const);
      return new Response(fill(page), {
        headers: { 'content-type': 'text/html', ...Object.fromEntries(filled) },
      });
    },
  });
  return { url: `http://localhost:${server.port}/`, submissions, stop: () => server.stop(true) };
}

/**
 * Opens the site's page and waits for the widget to be there.
 *
 * @param prelude a script that runs before all scripts of the page
 */
export async function visit(site: Pick<Site, 'url'>, prelude = ''): Promise<Tab> {
  const tab = await openTab();
  await tab.cdp('Page.enable');
  await tab.cdp('Page.addScriptToEvaluateOnNewDocument', { source: prelude });
  await tab.goto(site.url);
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  return tab;
}

/** A prelude: the page's clock and timers run so many times as fast. */
export function fastClock(speed: number): string {
  return `{
    const begin = Date.now();
    const now = Date.now;
    const later = window.setTimeout;
    Date.now = () => begin + (now() - begin) * ${speed};
    // The ten seconds that an answer may take are the network's, which is as slow as ever.
    window.setTimeout = (run, milliseconds = 0) =>
      later(run, milliseconds === 10_000 ? milliseconds : milliseconds / ${speed});
  }`;
}

/** A prelude: the page keeps a list of what its policy forbade. */
export const WATCH_VIOLATIONS = `
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    violations.push(event.violatedDirective + ' ' + event.blockedURI);
  });`;

/** A prelude: the page counts the workers which are open. */
export const COUNT_WORKERS = `
  window.openWorkers = 0;
  window.Worker = class extends Worker {
    constructor(url) { super(url); openWorkers += 1; this.isOpen = true; }
    terminate() { super.terminate(); if (this.isOpen) openWorkers -= 1; this.isOpen = false; }
  };`;

/** How many puzzles the tab asked for. */
export function puzzlesAsked(tab: Tab): number {
  return tab.requests.filter(({ url }) => new URL(url).pathname === '/puzzle').length;
}

const ROOT = "document.querySelector('.postern-captcha > div')?.shadowRoot";

/** Expressions for the parts of the page's first widget. */
export const BOX = `${ROOT}?.querySelector('.box')`;
export const BUTTON = `${ROOT}.querySelector('button')`;
export const STATUS = `${ROOT}.querySelector('.status').textContent`;
export const FIELD = 'document.querySelector(\'input[name="postern-captcha-solution"]\').value';

/** An expression: is the widget in this state? */
export function isIn(state: string): string {
  return `${BOX}.dataset.state === '${state}'`;
}
