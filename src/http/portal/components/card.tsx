import type { Children, Element } from '../../jsx/elements.ts';

/** A section of a page in a box. */
export function Card({ title, children }: { readonly title: string; readonly children?: Children }): Element {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
