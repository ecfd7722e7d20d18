import type { Element } from '../../jsx/elements.ts';

type Link = readonly [path: string, label: string];

/** The path to the current page. */
export function Breadcrumbs({ links }: { readonly links: readonly Link[] }): Element {
  return (
    <nav class="crumbs" aria-label="You are here">
      <ol>
        {links.map(([path, label]) => (
          <li>
            <a href={path}>{label}</a>
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
    <nav class="tabs" aria-label="Views">
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

/** The path to an organization, and to another object of it. */
export function OrganizationBreadcrumbs(props: {
  readonly visit: { readonly organization: { readonly name: string }; readonly organizationPath: string };
  readonly more?: readonly Link[];
}): Element {
  const { organization, organizationPath } = props.visit;
  const { more = [] } = props;
  return (
    <Breadcrumbs links={[['/portal', 'Organizations'], [organizationPath, organization.name], ...more]} />
  );
}
