import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Actor, isSystem, isWithinLimits } from '../../model/actor.ts';
import type { OrganizationId, OwnedOrganization } from '../../model/organization.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';

export type AccessProblem = 'organization-unknown' | 'organization-not-yours' | 'key-organization-only';

export type OwnerProblem = 'organization-unknown' | 'organization-not-owned' | 'key-organization-only';

/** Checks whether an actor may access an organization. The command line and the installation may do everything. */
export type Access = ReturnType<typeof createAccess>;

/** @see Access */
export function createAccess(organizations: Pick<OrganizationStore, 'byId' | 'isMember'>) {
  async function find(actor: Actor, id: OrganizationId) {
    const organization = await organizations.byId(id);
    if (organization === undefined) return reject('organization-unknown');
    return isWithinLimits(actor, id) ? done(organization) : reject('key-organization-only');
  }

  return {
    /** Owners, members, and API keys of the organization may read the organization, and read and write its properties. */
    async requireMember(
      actor: Actor,
      id: OrganizationId,
    ): Promise<Outcome<OwnedOrganization, AccessProblem>> {
      const organization = await find(actor, id);
      if (!organization.ok) return organization;
      const mayUse =
        isSystem(actor) ||
        actor.source === 'organization-key' ||
        (await organizations.isMember(id, actor.user));
      return mayUse ? organization : reject('organization-not-yours');
    },
    /** Only the owner may change the organization itself. */
    async requireOwner(actor: Actor, id: OrganizationId): Promise<Outcome<OwnedOrganization, OwnerProblem>> {
      const organization = await find(actor, id);
      if (!organization.ok) return organization;
      const isOwner = actor.source !== 'organization-key' && organization.value.ownerId === actor.user;
      const mayOwn = isSystem(actor) || isOwner;
      return mayOwn ? organization : reject('organization-not-owned');
    },
  };
}
