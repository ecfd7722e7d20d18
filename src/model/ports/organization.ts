import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type {
  Member,
  Organization,
  OrganizationId,
  OrganizationOverview,
  OwnedOrganization,
} from '../organization.ts';

export interface OrganizationStore {
  /** The owner's plan is asked in the same step: two at once do not pass its quota. */
  create(
    organization: { readonly name: string; readonly ownerId: AccountId },
    now: Instant,
  ): Promise<Outcome<Organization, 'organization-name-taken' | 'organizations-limit'>>;
  rename(
    id: OrganizationId,
    name: string,
  ): Promise<Outcome<Organization, 'organization-unknown' | 'organization-name-taken'>>;
  /** It and its properties are gone for everybody at once; their rows stay until they are purged. */
  remove(id: OrganizationId, now: Instant): Promise<Outcome<Organization, 'organization-unknown'>>;
  byId(id: OrganizationId): Promise<OwnedOrganization | undefined>;
  /** All, or those owned by or shared with one account; oldest first. */
  list(accountId?: AccountId): Promise<readonly OwnedOrganization[]>;
  /** The same of one account, with what it has to do with each and how much is in it. */
  overview(accountId: AccountId): Promise<readonly OrganizationOverview[]>;
  isMember(id: OrganizationId, accountId: AccountId): Promise<boolean>;
  /** Adding a member twice changes nothing. */
  addMember(id: OrganizationId, accountId: AccountId, now: Instant): Promise<void>;
  /** Its open invitations go with the member. @returns whether there was such a member; the owner is none */
  removeMember(id: OrganizationId, accountId: AccountId): Promise<boolean>;
  /** The owner first, then the others in the order in which they came. */
  members(id: OrganizationId): Promise<readonly Member[]>;
  /** One member becomes the owner, and the owner a member, whose open invitations are withdrawn. The new owner's plan and names are asked in the same step. */
  transfer(
    id: OrganizationId,
    from: AccountId,
    to: AccountId,
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
