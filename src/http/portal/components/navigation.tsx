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
  /** The path of the object. */
  readonly path: string;
  /** Labels by the rest of the path: empty, or starting with a slash. */
  readonly tabs: Readonly<Record<string, string>>;
  /** The rest of the path of the current view, if it is one of the tabs. */
  readonly current: string | undefined;
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

const ORGANIZATION_TABS = { '': 'Properties', '/members': 'Members', '/settings': 'Settings' } as const;

const PROPERTY_TABS = {
  '': 'Dashboard',
  '/integration': 'Integration',
  '/playground': 'Playground',
  '/settings': 'Settings',
} as const;

type OrganizationPage = {
  readonly organization: { readonly name: string };
  readonly organizationPath: string;
};

type PropertyPage = OrganizationPage & {
  readonly property: { readonly name: string; readonly isEnabled: boolean };
  readonly propertyPath: string;
};

/** The breadcrumbs and tabs of an organization's pages. */
export function OrganizationNavigation(props: {
  readonly visit: OrganizationPage;
  readonly current?: keyof typeof ORGANIZATION_TABS | undefined;
}): Element {
  const { organization, organizationPath } = props.visit;
  return (
    <>
      <Breadcrumbs
        links={[
          ['/portal', 'Organizations'],
          [organizationPath, organization.name],
        ]}
      />
      <Tabs path={organizationPath} tabs={ORGANIZATION_TABS} current={props.current} />
    </>
  );
}

/** The breadcrumbs and tabs of a property's pages, and a warning if the property is disabled. */
export function PropertyNavigation(props: {
  readonly visit: PropertyPage;
  readonly current?: keyof typeof PROPERTY_TABS | undefined;
}): Element {
  const { organization, organizationPath, property, propertyPath } = props.visit;
  return (
    <>
      <Breadcrumbs
        links={[
          ['/portal', 'Organizations'],
          [organizationPath, organization.name],
          [propertyPath, property.name],
        ]}
      />
      <Tabs path={propertyPath} tabs={PROPERTY_TABS} current={props.current} />
      {!property.isEnabled && (
        <p class="warning">
          This property is disabled: it issues no puzzles, and its solutions are rejected.{' '}
          <a href={`${propertyPath}/settings#state`}>Change this</a>
        </p>
      )}
    </>
  );
}
