import { afterAll, beforeAll, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { TEST_SITEKEY } from '../../src/model/property.ts';
import type { Challenge } from '../../src/model/propertyFields.ts';
import { openTab, type Tab } from '../support/browser.ts';
import { addTenant, startServer } from '../support/server.ts';
import { type VerifyAnswer, verify } from '../support/visitor.ts';

export { TEST_SITEKEY };

/** Milliseconds for `setDefaultTimeout`, because browsers are slow on a busy machine. */
export const CASE_TIMEOUT_MS = 120_000;

/** A running Postern with a property that allows localhost and one that does not. */
export type TestPostern = {
  readonly url: string;
  readonly sitekey: string;
  readonly foreignSitekey: string;
  readonly verifyKey: string;
  /** The secret for backends that verify challenges of ALTCHA offline. */
  readonly offlineSecret: string;
  verify(payload: string): Promise<VerifyAnswer>;
  stop(): Promise<void>;
};

export type PosternOptions = {
  readonly level?: number;
  readonly validitySeconds?: number;
  readonly challenge?: Challenge;
};

/** Starts a server in this process with its own data folder. */
export async function startPostern({
  level = 80,
  validitySeconds = 600,
  challenge = 'blake2b',
}: PosternOptions = {}): Promise<TestPostern> {
  const server = await startServer();
  const tenant = await addTenant(server, { level, validitySeconds, challenge, allowsLocalhost: true });
  const foreign = await addTenant(server);
  // The same host name as the page, so that both share cookies.
  const url = server.url.replace('127.0.0.1', 'localhost');
  return {
    url,
    sitekey: tenant.property.sitekey,
    foreignSitekey: foreign.property.sitekey,
    verifyKey: tenant.verifyKey,
    offlineSecret: server.app.services.offlineSecretOf(tenant.property.sitekey, 0),
    verify: (payload) => verify(server.url, tenant.verifyKey, payload),
    stop: server.stop,
  };
}

/** A website with the widget, on another origin than Postern. */
export type Website = {
  readonly url: string;
  /** The submitted forms, in order. */
  readonly submissions: readonly URLSearchParams[];
  stop(): Promise<void>;
};

/**
 * Serves `page.html` of a test case and replaces each {{name}} by its value.
 *
 * @param folder `import.meta.dir` of the case
 * @param headers of the page; {{name}} is replaced, too
 */
export async function serveWebsite(
  folder: string,
  values: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Website> {
  const submissions: URLSearchParams[] = [];
  const fill = (text: string) => text.replaceAll(/{{(\w+)}}/g, (_, name: string) => values[name] ?? '');
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      // Without the base, a request of another program without the header Host, such as a health check, would fail the test.
      const { pathname } = new URL(request.url, 'http://localhost');
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
 * Starts a server before the tests of a file, and stops it after them.
 *
 * @returns the server; usable within tests and hooks only
 */
export function usePostern(options: PosternOptions = {}): TestPostern {
  setDefaultTimeout(CASE_TIMEOUT_MS);
  let started: TestPostern | undefined;
  beforeAll(async () => {
    started = await startPostern(options);
  });
  afterAll(() => started?.stop());
  return {
    get url() {
      return running(started).url;
    },
    get sitekey() {
      return running(started).sitekey;
    },
    get foreignSitekey() {
      return running(started).foreignSitekey;
    },
    get verifyKey() {
      return running(started).verifyKey;
    },
    get offlineSecret() {
      return running(started).offlineSecret;
    },
    verify: (payload) => running(started).verify(payload),
    stop: () => running(started).stop(),
  };
}

export type BrowserCase = {
  readonly postern: TestPostern;
  /** The case's page with the URL and the sitekey of `postern`. */
  readonly website: Website;
  /** Serves the case's page with additional values. */
  readonly serve: (
    values?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Website>;
};

/**
 * Sets up a test case: a server, and the case's page. Stops everything after the tests of the file.
 *
 * @param folder `import.meta.dir` of the case
 * @param options of the server; `headers` are those of the page
 */
export function useBrowserCase(
  folder: string,
  { headers = {}, ...options }: PosternOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
): BrowserCase {
  const postern = usePostern(options);
  const websites: Website[] = [];
  const serve: BrowserCase['serve'] = async (values = {}, pageHeaders = {}) => {
    const defaults = { postern: postern.url, sitekey: postern.sitekey };
    const website = await serveWebsite(folder, { ...defaults, ...values }, pageHeaders);
    websites.push(website);
    return website;
  };
  beforeAll(async () => {
    await serve({}, headers);
  });
  afterAll(async () => {
    for (const website of websites) await website.stop();
  });
  const website: Website = {
    get url() {
      return running(websites[0]).url;
    },
    get submissions() {
      return running(websites[0]).submissions;
    },
    stop: () => running(websites[0]).stop(),
  };
  return { postern, website, serve };
}

function running<T>(started: T | undefined): T {
  if (started === undefined) throw new Error('not started: use it in a test or a hook');
  return started;
}

/**
 * Opens the website's page and waits for the widget.
 *
 * @param prelude a script that runs before all scripts of the page
 */
export async function visit(website: Pick<Website, 'url'>, prelude = ''): Promise<Tab> {
  const tab = await openTab();
  await tab.preload(prelude);
  await tab.goto(website.url);
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  return tab;
}

/** The same website under an address that is not one of localhost, where the widget shows developers the reason of a problem. */
export function published({ url }: Pick<Website, 'url'>): Pick<Website, 'url'> {
  return { url: url.replace('localhost', '127.0.0.2') };
}

/** A prelude that speeds up the page's clock and timers. */
export function fastClock(speed: number): string {
  return `{
    const begin = Date.now();
    const now = Date.now;
    const later = window.setTimeout;
    Date.now = () => begin + (now() - begin) * ${speed};
    // Except for the timeout of requests, because the network is not faster.
    window.setTimeout = (run, milliseconds = 0) =>
      later(run, milliseconds === 10_000 ? milliseconds : milliseconds / ${speed});
  }`;
}

/** A prelude that records violations of the page's content security policy, except the icon, which browsers with a window request. */
export const WATCH_VIOLATIONS = `
  window.violations = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    if (!blockedURI.endsWith('/favicon.ico')) violations.push(violatedDirective + ' ' + blockedURI);
  });`;

/** A prelude that counts open workers. */
export const COUNT_WORKERS = `
  window.openWorkers = 0;
  window.Worker = class extends Worker {
    constructor(url) { super(url); openWorkers += 1; this.isOpen = true; }
    terminate() { super.terminate(); if (this.isOpen) openWorkers -= 1; this.isOpen = false; }
  };`;

/** An expression that waits until the browser has collected garbage of the page, as it does at any time. */
export const COLLECT_GARBAGE = `new Promise((resolve) => {
  window.collections = new FinalizationRegistry(resolve);
  collections.register({}, 'collected');
  const allocate = () => {
    new Uint8Array(1e7);
    window.allocation = setTimeout(allocate, 5);
  };
  allocate();
}).then(() => clearTimeout(allocation))`;

/** @returns the number of puzzles that the tab requested */
export function puzzleRequests(tab: Tab): number {
  return tab.requests.filter(({ url }) => new URL(url).pathname === '/puzzle').length;
}

const ROOT = "document.querySelector('.postern-captcha > div')?.shadowRoot";

/** Expressions for the parts of the page's first widget. */
export const BOX = `${ROOT}?.querySelector('.box')`;
export const BUTTON = `${ROOT}.querySelector('button')`;
export const STATUS = `${ROOT}.querySelector('#status').textContent`;
export const FIELD = 'document.querySelector(\'input[name="postern-captcha-solution"]\').value';

/** @returns an expression that is true if the widget is in this state */
export function isIn(state: string): string {
  return `${BOX}.dataset.state === '${state}'`;
}
