import { and, asc, eq, inArray, isNull, or } from 'drizzle-orm';
import { done, refuse } from '../../lib/outcome.ts';
import type { AccountId } from '../../model/account.ts';
import { foldName } from '../../model/name.ts';
import type { OrganizationStore } from '../../model/ports.ts';
import type { MainDatabase } from './open.ts';
import { organizationOf } from './rows.ts';
import { members, organizations } from './schema.ts';

/** @see OrganizationStore */
export function createOrganizationStore({ orm }: MainDatabase): OrganizationStore {
  const isLive = isNull(organizations.deletedAt);

  /** Owned by or shared with. */
  function isReachedBy(accountId: AccountId) {
    const shared = orm
      .select({ id: members.organizationId })
      .from(members)
      .where(eq(members.accountId, accountId));
    return or(eq(organizations.ownerId, accountId), inArray(organizations.id, shared));
  }

  return {
    async create({ name, ownerId }, now) {
      const row = orm
        .insert(organizations)
        .values({ name, nameFolded: foldName(name), ownerId, createdAt: now })
        .onConflictDoNothing()
        .returning()
        .get();
      return row === undefined ? refuse('organization-name-taken') : done(organizationOf(row));
    },
    async byId(id) {
      const row = orm
        .select()
        .from(organizations)
        .where(and(eq(organizations.id, id), isLive))
        .get();
      return row && organizationOf(row);
    },
    async list(accountId) {
      const isWanted = accountId === undefined ? isLive : and(isLive, isReachedBy(accountId));
      const rows = orm.select().from(organizations).where(isWanted).orderBy(asc(organizations.id)).all();
      return rows.map(organizationOf);
    },
    async isMember(id, accountId) {
      const isWanted = and(eq(organizations.id, id), isLive, isReachedBy(accountId));
      return orm.select({ id: organizations.id }).from(organizations).where(isWanted).get() !== undefined;
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
