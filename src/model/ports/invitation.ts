import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId } from '../account.ts';
import type { Invitation, InvitationId } from '../invitation.ts';
import type { Organization, OrganizationId } from '../organization.ts';
import type { NewAccount } from './account.ts';

export type NewInvitation = Omit<Invitation, 'id'> & {
  /** SHA-256 of the token, lower-case hex. */
  readonly tokenHash: string;
};

/** Open invitations. Of two that accept the same one at once, one is refused. */
export interface InvitationStore {
  /** Takes the place of an open one for the same address. @param limit open ones of the organization at most */
  create(
    invitation: NewInvitation,
    limit: number,
  ): Promise<Outcome<Invitation, 'organization-unknown' | 'member-already' | 'invitations-limit'>>;
  /** Those of one organization that have not expired, oldest first. */
  list(organizationId: OrganizationId, now: Instant): Promise<readonly Invitation[]>;
  /** Not expired, of a live organization. */
  byTokenHash(tokenHash: string, now: Instant): Promise<Invitation | undefined>;
  revoke(
    organizationId: OrganizationId,
    id: InvitationId,
  ): Promise<Outcome<Invitation, 'invitation-unknown'>>;
  /** The account becomes a member, and the invitation is used up. */
  accept(
    tokenHash: string,
    accountId: AccountId,
    now: Instant,
  ): Promise<Outcome<Organization, 'invitation-unknown' | 'invitation-not-yours'>>;
  /** Creates an account with the invited address. The invitation stays open: the account accepts it after signing in. */
  createAccount(
    tokenHash: string,
    account: Omit<NewAccount, 'email'>,
    now: Instant,
  ): Promise<Outcome<Account, 'invitation-unknown' | 'email-taken'>>;
  /** Forgets those that expired before this moment. @returns how many; 0 when none is left */
  purge(before: Instant): Promise<number>;
}
