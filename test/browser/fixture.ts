import { setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { widgetScript } from '../../bundle.ts';
import { base64Of } from '../../src/lib/bytes.ts';
import { areDistinct, blockOf, doAllMeet } from '../../src/puzzle/check.ts';
import { bytesOfPuzzle } from '../../src/puzzle/puzzle.ts';
import { parsePayload } from '../../src/puzzle/solution.ts';
import { thresholdOf } from '../../src/puzzle/threshold.ts';
import { openTab, type Tab } from '../support/browser.ts';

// A browser's first start on a busy machine takes its time; conditions have a patience of their own.
setDefaultTimeout(30_000);

/** A running Postern with a property that allows localhost and one that does not. */
export type TestPostern = {
  readonly url: string;
  readonly sitekey: string;
  readonly foreignSitekey: string;
  verify(payload: string): Promise<Verdict>;
  stop(): Promise<void>;
};

export type Verdict = { readonly success: boolean; readonly code: number };

export const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee';

export async function startPostern(
  options: { level?: number; validitySeconds?: number } = {},
): Promise<TestPostern> {
  const level = options.level ?? 80;
  const sitekey = '0123456789abcdef0123456789abcdef';
  const foreignSitekey = 'f123456789abcdef0123456789abcdef';
  const script = widgetScript();
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      const url = new URL(request.url);
      const cors = {
        'access-control-allow-origin': request.headers.get('origin') ?? '*',
        'access-control-allow-headers': 'x-pc-captcha-version, accept, content-type, x-requested-with',
        vary: 'Origin',
        'access-control-expose-headers': 'Retry-After',
      };
      if (url.pathname === '/widget/postern.js')
        return new Response(script, { headers: { 'content-type': 'text/javascript' } });
      if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: cors });
      const asked = url.searchParams.get('sitekey') ?? '';
      if (asked === foreignSitekey)
        return Response.json(
          { meta: { code: 1001, description: 'This origin is not allowed.', request_id: 'x' }, data: null },
          { status: 403, headers: cors },
        );
      const isTest = asked === TEST_SITEKEY;
      const puzzle = bytesOfPuzzle({
        propertyId: Uint8Array.fromHex(asked),
        puzzleId: isTest ? new Uint8Array(8) : crypto.getRandomValues(new Uint8Array(8)),
        difficulty: isTest ? 0 : level,
        solutionCount: 16,
        expiresAtSeconds: isTest ? 0 : Math.floor(Date.now() / 1000) + (options.validitySeconds ?? 600),
        userData: new Uint8Array(16),
      });
      return new Response(`${base64Of(puzzle)}.${base64Of(new Uint8Array(40))}`, { headers: cors });
    },
  });
  return {
    url: `http://localhost:${server.port}`,
    sitekey,
    foreignSitekey,
    async verify(payload) {
      const parsed = parsePayload(payload);
      if (!parsed) return { success: false, code: 4 };
      if (parsed.puzzle.expiresAtSeconds === 0) return { success: true, code: 10 };
      const hash = (block: Uint8Array) =>
        Bun.CryptoHasher.hash('blake2b256', block, new Uint8Array(32)) as Uint8Array;
      const isSolved =
        areDistinct(parsed.solutions) &&
        doAllMeet(parsed.solutions, blockOf(parsed.puzzleBytes), thresholdOf(parsed.puzzle.difficulty), hash);
      return { success: isSolved, code: isSolved ? 0 : 2 };
    },
    stop: () => server.stop(true),
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
export async function visit(site: Site, prelude = ''): Promise<Tab> {
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
    window.setTimeout = (run, milliseconds = 0) => later(run, milliseconds / ${speed});
  }`;
}

/** A prelude: the page keeps a list of what its policy forbade. */
export const WATCH_VIOLATIONS = `
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    violations.push(event.violatedDirective + ' ' + event.blockedURI);
  });`;

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
