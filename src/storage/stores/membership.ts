import { and, eq, isNull, or, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { Executor } from '../executor.ts';
import { prepared } from '../queries.ts';
import { members, organizations } from '../schema.ts';

/** The owner and the members of an organization can access it. */
const ACCESS = sql.raw(`(
  SELECT id AS organization_id, owner_id AS account_id FROM organizations WHERE deleted_at IS NULL
  UNION ALL SELECT organization_id, account_id FROM members)`);

const isLive = isNull(organizations.deletedAt);

/** Matches organizations that are not deleted and to which the account has access. */
export function isAccessibleTo(accountId: AccountId | SQL | Placeholder) {
  return and(
    isLive,
    sql`${organizations.id} IN (SELECT access.organization_id FROM ${ACCESS} AS access WHERE access.account_id = ${accountId})`,
  );
}

/**
 * Matches the same organizations as `isAccessibleTo`, for queries that name the organizations. It looks up the membership of each row,
 * whereas `isAccessibleTo` reads all organizations of the account, which can be thousands.
 */
export function isRowAccessibleTo(accountId: AccountId | SQL | Placeholder) {
  const isOwner = eq(organizations.ownerId, accountId);
  const isMember = sql`EXISTS (SELECT 1 FROM members m WHERE m.organization_id = organizations.id AND m.account_id = ${accountId})`;
  return and(isLive, or(isOwner, isMember));
}

/** @returns whether an account has access to an organization */
export async function hasAccess(orm: Executor, id: OrganizationId, accountId: AccountId): Promise<boolean> {
  return (await selectAccess(orm, { id, accountId })).length > 0;
}

const selectAccess = prepared((orm) =>
  orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(and(eq(organizations.id, sql.placeholder('id')), isRowAccessibleTo(sql.placeholder('accountId')))),
);

/** Adds a member. Does nothing if the account is already a member. */
export async function insertMember(
  orm: Executor,
  organizationId: OrganizationId,
  accountId: AccountId,
  now: Instant,
): Promise<void> {
  await orm.insert(members).values({ organizationId, accountId, createdAt: now }).onConflictDoNothing();
}
