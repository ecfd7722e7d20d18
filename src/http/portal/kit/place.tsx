import { type Html, html } from '../../../lib/html.ts';
import type { OrganizationVisit, PropertyVisit } from './route.ts';

const ORGANIZATION_TABS = { '': 'Sites', '/members': 'Members', '/settings': 'Settings' } as const;

const PROPERTY_TABS = {
  '': 'Dashboard',
  '/integration': 'Integration',
  '/playground': 'Playground',
  '/settings': 'Settings',
} as const;

/** Where one is, and what else there is about this organization. */
export function organizationTabs(
  { organization, organizationPath }: OrganizationVisit,
  here: keyof typeof ORGANIZATION_TABS | undefined,
): Html {
  return html`${crumbs([
    ['/portal', 'Organizations'],
    [organizationPath, organization.name],
  ])}${tabs(organizationPath, ORGANIZATION_TABS, here)}`;
}

/** Where one is, and what else there is about this property. */
export function propertyTabs(
  { organization, organizationPath, property, propertyPath }: PropertyVisit,
  here: keyof typeof PROPERTY_TABS | undefined,
): Html {
  const trail = crumbs([
    ['/portal', 'Organizations'],
    [organizationPath, organization.name],
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
