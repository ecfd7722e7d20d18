import type { OwnedOrganization } from '../../../model/organization.ts';
import type { SignedInVisit } from '../kit/route.ts';

/** The name of an organization. If another user owns it, the owner's email address distinguishes it from others. */
export function organizationLabel(
  { who }: Pick<SignedInVisit, 'who'>,
  { name, ownerId, ownerEmail }: OwnedOrganization,
): string {
  return ownerId === who.account.id ? name : `${name} (${ownerEmail})`;
}
