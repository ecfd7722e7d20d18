import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { AccountId } from '../model/account.ts';
import type { Actor, UserActor } from '../model/actor.ts';
import type { Member, Organization, OrganizationId } from '../model/organization.ts';
import type { OrganizationStore, TransferProblem } from '../model/ports/organization.ts';
import type { Access, AccessProblem } from './access.ts';

type OwnProblem = 'organization-unknown' | 'organization-not-owned' | 'key-organization-only';

export type Members = {
  /** For owner and members: the owner first, then in the order in which they came. */
  readonly list: (actor: Actor, id: OrganizationId) => Promise<Outcome<readonly Member[], AccessProblem>>;
  /** Owner only. The member's keys reach the organization no more, and its open invitations are withdrawn. */
  readonly remove: (
    actor: Actor,
    id: OrganizationId,
    member: AccountId,
  ) => Promise<Outcome<Member, OwnProblem | 'member-is-owner' | 'member-unknown'>>;
  /** A member goes by itself; the owner cannot. */
  readonly leave: (
    actor: UserActor,
    id: OrganizationId,
  ) => Promise<Outcome<Organization, AccessProblem | 'member-is-owner' | 'member-unknown'>>;
  /**
   * Owner only. A member becomes the owner, and the owner a member. The new owner's plan must have room for the
   * organization and all of its properties.
   */
  readonly transfer: (
    actor: Actor,
    id: OrganizationId,
    to: AccountId,
  ) => Promise<Outcome<Organization, OwnProblem | TransferProblem>>;
};

/** Use cases around who belongs to an organization, for its owner and its members. */
export function createMembers(deps: { readonly store: OrganizationStore; readonly access: Access }): Members {
  return {
    async list(actor, id) {
      const organization = await deps.access.use(actor, id);
      return organization.ok ? done(await deps.store.members(id)) : organization;
    },
    async remove(actor, id, member) {
      const organization = await deps.access.own(actor, id);
      if (!organization.ok) return organization;
      if (member === organization.value.ownerId) return refuse('member-is-owner');
      const found = (await deps.store.members(id)).find(({ accountId }) => accountId === member);
      const isGone = await deps.store.removeMember(id, member);
      return found !== undefined && isGone ? done(found) : refuse('member-unknown');
    },
    async leave(actor, id) {
      const organization = await deps.access.use(actor, id);
      if (!organization.ok) return organization;
      if (organization.value.ownerId === actor.user) return refuse('member-is-owner');
      const isGone = await deps.store.removeMember(id, actor.user);
      return isGone ? organization : refuse('member-unknown');
    },
    async transfer(actor, id, to) {
      const organization = await deps.access.own(actor, id);
      return organization.ok ? deps.store.transfer(id, organization.value.ownerId, to) : organization;
    },
  };
}
