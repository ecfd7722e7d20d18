import { and, eq, isNull, type Placeholder, sql } from 'drizzle-orm';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import type { MainDatabase } from '../open.ts';
import { members, organizations } from '../schema.ts';

/**
 * The owner and the members of an organization have access to it. This is a subquery in FROM, so that SQLite applies conditions to
 * both parts and uses their indexes. An OR of the two parts would scan all organizations.
 */
const ACCESS = sql.raw(`(
  SELECT id AS organization_id, owner_id AS account_id FROM organizations WHERE deleted_at IS NULL
  UNION ALL SELECT organization_id, account_id FROM members)`);

const isLive = isNull(organizations.deletedAt);

/** Matches organizations that are not deleted and to which the account has access. */
export function isAccessibleTo(accountId: AccountId | Placeholder) {
  return and(
    isLive,
    sql`${organizations.id} IN (SELECT organization_id FROM ${ACCESS} WHERE account_id = ${accountId})`,
  );
}

/** @returns a function that returns the organizations to which an account has access */
export function createListAccessible({ orm }: MainDatabase) {
  const select = orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(isAccessibleTo(sql.placeholder('accountId')))
    .prepare();
  return (accountId: AccountId): ReadonlySet<OrganizationId> =>
    new Set(select.all({ accountId }).map(({ id }) => id));
}

/** @returns a function that returns whether an account has access to an organization */
export function createHasAccess({ orm }: MainDatabase) {
  const id = sql.placeholder('id');
  const hasAccess = sql`EXISTS (SELECT 1 FROM ${ACCESS} WHERE organization_id = ${id} AND account_id = ${sql.placeholder('accountId')})`;
  const select = orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(and(eq(organizations.id, id), isLive, hasAccess))
    .prepare();
  return (id: OrganizationId, accountId: AccountId): boolean => select.get({ id, accountId }) !== undefined;
}

/** Does nothing if the account is already a member. */
export function insertMember(
  { orm }: MainDatabase,
  organizationId: OrganizationId,
  accountId: AccountId,
  now: Instant,
): void {
  orm.insert(members).values({ organizationId, accountId, createdAt: now }).onConflictDoNothing().run();
}
