/** Nests templates in JSX and JSX in templates, until all pages are JSX. */
import type { Html } from '../../lib/html.ts';
import type { Element } from './elements.ts';
import { Raw, render } from './runtime.ts';

/** A template as a child in JSX: `<div>{fromHtml(field(…))}</div>`. */
export function fromHtml({ markup }: Html): Element {
  return <Raw markup={markup} />;
}

/** JSX as a value in a template: html`<div>${toHtml(<Field … />)}</div>`. */
export function toHtml(element: Element): Html {
  return { markup: render(element) };
}
