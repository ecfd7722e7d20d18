import type { OwnedOrganization } from '../../../model/organization.ts';
import type { SignedInVisit } from '../kit/visit.ts';

/** The name of an organization. If another user owns it, the owner's email address distinguishes it from others. */
export function organizationLabel(
  { signedIn }: Pick<SignedInVisit, 'signedIn'>,
  { name, ownerId, ownerEmail }: OwnedOrganization,
): string {
  return ownerId === signedIn.account.id ? name : `${name} (${ownerEmail})`;
}
