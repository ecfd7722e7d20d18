import type { Children, Element } from '../../jsx/elements.ts';

export type Item = {
  readonly name: Children;
  /** Each in its own column. */
  readonly facts: readonly Children[];
  readonly actions?: Children;
};

/** A list of items with their facts and actions; the columns stack in a narrow window. */
export function ItemList(props: {
  readonly items: readonly Item[];
  /** The sentence that replaces an empty list. */
  readonly empty: string;
}): Element {
  if (props.items.length === 0) return <p class="empty">{props.empty}</p>;
  return (
    <ul class="rows">
      {props.items.map(({ name, facts, actions }) => (
        <li>
          <div class="name">{name}</div>
          <ul class="facts">
            {facts.map((fact) => (
              <li>{fact}</li>
            ))}
          </ul>
          <div class="actions">{actions}</div>
        </li>
      ))}
    </ul>
  );
}
