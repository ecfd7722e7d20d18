import type { OrganizationId, OwnedOrganization } from '../../../model/organization.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';

/** The name of an organization. If another user owns it, the owner's email address distinguishes it from others. */
export function organizationLabel(
  { signedIn }: Pick<SignedInVisit, 'signedIn'>,
  { name, ownerId, ownerEmail }: OwnedOrganization,
): string {
  return ownerId === signedIn.account.id ? name : `${name} (${ownerEmail})`;
}

export function organizationPath({ ids }: Pick<PortalDeps, 'ids'>, id: OrganizationId): string {
  return `/portal/orgs/${ids.seal('organization', id)}`;
}
