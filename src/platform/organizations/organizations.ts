import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { Account, AccountId } from '../../model/account.ts';
import { type Actor, isSystem, isWithinLimits, type UserActor } from '../../model/actor.ts';
import { describeChange } from '../../model/audit.ts';
import type { NameProblem } from '../../model/name.ts';
import {
  type Organization,
  type OrganizationId,
  type OrganizationOverview,
  type OwnedOrganization,
  parseOrganizationName,
} from '../../model/organization.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';
import type { EntryFor } from '../audit.ts';
import type { Access, AccessProblem, OwnerProblem } from './access.ts';

type CreateProblem =
  | NameProblem<'organization'>
  | 'organization-name-taken'
  | 'organizations-limit'
  | 'key-organization-only'
  | 'account-unknown';
type RenameProblem =
  | OwnerProblem
  | NameProblem<'organization'>
  | 'organization-owner-read-only'
  | 'organization-name-taken';

/** Use cases for organizations. */
export type Organizations = ReturnType<typeof createOrganizations>;

/** @see Organizations */
export function createOrganizations(deps: {
  readonly store: OrganizationStore;
  readonly access: Access;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
}) {
  const { store, access, entryFor, clock } = deps;
  return {
    /** Only the command line creates organizations for other users. A key that is limited to an organization creates none. */
    async create(
      actor: Actor,
      { name, ownerId }: { readonly name: string; readonly ownerId: AccountId },
    ): Promise<Outcome<Organization, CreateProblem>> {
      if (actor.source === 'organization-key' || actor.limits.organizationId !== undefined)
        return reject('key-organization-only');
      if (!isSystem(actor) && actor.user !== ownerId) return reject('account-unknown');
      const parsed = parseOrganizationName(name);
      if (!parsed.ok) return parsed;
      // The store adds the id of the organization.
      const entry = await entryFor(actor, { action: 'organization-created', object: parsed.value });
      return store.create({ name: parsed.value, ownerId }, clock(), entry);
    },
    /**
     * Lists the organizations that the actor can use, oldest first.
     *
     * @param account for the command line: only the organizations of this user
     */
    async list(actor: Actor, account?: Pick<Account, 'id'>): Promise<readonly OwnedOrganization[]> {
      if (actor.source === 'organization-key') {
        const own = await store.byId(actor.limits.organizationId);
        return own === undefined ? [] : [own];
      }
      const user = actor.user ?? account?.id;
      const organizations = await store.list(user);
      return organizations.filter(({ id }) => isWithinLimits(actor, id));
    },
    /** Lists the organizations of a user, with the user's role and the numbers of properties and members. */
    async overview(actor: UserActor): Promise<readonly OrganizationOverview[]> {
      const organizations = await store.overview(actor.user);
      return organizations.filter(({ id }) => isWithinLimits(actor, id));
    },
    /** Administrators can also read organizations that they cannot use. */
    async byId(actor: Actor, id: OrganizationId): Promise<Outcome<OwnedOrganization, AccessProblem>> {
      if (!actor.isAdmin) return access.requireMember(actor, id);
      const organization = await store.byId(id);
      return organization === undefined ? reject('organization-unknown') : done(organization);
    },
    /** For the owner. @param ownerEmail read-only: must be the email address of the owner if it is given */
    async rename(
      actor: Actor,
      id: OrganizationId,
      name: string,
      ownerEmail?: string,
    ): Promise<Outcome<Organization, RenameProblem>> {
      const parsed = parseOrganizationName(name);
      if (!parsed.ok) return parsed;
      const organization = await access.requireOwner(actor, id);
      if (!organization.ok) return organization;
      const isOwner = ownerEmail === undefined || ownerEmail === organization.value.ownerEmail;
      if (!isOwner) return reject('organization-owner-read-only');
      const renamed = describeChange(
        organization.value,
        { ...organization.value, name: parsed.value },
        {
          name: 'name',
        },
      );
      const object = renamed === '' ? parsed.value : `${parsed.value}: ${renamed}`;
      const audited = { action: 'organization-renamed', organizationId: id, object } as const;
      return store.rename(id, parsed.value, await entryFor(actor, audited));
    },
    /** For the owner. The properties of the organization stop working immediately. */
    async remove(actor: Actor, id: OrganizationId): Promise<Outcome<Organization, OwnerProblem>> {
      const organization = await access.requireOwner(actor, id);
      if (!organization.ok) return organization;
      const { name: object } = organization.value;
      const audited = { action: 'organization-deleted', organizationId: id, object } as const;
      return store.remove(id, clock(), await entryFor(actor, audited));
    },
  };
}
