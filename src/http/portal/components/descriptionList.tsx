import type { Children, Element } from '../../jsx/elements.ts';

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
