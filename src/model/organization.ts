import type { Brand, Outcome } from '../lib/outcome.ts';
import { DAY, type Instant } from '../lib/time.ts';
import type { AccountId } from './account.ts';
import type { Attackable } from './attackMode.ts';
import type { Email } from './email.ts';
import { type NameProblem, parseName } from './name.ts';

export type OrganizationId = Brand<number, 'OrganizationId'>;

/** Owns properties; has one owner and any number of members. */
export type Organization = Attackable & {
  readonly id: OrganizationId;
  readonly name: string;
  readonly ownerId: AccountId;
  readonly createdAt: Instant;
};

/** An organization with its owner's email address, because names are unique only among the organizations of an owner. */
export type OwnedOrganization = Organization & { readonly ownerEmail: string };

/** An organization in the list of a member's organizations. */
export type OrganizationOverview = OwnedOrganization & {
  readonly role: Member['role'];
  /** The number of its properties. */
  readonly properties: number;
  /** The number of its members, including the owner. */
  readonly members: number;
};

/** A user who can access an organization. */
export type Member = {
  readonly accountId: AccountId;
  readonly name: string;
  readonly email: string;
  readonly role: 'owner' | 'member';
  /** When the user became a member, or created the organization. */
  readonly since: Instant;
};

/** @see parseName */
export function parseOrganizationName(text: string): Outcome<string, NameProblem<'organization'>> {
  return parseName('organization', text);
}

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
