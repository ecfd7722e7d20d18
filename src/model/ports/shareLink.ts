import type { Instant } from '../../lib/time.ts';
import type { AuditEntry } from '../audit.ts';
import type { Property, PropertyId } from '../property.ts';
import type { ShareLink, ShareLinkId } from '../shareLink.ts';

export type NewShareLink = Omit<ShareLink, 'id'> & {
  /** SHA-256 of the token, lowercase hex. */
  readonly tokenHash: string;
};

/** A link with the user who created it. */
export type ListedShareLink = ShareLink & { readonly name: string; readonly email: string };

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface ShareLinkStore {
  /** Also deletes expired links of the property. @returns false if the property already has `limit` links */
  create(link: NewShareLink, limit: number, entry?: AuditEntry): Promise<boolean>;
  /** Lists the links of a property that have not expired, oldest first. */
  list(propertyId: PropertyId, now: Instant): Promise<readonly ListedShareLink[]>;
  /** Finds the property of a link that has not expired. @returns undefined if it or its organization is deleted */
  propertyOf(tokenHash: string, now: Instant): Promise<Property | undefined>;
  /** @returns false if the property has no such link */
  revoke(propertyId: PropertyId, id: ShareLinkId, entry?: AuditEntry): Promise<boolean>;
}
