import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId } from '../account.ts';
import type { AuditEntry } from '../audit.ts';
import type {
  Invitation,
  InvitationId,
  Member,
  Organization,
  OrganizationId,
  OrganizationOverview,
  OwnedOrganization,
} from '../organization.ts';
import type { Plan } from '../plan.ts';
import type { NewAccount } from './account.ts';
import type { AttackChange } from './property.ts';

/**
 * All methods ignore deleted organizations. Methods append their `entry` to the audit log in the same transaction if they change
 * something.
 */
export interface OrganizationStore {
  /** Checks the quota of the owner's plan in the same step. The entry gets the id of the organization. */
  create(
    organization: { readonly name: string; readonly ownerId: AccountId },
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<Organization, 'organization-name-taken' | 'organizations-limit'>>;
  rename(
    id: OrganizationId,
    name: string,
    entry?: AuditEntry,
  ): Promise<Outcome<Organization, 'organization-unknown' | 'organization-name-taken'>>;
  /** @see AttackChange @returns whether something changed */
  setAttack(id: OrganizationId, change: AttackChange, entry?: AuditEntry): Promise<boolean>;
  /** Marks an organization as deleted. It and its properties disappear immediately; a later purge deletes the rows. */
  remove(
    id: OrganizationId,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<Organization, 'organization-unknown'>>;
  byId(id: OrganizationId): Promise<OwnedOrganization | undefined>;
  /** Lists all organizations, or those that an account can access; oldest first. */
  list(accountId?: AccountId): Promise<readonly OwnedOrganization[]>;
  /** Lists the organizations that an account can access, with its role and the numbers of properties and members; oldest first. */
  overview(accountId: AccountId): Promise<readonly OrganizationOverview[]>;
  /** Whether an account is the owner or a member. */
  isMember(id: OrganizationId, accountId: AccountId): Promise<boolean>;
  /** Appends the entry even if the account is already a member. */
  addMember(id: OrganizationId, accountId: AccountId, now: Instant, entry?: AuditEntry): Promise<void>;
  /** Also deletes the invitations that the member created. @returns false if the account is not a member, or is the owner */
  removeMember(id: OrganizationId, accountId: AccountId, entry?: AuditEntry): Promise<boolean>;
  /** Lists the owner first, then the members in the order in which they joined. */
  members(id: OrganizationId): Promise<readonly Member[]>;
  /**
   * Makes a member the owner and the owner a member, and deletes the previous owner's invitations. Checks the quotas and the
   * organization names of the new owner in the same step.
   */
  transfer(
    id: OrganizationId,
    from: AccountId,
    to: AccountId,
    entry?: AuditEntry,
  ): Promise<Outcome<Organization, TransferProblem>>;
}

export type TransferProblem =
  | 'organization-unknown'
  | 'organization-not-owned'
  | 'member-is-owner'
  | 'member-unknown'
  | 'account-disabled'
  | 'organization-name-taken'
  | 'organizations-limit'
  | 'properties-limit';

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
  /** The entry gets the invited address as its object. */
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

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface PlanStore {
  /** Lists the stored and the built-in plans by name. */
  list(): Promise<readonly Plan[]>;
  /** Creates a plan, or replaces its quotas. */
  set(plan: Plan, entry?: AuditEntry): Promise<Plan>;
}
