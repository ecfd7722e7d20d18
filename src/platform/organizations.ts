import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import type { Account } from '../model/account.ts';
import { type Actor, isWithinLimits, type UserActor } from '../model/actor.ts';
import type { NameProblem } from '../model/name.ts';
import {
  type Organization,
  type OrganizationId,
  type OrganizationOverview,
  type OwnedOrganization,
  parseOrganizationName,
} from '../model/organization.ts';
import type { OrganizationStore } from '../model/ports/organization.ts';
import type { Access } from './access.ts';

type CreateProblem = NameProblem<'organization'> | 'organization-name-taken' | 'organizations-limit';
type RenameProblem =
  | OwnProblem
  | NameProblem<'organization'>
  | 'organization-owner-read-only'
  | 'organization-name-taken';
type OwnProblem = 'organization-unknown' | 'organization-not-owned' | 'key-organization-only';

export type Organizations = {
  readonly create: (
    owner: Pick<Account, 'id'>,
    name: string,
  ) => Promise<Outcome<Organization, CreateProblem>>;
  /** The same, of somebody who may be limited to one organization, and then may make none. */
  readonly createFor: (
    actor: UserActor,
    name: string,
  ) => Promise<Outcome<Organization, CreateProblem | 'key-organization-only'>>;
  /** Owned by or shared with the actor's account, oldest first; with a limit that one alone. */
  readonly listFor: (actor: Actor) => Promise<readonly OwnedOrganization[]>;
  /** The same, with what the actor is there and how much is in it. */
  readonly overviewFor: (actor: UserActor) => Promise<readonly OrganizationOverview[]>;
  /** Owner only. @param ownerEmail read-only: must be the current owner's, if given */
  readonly rename: (
    actor: Actor,
    id: OrganizationId,
    name: string,
    ownerEmail?: string,
  ) => Promise<Outcome<Organization, RenameProblem>>;
  /** Owner only. Its properties stop at once. */
  readonly remove: (actor: Actor, id: OrganizationId) => Promise<Outcome<Organization, OwnProblem>>;
  /** All, or those that an account owns or shares. */
  readonly list: (account?: Account) => Promise<readonly OwnedOrganization[]>;
  readonly byId: (id: OrganizationId) => Promise<Outcome<OwnedOrganization, 'organization-unknown'>>;
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
  readonly access: Access;
  readonly clock: Clock;
}): Organizations {
  async function create({ id }: Pick<Account, 'id'>, name: string) {
    const parsed = parseOrganizationName(name);
    if (!parsed.ok) return parsed;
    return deps.store.create({ name: parsed.value, ownerId: id }, deps.clock());
  }

  async function byId(id: OrganizationId): Promise<Outcome<OwnedOrganization, 'organization-unknown'>> {
    const organization = await deps.store.byId(id);
    return organization === undefined ? refuse('organization-unknown') : done(organization);
  }

  async function notOwnedBy(id: OrganizationId, account: Account) {
    const organization = await byId(id);
    if (organization.ok && organization.value.ownerId === account.id) return refuse('member-is-owner');
    return organization;
  }

  return {
    create,
    async createFor({ user, limits }, name) {
      return limits.organizationId === undefined
        ? create({ id: user }, name)
        : refuse('key-organization-only');
    },
    async listFor(actor) {
      const reached = await deps.store.list(actor.user);
      return reached.filter(({ id }) => isWithinLimits(actor, id));
    },
    async overviewFor(actor) {
      const reached = await deps.store.overview(actor.user);
      return reached.filter(({ id }) => isWithinLimits(actor, id));
    },
    async rename(actor, id, name, ownerEmail) {
      const parsed = parseOrganizationName(name);
      if (!parsed.ok) return parsed;
      const organization = await deps.access.own(actor, id);
      if (!organization.ok) return organization;
      const isOwner = ownerEmail === undefined || ownerEmail === organization.value.ownerEmail;
      return isOwner ? deps.store.rename(id, parsed.value) : refuse('organization-owner-read-only');
    },
    async remove(actor, id) {
      const organization = await deps.access.own(actor, id);
      return organization.ok ? deps.store.remove(id, deps.clock()) : organization;
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
