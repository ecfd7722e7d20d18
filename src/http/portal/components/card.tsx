import type { Children, Element } from '../../jsx/elements.ts';

export function Card({ title, children }: { readonly title: string; readonly children?: Children }): Element {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
