import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId } from '../account.ts';
import type { AuditEntry } from '../audit.ts';
import type { Invitation, InvitationId } from '../invitation.ts';
import type { Organization, OrganizationId } from '../organization.ts';
import type { NewAccount } from './account.ts';

export type NewInvitation = Omit<Invitation, 'id'> & {
  /** SHA-256 of the token, lowercase hex. */
  readonly tokenHash: string;
};

/** Open invitations. Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface InvitationStore {
  /**
   * Creates an invitation, which replaces one for the same email address.
   *
   * @param limit maximum number of open invitations of the organization
   */
  create(
    invitation: NewInvitation,
    limit: number,
    entry?: AuditEntry,
  ): Promise<Outcome<Invitation, 'organization-unknown' | 'member-already' | 'invitations-limit'>>;
  /** Lists the invitations of an organization that have not expired, oldest first. */
  list(organizationId: OrganizationId, now: Instant): Promise<readonly Invitation[]>;
  /** Finds an invitation that has not expired and whose organization is not deleted. */
  byTokenHash(tokenHash: string, now: Instant): Promise<Invitation | undefined>;
  /** The entry gets the invited address as its subject. */
  revoke(
    organizationId: OrganizationId,
    id: InvitationId,
    entry?: AuditEntry,
  ): Promise<Outcome<Invitation, 'invitation-unknown'>>;
  /** Makes the account a member and deletes the invitation, so that it works only once. The entry gets the id of the organization. */
  accept(
    tokenHash: string,
    accountId: AccountId,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<Organization, 'invitation-unknown' | 'invitation-not-yours'>>;
  /**
   * Creates an account with the invited address. The invitation stays open: the account accepts it after signing in. The entry
   * gets the id of the account.
   */
  createAccount(
    tokenHash: string,
    account: Omit<NewAccount, 'email'>,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<Account, 'invitation-unknown' | 'email-taken'>>;
  /** Deletes a batch of invitations that expired before `before`. @returns their number; 0 if none are left */
  purge(before: Instant): Promise<number>;
}
