import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { Account, AccountId } from '../../model/account.ts';
import type { Actor, SystemActor, UserActor } from '../../model/actor.ts';
import type { Member, Organization, OrganizationId, OwnedOrganization } from '../../model/organization.ts';
import type { AccountStore } from '../../model/ports/account.ts';
import type { OrganizationStore, TransferProblem } from '../../model/ports/organization.ts';
import type { EntryFor } from '../audit.ts';
import type { Access, AccessProblem, OwnerProblem } from './access.ts';

/** Use cases for the members of an organization. */
export type Members = ReturnType<typeof createMembers>;

/** @see Members */
export function createMembers(deps: {
  readonly store: OrganizationStore;
  readonly accountStore: Pick<AccountStore, 'byId'>;
  readonly access: Access;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
}) {
  const { store, accountStore, access, entryFor, clock } = deps;
  return {
    /** For the owner and members: the owner first, then the members in the order in which they joined. */
    async list(actor: Actor, id: OrganizationId): Promise<Outcome<readonly Member[], AccessProblem>> {
      const organization = await access.requireMember(actor, id);
      return organization.ok ? done(await store.members(id)) : organization;
    },
    /** Adds a user without an invitation. Safe to repeat. */
    async add(
      actor: SystemActor,
      id: OrganizationId,
      { id: accountId, email: object }: Pick<Account, 'id' | 'email'>,
    ): Promise<Outcome<OwnedOrganization, OwnerProblem | 'member-is-owner'>> {
      const organization = await access.requireOwner(actor, id);
      if (!organization.ok) return organization;
      if (accountId === organization.value.ownerId) return reject('member-is-owner');
      const audited = { action: 'member-added', organizationId: id, object } as const;
      await store.addMember(id, accountId, clock(), await entryFor(actor, audited));
      return organization;
    },
    /** For the owner. The member's API keys lose access, and the member's open invitations are withdrawn. */
    async remove(
      actor: Actor,
      id: OrganizationId,
      member: AccountId,
    ): Promise<Outcome<OwnedOrganization, OwnerProblem | 'member-is-owner' | 'member-unknown'>> {
      const organization = await access.requireOwner(actor, id);
      if (!organization.ok) return organization;
      if (member === organization.value.ownerId) return reject('member-is-owner');
      const object = (await accountStore.byId(member))?.email ?? '';
      const audited = { action: 'member-removed', organizationId: id, object } as const;
      const isRemoved = await store.removeMember(id, member, await entryFor(actor, audited));
      return isRemoved ? organization : reject('member-unknown');
    },
    /** For members. The owner cannot leave. */
    async leave(
      actor: UserActor,
      id: OrganizationId,
    ): Promise<Outcome<OwnedOrganization, AccessProblem | 'member-is-owner' | 'member-unknown'>> {
      const organization = await access.requireMember(actor, id);
      if (!organization.ok) return organization;
      if (organization.value.ownerId === actor.user) return reject('member-is-owner');
      const object = (await accountStore.byId(actor.user))?.email ?? '';
      const audited = { action: 'member-left', organizationId: id, object } as const;
      const isRemoved = await store.removeMember(id, actor.user, await entryFor(actor, audited));
      return isRemoved ? organization : reject('member-unknown');
    },
    /**
     * For the owner. The member becomes the owner, and the owner becomes a member. The new owner's plan must have room for the
     * organization and all of its properties.
     */
    async transfer(
      actor: Actor,
      id: OrganizationId,
      to: AccountId,
    ): Promise<Outcome<Organization, OwnerProblem | TransferProblem>> {
      const organization = await access.requireOwner(actor, id);
      if (!organization.ok) return organization;
      const { name, ownerId } = organization.value;
      const object = `${name} to ${(await accountStore.byId(to))?.email ?? ''}`;
      const audited = { action: 'organization-transferred', organizationId: id, object } as const;
      return store.transfer(id, ownerId, to, await entryFor(actor, audited));
    },
  };
}
