/**
 * The table of browsers in docs/reference/browsers.md. `bun test/widget/browserSupport/table.ts` writes it.
 */
import { join } from 'node:path';
import { ROOT } from '../../../build/build.ts';
import {
  argon2idSolver,
  extrasScript,
  fallbackSolver,
  hashwxSolver,
  widgetScript,
} from '../../../build/bundle.ts';
import { REQUIRED_APIS } from '../../browser/brokenApis/requiredApis.ts';
import { usedBy } from './used.ts';
import { BROWSERS, type BrowserKey, oldestWith, pathOfApi } from './versions.ts';

const VENDORS = ['privateCaptcha', 'recaptcha', 'hcaptcha', 'turnstile', 'altcha', 'cap'] as const;

/** The scripts that browsers run. */
export const SCRIPTS: Readonly<Record<string, () => string>> = {
  'postern.js': () => widgetScript('postern'),
  ...Object.fromEntries(VENDORS.map((name) => [`${name}.js`, () => widgetScript(name)])),
  'extras.js': extrasScript,
  'solver.js': fallbackSolver,
  'argon2id.js': argon2idSolver,
  'hashwx.js': hashwxSolver,
};

/** What every browser needs: the syntax and the built-in functions of all scripts, and the Web APIs without a fallback. */
export function needs(): readonly (readonly string[])[] {
  const apis = REQUIRED_APIS.map((api) => [pathOfApi(api)]);
  return [...Object.values(SCRIPTS).flatMap((textOf) => usedBy(textOf())), ...apis];
}

const one = (path: string) => [[path]];

/** The columns of the table. All but the first one are optional: without them, the widget has a fallback. */
const COLUMNS: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  widget: needs,
  'WebAssembly, argon2id puzzles': () => one('webassembly.api'),
  SIMD: () => one('webassembly.fixed-width-SIMD'),
  workers: () => one('api.Worker'),
  'own styles': () => [['api.ShadowRoot.adoptedStyleSheets'], ['api.CSSStyleSheet.replaceSync']],
};

export function table(): string {
  const head = ['browser', ...Object.keys(COLUMNS)];
  const columns = Object.values(COLUMNS).map((needsOf) => needsOf());
  const rows = Object.entries(BROWSERS).map(([key, name]) => [
    name,
    ...columns.map((column) => String(oldestWith(column, key as BrowserKey))),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export const PAGE = join(ROOT, 'docs/reference/browsers.md');
const TABLE = /(?<=<!-- versions -->\n)[\s\S]*?(?=<!-- end of the versions -->)/;

/** @returns the page with the current table */
export const withTable = (page: string) => page.replace(TABLE, () => `${table()}\n`);

if (import.meta.main) await Bun.write(PAGE, withTable(await Bun.file(PAGE).text()));
