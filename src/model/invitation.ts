import type { Brand } from '../lib/outcome.ts';
import { DAY, type Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import type { Email } from './email.ts';
import type { OrganizationId } from './organization.ts';

export type InvitationId = Brand<number, 'InvitationId'>;

/** An open invitation to become a member of an organization. The token in its link is not stored. */
export type Invitation = {
  readonly id: InvitationId;
  readonly organizationId: OrganizationId;
  /** Only an account with this address can accept the invitation. */
  readonly email: Email;
  readonly inviterId: AccountId;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
};

/** How long an invitation can be accepted, in milliseconds. */
export const INVITATION_LIFETIME = 7 * DAY;

/** Maximum number of open invitations of one organization. */
export const INVITATIONS_MAX = 100;
