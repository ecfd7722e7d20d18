import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import type { Account } from '../model/account.ts';
import type { NameProblem } from '../model/name.ts';
import { type Organization, type OrganizationId, parseOrganizationName } from '../model/organization.ts';
import type { OrganizationStore } from '../model/ports.ts';

export type Organizations = {
  readonly create: (
    owner: Account,
    name: string,
  ) => Promise<Outcome<Organization, NameProblem<'organization'> | 'organization-name-taken'>>;
  /** All, or those that an account owns or shares. */
  readonly list: (account?: Account) => Promise<readonly Organization[]>;
  readonly byId: (id: OrganizationId) => Promise<Outcome<Organization, 'organization-unknown'>>;
  readonly addMember: (
    id: OrganizationId,
    account: Account,
  ) => Promise<Outcome<Organization, 'organization-unknown' | 'member-is-owner'>>;
  readonly removeMember: (
    id: OrganizationId,
    account: Account,
  ) => Promise<Outcome<Organization, 'organization-unknown' | 'member-is-owner' | 'member-unknown'>>;
};

/** Use cases around organizations and who belongs to them. */
export function createOrganizations(deps: {
  readonly store: OrganizationStore;
  readonly clock: Clock;
}): Organizations {
  async function byId(id: OrganizationId): Promise<Outcome<Organization, 'organization-unknown'>> {
    const organization = await deps.store.byId(id);
    return organization === undefined ? refuse('organization-unknown') : done(organization);
  }

  async function notOwnedBy(id: OrganizationId, account: Account) {
    const organization = await byId(id);
    if (organization.ok && organization.value.ownerId === account.id) return refuse('member-is-owner');
    return organization;
  }

  return {
    async create(owner, name) {
      const parsed = parseOrganizationName(name);
      if (!parsed.ok) return parsed;
      return deps.store.create({ name: parsed.value, ownerId: owner.id }, deps.clock());
    },
    list: (account) => deps.store.list(account?.id),
    byId,
    async addMember(id, account) {
      const organization = await notOwnedBy(id, account);
      if (organization.ok) await deps.store.addMember(id, account.id, deps.clock());
      return organization;
    },
    async removeMember(id, account) {
      const organization = await notOwnedBy(id, account);
      if (!organization.ok) return organization;
      return (await deps.store.removeMember(id, account.id)) ? organization : refuse('member-unknown');
    },
  };
}
