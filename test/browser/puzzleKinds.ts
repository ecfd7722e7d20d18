import { expect } from 'bun:test';
import { join } from 'node:path';
import type { Challenge } from '../../src/puzzle/puzzle.ts';
import { parsePayload } from '../../src/puzzle/solution.ts';
import type { Tab } from '../support/browser.ts';
import { BUTTON, FIELD, isIn, type TestPostern, useBrowserCase, visit } from './fixture.ts';

/** Shared by the tests of puzzles other than BLAKE2b. */

/** The page's values for Postern's own widget. */
export const OWN = { script: '/widget/postern.js', css: 'postern-captcha', mode: 'widget' };

/** Paths and vendors' classes of all scripts with a widget, and the hidden mode. */
export const ALL_WIDGETS = [
  { ...OWN, mode: 'hidden' },
  { script: '/widget/js/privatecaptcha.js', css: 'private-captcha', mode: 'widget' },
  { script: '/recaptcha/api.js', css: 'g-recaptcha', mode: 'widget' },
  { script: '/1/api.js', css: 'h-captcha', mode: 'widget' },
  { script: '/turnstile/v0/api.js', css: 'cf-turnstile', mode: 'widget' },
];

/** The kinds of puzzles, with a level at which solving takes a second at most, and the script that solves them. */
export const KINDS = [
  { challenge: 'blake2b', level: 80, version: 1, file: undefined },
  // The lowest level of argon2id puzzles: 8 attempts for each of 8 solutions.
  { challenge: 'argon2id', level: 152, version: 2, file: '/widget/argon2id.js' },
  // 256 attempts for each of 8 solutions.
  { challenge: 'hashwx', level: 100, version: 3, file: '/widget/hashwx.js' },
] as const;

/** Sets up a server with a property of this kind, like `useBrowserCase`. */
export function usePuzzleKind(challenge: Challenge, level: number) {
  const { postern, serve } = useBrowserCase(join(import.meta.dir, 'kinds'), { level, challenge });

  /** Opens a page with Postern's own widget. */
  async function open({
    policy = '',
    prelude = '',
    server = postern,
  }: {
    readonly policy?: string;
    readonly prelude?: string;
    readonly server?: TestPostern;
  } = {}): Promise<Tab> {
    const values = { ...OWN, postern: server.url, sitekey: server.sitekey };
    return visit(await serve(values, policy ? { 'Content-Security-Policy': policy } : {}), prelude);
  }

  /** Starts the check. @returns the puzzle's version and whether WebAssembly solved it, after a successful verification */
  async function solve(tab: Tab): Promise<{ version: number | undefined; usedWasm: boolean | undefined }> {
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    const payload = await tab.evaluate<string>(FIELD);
    expect(await postern.verify(payload)).toMatchObject({ success: true, code: 0 });
    const { puzzle, metadata } = parsePayload(payload) ?? {};
    return { version: puzzle?.version, usedWasm: metadata?.usedWasm };
  }

  return { postern, serve, open, solve };
}

/** @returns the files that the page loaded to solve puzzles, without hashes */
export const solverFiles = (tab: Tab) =>
  tab.requests
    .map(({ url }) => new URL(url).pathname)
    .filter((path) => /argon2id|hashwx|solver/.test(path))
    .map((path) => path.replace(/\.[\da-f]{16}/, ''));

/** @returns the versions that the widget announced */
export const announced = (tab: Tab) =>
  tab.requests
    .filter(({ url }) => url.includes('/puzzle?'))
    .map(({ url }) => new URL(url).searchParams.get('version'));

/** A prelude that starts each worker with a script in which `number` counts the workers from 0. */
export const inEachWorker = (text: string) => `{
  let workers = 0;
  window.Worker = class extends Worker {
    constructor(url) {
      const script = \`const number = \${workers++};${text};importScripts("\${url}")\`;
      super(URL.createObjectURL(new Blob([script])));
    }
  };
}`;

/** @returns an expression that is true if the page has received this number of responses from the path */
export function hasRequested(path: string, count: number): string {
  return `performance.getEntriesByType('resource').filter(({ name }) => name.includes('${path}')).length >= ${count}`;
}

/** Expressions for a page with any widget. */
export const VALUE =
  "[...new FormData(document.forms[0]).values()].find((value) => value.includes('.')) ?? ''";
export const PRESS =
  "document.querySelector('[data-postern] > div').shadowRoot.querySelector('button').click()";

/** Solves the puzzle of a page with one of `ALL_WIDGETS`. @returns the payload */
export async function solveAny(tab: Tab, { mode }: { readonly mode: string }): Promise<string> {
  await tab.until("document.querySelector('[data-postern]') !== null");
  await tab.evaluate(mode === 'hidden' ? "postern.start(document.querySelector('.postern-captcha'))" : PRESS);
  await tab.until(`(${VALUE}) !== ''`);
  return tab.evaluate<string>(VALUE);
}
