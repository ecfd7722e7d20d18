import type { Children, Element } from '../../jsx/elements.ts';

export type Tab = {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly content: Children;
};

/**
 * Tabs that work without JavaScript: radio buttons and a style sheet that shows the selected button's panel. The first tab is
 * selected, unless the browser restores another selection.
 *
 * @param name of the group; unique on the page
 */
export function Tabs(props: {
  readonly name: string;
  /** Names the group for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
}): Element {
  return (
    <div class="tabs" role="radiogroup" aria-label={props.label}>
      {props.tabs.map(({ id, title, content }, index) => (
        <>
          <input type="radio" id={`tab-${id}`} name={props.name} value={id} checked={index === 0} />
          <label for={`tab-${id}`}>{title}</label>
          <div class="panel">{content}</div>
        </>
      ))}
    </div>
  );
}
