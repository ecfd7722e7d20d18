import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { Caller } from '../model/caller.ts';
import type { OrganizationId, OwnedOrganization } from '../model/organization.ts';
import type { OrganizationStore } from '../model/ports/organization.ts';

export type AccessProblem = 'organization-unknown' | 'organization-not-yours' | 'key-organization-only';

/** Who may do what with an organization. */
export type Access = {
  /** Owners and members may use it: read it, and read and write its properties. */
  readonly use: (caller: Caller, id: OrganizationId) => Promise<Outcome<OwnedOrganization, AccessProblem>>;
  /** Only the owner may change the organization itself. */
  readonly own: (
    caller: Caller,
    id: OrganizationId,
  ) => Promise<
    Outcome<OwnedOrganization, 'organization-unknown' | 'organization-not-owned' | 'key-organization-only'>
  >;
};

/** @see Access */
export function createAccess(organizations: Pick<OrganizationStore, 'byId' | 'isMember'>): Access {
  async function find(caller: Caller, id: OrganizationId) {
    const organization = await organizations.byId(id);
    if (organization === undefined) return refuse('organization-unknown');
    const isInScope = caller.organizationId === undefined || caller.organizationId === id;
    return isInScope ? done(organization) : refuse('key-organization-only');
  }

  return {
    async use(caller, id) {
      const organization = await find(caller, id);
      if (!organization.ok) return organization;
      const mayUse = await organizations.isMember(id, caller.accountId);
      return mayUse ? organization : refuse('organization-not-yours');
    },
    async own(caller, id) {
      const organization = await find(caller, id);
      if (!organization.ok) return organization;
      return organization.value.ownerId === caller.accountId
        ? organization
        : refuse('organization-not-owned');
    },
  };
}
