import { and, asc, eq, exists, inArray, isNull, ne, or, sql } from 'drizzle-orm';
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
export function createMembership({ orm }: MainDatabase) {
  const accountId = sql.placeholder('accountId');
  const isShared = orm
    .select()
    .from(members)
    .where(and(eq(members.organizationId, organizations.id), eq(members.accountId, accountId)));
  const isReached = or(eq(organizations.ownerId, accountId), exists(isShared));
  const isWanted = and(
    eq(organizations.id, sql.placeholder('id')),
    isNull(organizations.deletedAt),
    isReached,
  );
  const select = orm.select({ id: organizations.id }).from(organizations).where(isWanted).prepare();
  return (id: OrganizationId, accountId: AccountId): boolean => select.get({ id, accountId }) !== undefined;
}

/** A live organization by its id. */
export function createFindOrganization({ orm }: MainDatabase) {
  const isWanted = and(eq(organizations.id, sql.placeholder('id')), isNull(organizations.deletedAt));
  const select = orm.select().from(organizations).where(isWanted).prepare();
  return (id: OrganizationId): Organization | undefined => {
    const row = select.get({ id });
    return row && organizationOf(row);
  };
}

/** @see OrganizationStore */
export function createOrganizationStore(database: MainDatabase, room: Room): OrganizationStore {
  const { orm } = database;
  const find = createFindOrganization(database);
  const isMember = createMembership(database);
  const isLive = isNull(organizations.deletedAt);

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
