import type { Children } from '../../jsx/elements.ts';
import { t } from '../i18n/t.tsx';
import { NameLink } from './values.tsx';

export type Link = readonly [path: string, label: string];

/** The path to the pages above the current page. */
export function Breadcrumbs({ links }: { readonly links: readonly Link[] }) {
  return (
    <nav class="crumbs" aria-label={t('components.breadcrumbs')}>
      <ol>
        {links.map(([path, label]) => (
          <li>
            <NameLink path={path} name={label} />
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Links to the views of an object. */
export function Tabs(props: {
  readonly path: string;
  /** Labels by the rest of the path: empty, or starting with a slash. */
  readonly tabs: Readonly<Record<string, string>>;
  /** The rest of the path of the current view. */
  readonly current: string;
  readonly class?: 'tabs' | 'segments';
  readonly label?: string;
}) {
  return (
    <nav class={props.class ?? 'tabs'} aria-label={props.label ?? t('components.views')}>
      <ul class={props.class === undefined ? 'tab-line' : undefined}>
        {Object.entries(props.tabs).map(([rest, label]) => (
          <li>
            <a href={`${props.path}${rest}`} aria-current={rest === props.current ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type Panel = {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly content: Children;
};

/**
 * Tabs that work without JavaScript: radio buttons and a style sheet that shows the selected button's panel. The first tab is
 * selected, unless the browser restores another selection. The style sheet supports eight tabs.
 *
 * @param name of the group; unique on the page
 */
export function Panels(props: {
  readonly name: string;
  /** Names the group for screen readers. */
  readonly label: string;
  readonly tabs: readonly Panel[];
}) {
  return (
    <div class="panels">
      <div class="tab-line" role="radiogroup" aria-label={props.label}>
        {props.tabs.map(({ id, title }, index) => (
          <span>
            <input type="radio" id={`tab-${id}`} name={props.name} value={id} checked={index === 0} />
            <label for={`tab-${id}`}>{title}</label>
          </span>
        ))}
      </div>
      {props.tabs.map(({ content }) => (
        <div class="panel">{content}</div>
      ))}
    </div>
  );
}
