/**
 * Colors the code of the integration page when the portal is bundled, so that neither the server nor the browser needs a highlighter.
 * `src/http/portal/properties/snippets.ts` calls `highlightedSnippets` as a macro.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { hashOf } from './src/http/etag.ts';
import { PLACEHOLDERS, snippetTemplates } from './src/http/portal/properties/snippetCatalog.ts';

const ROOT = import.meta.dir;
const FRAMEWORKS = 'docs/how-to/frameworks.md';
const SOURCES = [
  'highlight.ts',
  'bun.lock',
  FRAMEWORKS,
  'src/http/portal/properties/snippetTemplates.ts',
  'src/http/portal/properties/snippetCatalog.ts',
];

type Highlighter = {
  readonly registerLanguage: (name: string, language: unknown) => void;
  readonly highlight: (code: string, options: { readonly language: string }) => { readonly value: string };
};

// Not imported, because the types of the package add those of browsers to the whole program.
const require = createRequire(import.meta.url);
const highlighter: Highlighter = require('highlight.js/lib/core');
const LANGUAGES = ['bash', 'go', 'java', 'javascript', 'php', 'python', 'ruby', 'xml'] as const;
type Language = (typeof LANGUAGES)[number];
for (const name of LANGUAGES)
  highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));

/** The language of a code block in the documentation. */
const LANGUAGES_OF_BLOCKS: Readonly<Record<string, Language>> = {
  js: 'javascript',
  jsx: 'javascript',
  vue: 'xml',
  svelte: 'xml',
  html: 'xml',
};

/** A part of a code with its color: `k`eyword, `s`tring, `c`omment, `n`umber, `f`unction or name; empty for plain text. */
export type ColoredPart = readonly [color: string, text: string];

export type ColoredCode = readonly ColoredPart[];

/**
 * Returns the code of all snippets by their ids, and the examples in docs/how-to/frameworks.md by their file names. Values of the
 * property are placeholders.
 */
export function highlightedSnippets(): Readonly<Record<string, ColoredCode>> {
  return cached(() => {
    const snippets = Object.entries(snippetTemplates()).map(([id, { language, code }]) => [
      id,
      colored(code, language),
    ]);
    return Object.fromEntries([...snippets, ...frameworkExamples()]);
  });
}

/** The code blocks with a title. The placeholders replace the example's host and sitekey. */
function frameworkExamples(): readonly (readonly [string, ColoredCode])[] {
  const page = readFileSync(join(ROOT, FRAMEWORKS), 'utf8');
  const blocks = page.matchAll(/^```(\w+) title="([^"]+)"\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, block = '', title = '', code = '']) => {
    const language = LANGUAGES_OF_BLOCKS[block];
    if (language === undefined) throw new Error(`the code ${title} in ${FRAMEWORKS} has an unknown language`);
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
function colored(code: string, language: Language): ColoredCode {
  const { value } = highlighter.highlight(code, { language });
  const parts: [string, string][] = [];
  const open: string[] = [];
  for (const [match, classes] of value.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
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

/** Every process that runs from source needs the result, so it is cached until one of its sources changes. */
function cached<T>(create: () => T): T {
  const hashes = SOURCES.map((file) => hashOf(readFileSync(join(ROOT, file)))).join();
  const file = join(ROOT, 'node_modules/.cache/postern', `${hashOf(hashes)}.snippets.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const value = create();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(value));
  renameSync(`${file}.${process.pid}`, file);
  return value;
}
