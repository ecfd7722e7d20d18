/**
 * The browsers that run the tests of the widget. `bun test/browsers.ts firefox` runs all of them in one browser; `npm test` runs a
 * part.
 *
 * This file runs before any package is installed, so it imports only Bun and Node.
 */
import { join } from 'node:path';

export type Browser = 'chromium' | 'firefox' | 'webkit';

const isBrowser = (name: string | undefined): name is Browser =>
  name === 'chromium' || name === 'firefox' || name === 'webkit';

const named = process.env.TEST_BROWSER;

/** The browser of this process. */
export const BROWSER: Browser = isBrowser(named) ? named : 'chromium';

/** Files and folders below `test/browser` that do not run in these browsers. */
type NotRun = readonly [path: string, browsers: readonly Browser[], reason: string];

const OTHERS: readonly Browser[] = ['firefox', 'webkit'];

export const NOT_RUN: readonly NotRun[] = [
  ['portal', OTHERS, 'the portal is not part of the widget'],
  ['publicPages', OTHERS, 'the documentation is not part of the widget'],
  ['swagger', OTHERS, 'the Swagger page is not part of the widget'],
  ['keyboard/fullTree.test.ts', OTHERS, 'reads the description and the state from the DevTools protocol'],
  ['frameworks/playwright.test.ts', OTHERS, 'Playwright starts Chromium by itself'],
  ['argon2id/memory.test.ts', OTHERS, 'uses up the address space that Chromium reserves for WebAssembly'],
  ['kinds/throttled.test.ts', OTHERS, 'only the DevTools protocol can slow down a page'],
  ['accessibility/narrow.test.ts', ['webkit'], 'the window of MiniBrowser is at least as wide as its bars'],
  ['appearance/phone.test.ts', ['webkit'], 'the window of MiniBrowser is at least as wide as its bars'],
  ['outage/offline.test.ts', ['webkit'], 'the inspector protocol cannot disconnect a page from the network'],
];

/** The folders that run in `npm test` in each browser besides Chromium. */
const MAIN: readonly string[] = [
  'accessibility',
  'expiry',
  'forms',
  'keyboard',
  'kinds',
  'noWasm',
  'noWorkers',
  'onload',
  'pageApi',
  'solve',
  'strictCsp',
];

/** Files of these folders that run only with all files. */
const SLOW: readonly NotRun[] = [
  ['accessibility/accessibility.test.ts', ['webkit'], 'examines 45 pages with axe-core'],
];

const isBelow = (file: string, path: string) => `${file}/`.startsWith(`${path}/`);

/** Returns the test files of a browser below `test/`, sorted. */
export function browserFiles(browser: Browser, selection: 'all' | 'main'): readonly string[] {
  const rows = selection === 'all' ? NOT_RUN : [...NOT_RUN, ...SLOW];
  const omitted = rows.filter(([, browsers]) => browsers.includes(browser));
  const files = [...new Bun.Glob('**/*.test.ts').scanSync({ cwd: join(import.meta.dir, 'browser') })];
  return files
    .filter((file) => !omitted.some(([path]) => isBelow(file, path)))
    .filter((file) => selection === 'all' || MAIN.some((folder) => isBelow(file, folder)))
    .sort()
    .map((file) => `browser/${file}`);
}

if (import.meta.main) {
  const browser = process.argv[2];
  if (!isBrowser(browser)) throw new Error('name a browser: chromium, firefox, or webkit');
  const files = browserFiles(browser, 'all').map((file) => `./test/${file}`);
  const { exitCode } = Bun.spawnSync([process.execPath, 'test', '--timeout', '120000', ...files], {
    cwd: join(import.meta.dir, '..'),
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TEST_BROWSER: browser },
  });
  process.exitCode = exitCode;
}
