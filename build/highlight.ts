/**
 * Highlights code when the executable is built, so that neither the server nor the browser needs a highlighter.
 * `src/portal/properties/snippets.ts` calls `highlightedSnippets` as a macro.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PLACEHOLDERS, snippetTemplates } from '../src/portal/properties/snippetCatalog.ts';
import { ROOT } from './build.ts';
import { cached } from './cache.ts';

const FRAMEWORKS = 'docs/how-to/frameworks.md';
const SOURCES = [
  'build/highlight.ts',
  FRAMEWORKS,
  'src/portal/properties/snippetTemplates.ts',
  'src/portal/properties/snippetCatalog.ts',
];

type Highlighter = {
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
};

/** Languages that highlight.js knows by another name. */
const NAMES: Readonly<Record<string, string>> = {
  html: 'xml',
  js: 'javascript',
  jsx: 'javascript',
  sh: 'bash',
  svelte: 'xml',
  vue: 'xml',
};

/**
 * Returns the markup of highlighted code: text and `<span class="hljs-…">`. `static/code.css` has the colors.
 *
 * @param language as in Markdown; empty for plain text
 * @throws Error if the language is unknown
 */
export function highlightCode(code: string, language: string): string {
  if (language === '') return Bun.escapeHTML(code);
  // Not imported: the types of the package replace those of Bun, and loading it takes 0.2 seconds, which a cached result saves.
  const require = createRequire(import.meta.url);
  const highlighter: Highlighter = require('highlight.js');
  return highlighter.highlight(code, { language: NAMES[language] ?? language }).value;
}

/** A part of a code with its color: `k`eyword, `s`tring, `c`omment, `n`umber, `f`unction or name; empty for plain text. */
export type ColoredPart = readonly [color: string, text: string];

export type ColoredCode = readonly ColoredPart[];

/**
 * Returns the code of all snippets by their ids, and the examples in docs/how-to/frameworks.md by their file names. Values of the
 * property are placeholders.
 */
export function highlightedSnippets(): Readonly<Record<string, ColoredCode>> {
  const create = () => {
    const snippets = Object.entries(snippetTemplates()).map(
      ([id, { language, code }]) => [id, colored(code, language)] as const,
    );
    return JSON.stringify(Object.fromEntries([...snippets, ...frameworkExamples()]));
  };
  return JSON.parse(cached('snippets.json', SOURCES, create));
}

/** The code blocks with a title. The placeholders replace the example's host and sitekey. */
function frameworkExamples(): readonly (readonly [string, ColoredCode])[] {
  const page = readFileSync(join(ROOT, FRAMEWORKS), 'utf8');
  const blocks = page.matchAll(/^```(\w+) title="([^"]+)"\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language = '', title = '', code = '']) => {
    const filled = code
      .trimEnd()
      .replaceAll('https://captcha.example.com', PLACEHOLDERS.baseUrl)
      .replaceAll('0123456789abcdef0123456789abcdef', PLACEHOLDERS.sitekey);
    return [title, colored(filled, language)] as const;
  });
}

/** The first match decides. */
const COLORS: readonly (readonly [RegExp, string])[] = [
  [/^(comment|doctag|quote)$/, 'c'],
  [/^(string|regexp|char|subst-string)$/, 's'],
  [/^(number|literal|symbol)$/, 'n'],
  [/^(keyword|meta|built_in|type|selector-tag)$/, 'k'],
  [/^(title|name|attr|attribute|property|function|class|variable)$/, 'f'],
];

/** Splits highlighted code into parts. The innermost class with a color decides. */
function colored(code: string, language: string): ColoredCode {
  const parts: [string, string][] = [];
  const open: string[] = [];
  for (const [match, classes] of highlightCode(code, language).matchAll(
    /<span class="([^"]*)">|<\/span>|[^<]+/g,
  )) {
    if (classes !== undefined) open.push(colorOf(classes) ?? open.at(-1) ?? '');
    else if (match === '</span>') open.pop();
    else append(parts, open.at(-1) ?? '', unescaped(match));
  }
  if (parts.map(([, text]) => text).join('') !== code)
    throw new Error(`highlighting changed the code: ${code}`);
  return parts;
}

function append(parts: [string, string][], color: string, text: string): void {
  const last = parts.at(-1);
  if (last !== undefined && (last[0] === color || text.trim() === '')) last[1] += text;
  else parts.push([color, text]);
}

/** Undefined for a class without a color of its own; empty for code inside of a string. */
function colorOf(classes: string): string | undefined {
  const name = (classes.split(' ')[0] ?? '').replace('hljs-', '');
  if (name === 'subst' || name === 'params') return '';
  return COLORS.find(([pattern]) => pattern.test(name))?.[1];
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');
}
