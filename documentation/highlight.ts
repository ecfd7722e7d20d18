/** Highlights code at build time. */
import { createRequire } from 'node:module';

type Highlighter = {
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
};

// The types of the package contain those of browsers, which replace the types of Bun.
const highlighter: Highlighter = createRequire(import.meta.url)('highlight.js');

/** Languages that highlight.js knows by another name. */
const NAMES: Readonly<Record<string, string>> = { svelte: 'xml', vue: 'xml', html: 'xml', sh: 'bash' };

/**
 * Returns the markup of highlighted code: text and `<span class="hljs-…">`. `static/code.css` has the colors.
 *
 * @param language as in Markdown; empty for plain text
 * @throws Error if the language is unknown
 */
export function highlightCode(code: string, language: string): string {
  if (language === '') return Bun.escapeHTML(code);
  return highlighter.highlight(code, { language: NAMES[language] ?? language }).value;
}
