/** The oldest version of each browser that has a feature, according to MDN's browser-compat-data. */

import bcd from '@mdn/browser-compat-data' with { type: 'json' };
import type { Identifier, SupportStatement } from '@mdn/browser-compat-data';

export const BROWSERS = {
  chrome: 'Chrome',
  edge: 'Edge',
  firefox: 'Firefox',
  safari: 'Safari on macOS',
  safari_ios: 'Safari on iOS',
  samsunginternet_android: 'Samsung Internet',
} as const;

export type BrowserKey = keyof typeof BROWSERS;

/** A version that no browser has reached. */
export const NEVER = Number.POSITIVE_INFINITY;

function compatAt(path: string): Identifier | undefined {
  // A name can contain dots.
  const name = path.replace('for_await...of', 'for_await\0of').split('.');
  let found: Identifier | undefined = bcd as unknown as Identifier;
  for (const step of name) found = found?.[step.replace('\0', '...')];
  return found;
}

/** @returns the version; NEVER if the browser does not have the feature. @throws if the data does not have the path */
export function versionOf(path: string, browser: BrowserKey): number {
  const support = compatAt(path)?.__compat?.support[browser];
  if (support === undefined) throw new Error(`browser-compat-data has no ${path}`);
  return Math.min(...[support].flat().map(versionIn));
}

function versionIn(statement: Exclude<SupportStatement, unknown[]>): number {
  const {
    version_added: added,
    flags,
    prefix,
    alternative_name: alternative,
    partial_implementation: isPartial,
  } = statement;
  const isComplete = !flags && !prefix && !alternative && !isPartial;
  if (!isComplete || typeof added !== 'string' || added === 'preview') return NEVER;
  return Number.parseFloat(added.replace('≤', ''));
}

export const isKnown = (path: string) => compatAt(path)?.__compat !== undefined;

/** @returns the path of a member as `test/browser/brokenApis` names it, such as `Element.prototype.append` or `fetch` */
export function pathOfApi(api: string): string {
  const [owner = '', ...members] = api.split('.');
  if (members[0] === 'prototype') return `api.${owner}.${members[1]}`;
  if (members.length > 0) return `api.${owner}.${members[0]}_static`;
  return isKnown(`api.${owner}`) ? `api.${owner}` : `api.Window.${owner}`;
}

/** @returns the oldest version that has at least one path of each entry */
export function oldestWith(needs: readonly (readonly string[])[], browser: BrowserKey): number {
  return Math.max(...needs.map((paths) => Math.min(...paths.map((path) => versionOf(path, browser)))));
}
