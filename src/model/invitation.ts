import type { Brand } from '../lib/brand.ts';
import { DAY, type Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import type { OrganizationId } from './organization.ts';

export type InvitationId = Brand<number, 'InvitationId'>;

/** An open invitation to share an organization; its token is known to who holds the link alone. */
export type Invitation = {
  readonly id: InvitationId;
  readonly organizationId: OrganizationId;
  /** Lower-case; only an account of this address may accept. */
  readonly email: string;
  readonly inviterId: AccountId;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
};

/** How long an invitation can be accepted, in milliseconds. */
export const INVITATION_LIFETIME = 7 * DAY;

/** Open invitations of one organization at most. */
export const INVITATIONS_MAX = 100;
