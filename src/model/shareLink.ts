import type { Brand } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import type { PropertyId } from './property.ts';

export type ShareLinkId = Brand<number, 'ShareLinkId'>;

/** A link to the dashboard of a property for people without an account. The token in the link is not stored. */
export type ShareLink = {
  readonly id: ShareLinkId;
  readonly propertyId: PropertyId;
  /** The last four characters of the token, which distinguish links. */
  readonly lastFour: string;
  readonly creatorId: AccountId;
  readonly createdAt: Instant;
  /** Null if the link does not expire. */
  readonly expiresAt: Instant | null;
};

/** Maximum number of links of one property that have not expired. */
export const SHARE_LINKS_MAX = 20;
