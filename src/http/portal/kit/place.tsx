import { type Html, html } from '../../../lib/html.ts';
import type { OwnedOrganization } from '../../../model/organization.ts';
import type { Property } from '../../../model/property.ts';
import type { PortalDeps, SignedInVisit } from './route.ts';

/** An organization that the path names (`:org`), and that who is signed in may use. */
export type OrganizationPlace = { readonly organization: OwnedOrganization; readonly path: string };

/** A property of it (`:property`). */
export type PropertyPlace = OrganizationPlace & {
  readonly property: Property;
  readonly propertyPath: string;
};

/** @returns undefined where there is none, or it is not theirs: the page is `notFound` */
export async function organizationAt(
  visit: SignedInVisit,
  deps: PortalDeps,
): Promise<OrganizationPlace | undefined> {
  const sealed = visit.params.org ?? '';
  const id = deps.ids.open('organization', sealed);
  const found = id === undefined ? undefined : await deps.access.use(visit.actor, id);
  return found?.ok ? { organization: found.value, path: `/portal/orgs/${sealed}` } : undefined;
}

/** @returns undefined where there is none, or it is not theirs */
export async function propertyAt(visit: SignedInVisit, deps: PortalDeps): Promise<PropertyPlace | undefined> {
  const place = await organizationAt(visit, deps);
  const sealed = visit.params.property ?? '';
  const id = deps.ids.open('property', sealed);
  if (place === undefined || id === undefined) return undefined;
  const found = await deps.properties.byId(visit.actor, place.organization.id, id);
  return found.ok
    ? { ...place, property: found.value, propertyPath: `${place.path}/properties/${sealed}` }
    : undefined;
}

const ORGANIZATION_TABS = { '': 'Sites', '/members': 'Members', '/settings': 'Settings' } as const;

const PROPERTY_TABS = {
  '': 'Dashboard',
  '/integration': 'Integration',
  '/playground': 'Playground',
  '/settings': 'Settings',
} as const;

/** Where one is, and what else there is about this organization. */
export function organizationTabs(
  { organization, path }: OrganizationPlace,
  here: keyof typeof ORGANIZATION_TABS | undefined,
): Html {
  return html`${crumbs([
    ['/portal', 'Organizations'],
    [path, organization.name],
  ])}${tabs(path, ORGANIZATION_TABS, here)}`;
}

/** Where one is, and what else there is about this property. */
export function propertyTabs(
  { organization, path, property, propertyPath }: PropertyPlace,
  here: keyof typeof PROPERTY_TABS | undefined,
): Html {
  const trail = crumbs([
    ['/portal', 'Organizations'],
    [path, organization.name],
    [propertyPath, property.name],
  ]);
  return html`${trail}${tabs(propertyPath, PROPERTY_TABS, here)}${property.isEnabled ? '' : disabledNote(propertyPath)}`;
}

function disabledNote(propertyPath: string): Html {
  return html`<p class="warning">This property is disabled: it issues no puzzles, and its solutions are rejected. <a href="${propertyPath}/settings#state">Change this</a></p>
`;
}

/** Where one is. @param trail addresses and names, from the top */
export function crumbs(trail: readonly (readonly [string, string])[]): Html {
  const links = trail.map(([path, label]) => html`<li><a href="${path}">${label}</a></li>`);
  return html`<nav class="crumbs" aria-label="You are here"><ol>${links}</ol></nav>
`;
}

/** What else there is at a place. @param all the ends of the paths, and names */
export function tabs(path: string, all: Readonly<Record<string, string>>, here: string | undefined): Html {
  const links = Object.entries(all).map(
    ([end, label]) =>
      html`<li><a href="${path}${end}"${end === here ? html` aria-current="page"` : ''}>${label}</a></li>`,
  );
  return html`<nav class="tabs" aria-label="Views"><ul>${links}</ul></nav>
`;
}
