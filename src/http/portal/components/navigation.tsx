import type { Element } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';

export type Link = readonly [path: string, label: string];

/** The path to the pages above the current page. */
export function Breadcrumbs({ links }: { readonly links: readonly Link[] }): Element {
  return (
    <nav class="crumbs" aria-label={t('components.breadcrumbs')}>
      <ol>
        {links.map(([path, label]) => (
          <li>
            <a href={path}>
              <bdi>{label}</bdi>
            </a>
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
}): Element {
  return (
    <nav class="tabs" aria-label={t('components.views')}>
      <ul>
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

/** @returns the path to an organization, and to another object of it */
export function organizationCrumbs(
  visit: { readonly organization: { readonly name: string }; readonly organizationPath: string },
  more: readonly Link[] = [],
): readonly Link[] {
  const { organization, organizationPath } = visit;
  return [
    ['/portal/orgs', t('kit.navigation.organizations')],
    [organizationPath, organization.name],
    ...more,
  ];
}
