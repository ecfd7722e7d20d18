import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { AccountId } from '../model/account.ts';
import type { Caller } from '../model/caller.ts';
import type { Member, Organization, OrganizationId } from '../model/organization.ts';
import type { OrganizationStore, TransferProblem } from '../model/ports/organization.ts';
import type { Access, AccessProblem } from './access.ts';

type OwnProblem = 'organization-unknown' | 'organization-not-owned' | 'key-organization-only';

export type Members = {
  /** For owner and members: the owner first, then in the order in which they came. */
  readonly list: (caller: Caller, id: OrganizationId) => Promise<Outcome<readonly Member[], AccessProblem>>;
  /** Owner only. The member's keys reach the organization no more, and its open invitations are withdrawn. */
  readonly remove: (
    caller: Caller,
    id: OrganizationId,
    member: AccountId,
  ) => Promise<Outcome<Member, OwnProblem | 'member-is-owner' | 'member-unknown'>>;
  /** A member goes by itself; the owner cannot. */
  readonly leave: (
    caller: Caller,
    id: OrganizationId,
  ) => Promise<Outcome<Organization, AccessProblem | 'member-is-owner' | 'member-unknown'>>;
  /**
   * Owner only. A member becomes the owner, and the owner a member. The new owner's plan must have room for the
   * organization and all of its properties.
   */
  readonly transfer: (
    caller: Caller,
    id: OrganizationId,
    to: AccountId,
  ) => Promise<Outcome<Organization, OwnProblem | TransferProblem>>;
};

/** Use cases around who belongs to an organization, for its owner and its members. */
export function createMembers(deps: { readonly store: OrganizationStore; readonly access: Access }): Members {
  return {
    async list(caller, id) {
      const organization = await deps.access.use(caller, id);
      return organization.ok ? done(await deps.store.members(id)) : organization;
    },
    async remove(caller, id, member) {
      const organization = await deps.access.own(caller, id);
      if (!organization.ok) return organization;
      if (member === organization.value.ownerId) return refuse('member-is-owner');
      const found = (await deps.store.members(id)).find(({ accountId }) => accountId === member);
      const isGone = await deps.store.removeMember(id, member);
      return found !== undefined && isGone ? done(found) : refuse('member-unknown');
    },
    async leave(caller, id) {
      const organization = await deps.access.use(caller, id);
      if (!organization.ok) return organization;
      if (organization.value.ownerId === caller.accountId) return refuse('member-is-owner');
      const isGone = await deps.store.removeMember(id, caller.accountId);
      return isGone ? organization : refuse('member-unknown');
    },
    async transfer(caller, id, to) {
      const organization = await deps.access.own(caller, id);
      return organization.ok ? deps.store.transfer(id, caller.accountId, to) : organization;
    },
  };
}
