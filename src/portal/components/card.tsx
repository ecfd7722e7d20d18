import type { Children, Element } from '../../jsx/elements.ts';
import { Icon, type IconName } from './icon.tsx';

export function Card({ title, children }: { readonly title: string; readonly children?: Children }): Element {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function DescriptionList(props: {
  readonly items: readonly (readonly [term: Children, value: Children])[];
  readonly class?: string;
}): Element {
  return (
    <dl class={props.class}>
      {props.items.map(([term, value]) => (
        <div>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Replaces a list that has no items yet: what the page is for, and the first action. */
export function EmptyState(props: {
  readonly icon: IconName;
  readonly title: string;
  /** What the page is for. */
  readonly text: Children;
  /** A link or a form. */
  readonly action?: Children;
}): Element {
  return (
    <section class="empty-state">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      <p>{props.text}</p>
      {props.action}
    </section>
  );
}
