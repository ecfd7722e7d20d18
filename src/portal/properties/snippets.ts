import { highlightedSnippets } from '../../../build/highlight.ts' with { type: 'macro' };
import type { Property } from '../../model/property.ts';
import type { ColoredPart } from '../components/copyable.tsx';
import { type BackendId, backendKey, PLACEHOLDERS } from './snippetCatalog.ts';

/** The values in the code for a property. All are plain ASCII without quotes, so they need no escaping in any language. */
export type SnippetFacts = {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly property: Pick<Property, 'sitekey' | 'domain' | 'allowsSubdomains' | 'allowsLocalhost'>;
  /** An API key, or KEY_PLACEHOLDER. */
  readonly key: string;
  readonly pinned: { readonly path: string; readonly integrity: string };
};

export const KEY_PLACEHOLDER = 'YOUR_VERIFY_KEY';

/** Colored when the program was built. The map keeps the bundler from moving the value into the function that uses it. */
const SNIPPETS: ReadonlyMap<string, readonly ColoredPart[]> = new Map(Object.entries(highlightedSnippets()));

const PATTERN = new RegExp(Object.values(PLACEHOLDERS).join('|'), 'g');

/**
 * Returns a code with the values of a property.
 *
 * @param id a page, a vendor's page, or the file name of an example in docs/how-to/frameworks.md
 */
export function snippet(id: string, facts: SnippetFacts): readonly ColoredPart[] {
  const parts = SNIPPETS.get(id);
  if (parts === undefined) throw new Error(`there is no code ${id}`);
  const values = valuesOf(facts);
  return parts.map(([color, text]) => [color, text.replaceAll(PATTERN, (name) => values[name] ?? name)]);
}

/** Returns the code of the page with other attributes of the widget, one per line. */
export function designSnippet(
  attributes: Readonly<Record<string, string>>,
  facts: SnippetFacts,
): readonly ColoredPart[] {
  const parts = snippet('page', facts);
  const at = parts.findIndex(([, text]) => text === 'data-theme');
  const added = Object.entries(attributes).flatMap(([name, value]): readonly ColoredPart[] => [
    ['', '\n  '],
    ['f', name],
    ['', '='],
    ['s', `"${value}"`],
  ]);
  return [...parts.slice(0, at - 1), ['s', `"${facts.property.sitekey}"`], ...added, ...parts.slice(at + 3)];
}

/** Returns the function that verifies a form in a backend. */
export function backendSnippet(id: BackendId, facts: SnippetFacts): readonly ColoredPart[] {
  return snippet(backendKey(id, facts.property), facts);
}

function valuesOf({ baseUrl, property, key, pinned }: SnippetFacts): Readonly<Record<string, string>> {
  return {
    [PLACEHOLDERS.baseUrl]: baseUrl,
    [PLACEHOLDERS.sitekey]: property.sitekey,
    [PLACEHOLDERS.domain]: property.domain,
    [PLACEHOLDERS.domainPattern]: property.domain.replaceAll('.', '\\.'),
    [PLACEHOLDERS.key]: key,
    [PLACEHOLDERS.pinnedPath]: pinned.path,
    [PLACEHOLDERS.integrity]: pinned.integrity,
  };
}
