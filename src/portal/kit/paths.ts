import type { AccountId } from '../../model/account.ts';
import type { ApiKey } from '../../model/apiKey.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { PropertySummary } from '../../platform/overview/overview.ts';
import type { PortalDeps } from './handler.ts';

/**
 * Links that carry a one-time token. The token is in the URL's fragment (`#token=…`), which browsers do not send, so it
 * appears in no proxy's log. A script moves it into a form; without scripts, the user pastes the link into that form. The
 * form is sent by POST, and a cookie carries the token to the page.
 */
export type LinkKind = 'setup' | 'invitation' | 'password';

/** @returns the path of the page that a link leads to */
export function linkPath(kind: LinkKind): string {
  return `/portal/${kind}`;
}

/** @param baseUrl without a slash at its end */
export function linkTo(baseUrl: string, kind: LinkKind, token: string): string {
  return `${baseUrl}${linkPath(kind)}#token=${token}`;
}

/** @returns the path itself if it is a path of the portal or `/swagger`; otherwise the portal's first page */
export function returnPathOf(text: string): string {
  if (text === '/swagger') return text;
  return /^\/portal(?:[/?][\w\-./?=&%~+:]*)?$/.test(text) && !text.includes('//') ? text : '/portal';
}

export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(query)}`;
}

export const SECURITY_PATH = '/portal/settings/security';

/** The page that sets up two-factor authentication and turns it off. */
export const TWO_FACTOR_PATH = `${SECURITY_PATH}/two-factor`;

export const ORGANIZATIONS_PATH = '/portal/orgs';

export function organizationPath({ ids }: Pick<PortalDeps, 'ids'>, id: OrganizationId): string {
  return `/portal/orgs/${ids.seal('organization', id)}`;
}

/** @returns the path of the first page of a property */
export function propertyPath(
  deps: Pick<PortalDeps, 'ids'>,
  { id, organizationId }: Pick<PropertySummary, 'id' | 'organizationId'>,
): string {
  return `${organizationPath(deps, organizationId)}/properties/${deps.ids.seal('property', id)}`;
}

/** @returns the path of the dashboard that a share link shows. The link stays the same for long, so the path contains its token */
export function sharedPath(token: string) {
  return `/portal/shared/${token}` as const;
}

/** The page that asks for the organization of a new property. */
export const NEW_PROPERTY_PATH = '/portal/new-property';

export const KEYS_PATH = '/portal/settings/api-keys';

/** The path of the page of a key: below its organization if the organization owns it. */
export function keyPath(
  { ids }: { readonly ids: OpaqueIds },
  { id, isOrganizationOwned, organizationId }: Pick<ApiKey, 'id' | 'isOrganizationOwned' | 'organizationId'>,
): string {
  const keysPath =
    isOrganizationOwned && organizationId !== undefined
      ? `/portal/orgs/${ids.seal('organization', organizationId)}/api-keys`
      : KEYS_PATH;
  return `${keysPath}/${ids.seal('api-key', id)}`;
}

/** The audit log of the user and of the user's organizations; of the installation for administrators. */
export const ACTIVITY_PATH = '/portal/activity';

/** The tasks of the user. */
export const TASKS_PATH = `${ACTIVITY_PATH}/tasks`;

export const SYSTEM_PATH = '/portal/system';

/** The statistics of everything; requests without a property are below it. */
export const INSTALLATION_DASHBOARD_PATH = `${SYSTEM_PATH}/statistics`;

export const USERS_PATH = `${SYSTEM_PATH}/users`;

export function userPath({ ids }: PortalDeps, id: AccountId): string {
  return `${USERS_PATH}/${ids.seal('account', id)}`;
}
