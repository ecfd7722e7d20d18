/**
 * The runtime that compiled JSX calls: `jsxImportSource` in `tsconfig.json` is `#jsx`, and `package.json` maps that name to this file.
 * The only module that imports the renderer (docs/project/decisions/0011-jsx-for-markup.md).
 */
import { raw } from 'hono/html';
import { jsx as createElement, Fragment as HonoFragment } from 'hono/jsx/jsx-runtime';
import type { Element } from './elements.ts';

export type * as JSX from './elements.ts';

/** Creates an element. Only the compiler calls it. */
export const jsx: (
  tag: string | ((props: never) => Element),
  props: Readonly<Record<string, unknown>>,
  key?: string,
) => Element = createElement;

export { jsx as jsxDEV, jsx as jsxs };

/** Children without an element around them: `<>…</>`. */
export const Fragment = HonoFragment;

/** Inserts markup without escaping it. For markup that our own code produced, never for input. */
export function Raw({ markup }: { readonly markup: string }): Element {
  return createElement(HonoFragment, { children: raw(markup) });
}

/**
 * Renders an element as a string. Text and attribute values are escaped.
 * @throws Error if a component is asynchronous, which the types do not allow
 */
export function render(element: Element): string {
  const markup = element.toString();
  if (typeof markup !== 'string') throw new Error('A component of a page is asynchronous.');
  return markup;
}

/** Renders a whole page as a string: the document type, then the `html` element. */
export function renderPage(page: Element): string {
  return `<!doctype html>\n${render(page)}\n`;
}
