import type { OwnedOrganization } from '../../../model/organization.ts';
import type { SignedInVisit } from '../kit/route.ts';

/** An organization's name; if it belongs to somebody else, with the owner's email address, which tells it apart. */
export function organizationLabel(
  { who }: Pick<SignedInVisit, 'who'>,
  { name, ownerId, ownerEmail }: OwnedOrganization,
): string {
  return ownerId === who.account.id ? name : `${name} (${ownerEmail})`;
}
