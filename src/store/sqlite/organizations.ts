import { and, asc, eq, inArray, isNull, ne, or } from 'drizzle-orm';
import { done, type Outcome, refuse } from '../../lib/outcome.ts';
import type { AccountId } from '../../model/account.ts';
import { foldName } from '../../model/name.ts';
import type { Organization, OrganizationId } from '../../model/organization.ts';
import type { OrganizationStore } from '../../model/ports.ts';
import { type MainDatabase, transact } from './open.ts';
import type { Room } from './quotas.ts';
import { organizationOf } from './rows.ts';
import { members, organizations } from './schema.ts';

/** Live organizations that an account owns or shares. */
function reachedBy({ orm }: MainDatabase, accountId: AccountId) {
  const shared = orm
    .select({ id: members.organizationId })
    .from(members)
    .where(eq(members.accountId, accountId));
  const isReached = or(eq(organizations.ownerId, accountId), inArray(organizations.id, shared));
  return and(isNull(organizations.deletedAt), isReached);
}

/** Whether an account owns or shares a live organization. */
export function createMembership(database: MainDatabase) {
  return (id: OrganizationId, accountId: AccountId): boolean => {
    const isWanted = and(eq(organizations.id, id), reachedBy(database, accountId));
    const select = database.orm.select({ id: organizations.id }).from(organizations);
    return select.where(isWanted).get() !== undefined;
  };
}

/** @see OrganizationStore */
export function createOrganizationStore(database: MainDatabase, room: Room): OrganizationStore {
  const { orm } = database;
  const isMember = createMembership(database);
  const isLive = isNull(organizations.deletedAt);

  function find(id: OrganizationId): Organization | undefined {
    const isWanted = and(eq(organizations.id, id), isLive);
    const row = orm.select().from(organizations).where(isWanted).get();
    return row && organizationOf(row);
  }

  function isTaken(name: string, { id, ownerId }: Organization): boolean {
    const isOther = and(eq(organizations.ownerId, ownerId), ne(organizations.id, id), isLive);
    const isThere = and(isOther, eq(organizations.nameFolded, foldName(name)));
    return orm.select({ id: organizations.id }).from(organizations).where(isThere).get() !== undefined;
  }

  function rename(id: OrganizationId, name: string) {
    const organization = find(id);
    if (organization === undefined) return refuse('organization-unknown');
    if (isTaken(name, organization)) return refuse('organization-name-taken');
    const values = { name, nameFolded: foldName(name) };
    const row = orm.update(organizations).set(values).where(eq(organizations.id, id)).returning().get();
    return done(organizationOf(row));
  }

  return {
    create({ name, ownerId }, now) {
      type Created = Outcome<Organization, 'organization-name-taken' | 'organizations-limit'>;
      return transact(database, (): Created => {
        if (room.forOrganizations(ownerId) <= 0) return refuse('organizations-limit');
        const values = { name, nameFolded: foldName(name), ownerId, createdAt: now };
        const row = orm.insert(organizations).values(values).onConflictDoNothing().returning().get();
        return row === undefined ? refuse('organization-name-taken') : done(organizationOf(row));
      });
    },
    rename: (id, name) => transact(database, () => rename(id, name)),
    async remove(id, now) {
      const isWanted = and(eq(organizations.id, id), isLive);
      const row = orm.update(organizations).set({ deletedAt: now }).where(isWanted).returning().get();
      return row === undefined ? refuse('organization-unknown') : done(organizationOf(row));
    },
    async byId(id) {
      return find(id);
    },
    async list(accountId) {
      const isWanted = accountId === undefined ? isLive : reachedBy(database, accountId);
      const rows = orm.select().from(organizations).where(isWanted).orderBy(asc(organizations.id)).all();
      return rows.map(organizationOf);
    },
    async isMember(id, accountId) {
      return isMember(id, accountId);
    },
    async addMember(id, accountId, now) {
      const member = { organizationId: id, accountId, createdAt: now };
      orm.insert(members).values(member).onConflictDoNothing().run();
    },
    async removeMember(id, accountId) {
      const isWanted = and(eq(members.organizationId, id), eq(members.accountId, accountId));
      return orm.delete(members).where(isWanted).returning().get() !== undefined;
    },
  };
}
