import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import { hasRow } from '../queries.ts';
import { members, organizations } from '../schema.ts';
import type { Executor } from '../transact.ts';

/** The owner and the members of an organization can access it. */
const ACCESS = sql.raw(`(
  SELECT id AS organization_id, owner_id AS account_id FROM organizations WHERE deleted_at IS NULL
  UNION ALL SELECT organization_id, account_id FROM members)`);

const isLive = isNull(organizations.deletedAt);

/** Matches organizations that are not deleted and to which the account has access. */
export function isAccessibleTo(accountId: AccountId | SQL) {
  return and(
    isLive,
    sql`${organizations.id} IN (SELECT access.organization_id FROM ${ACCESS} AS access WHERE access.account_id = ${accountId})`,
  );
}

/** @returns whether an account has access to an organization */
export function hasAccess(orm: Executor, id: OrganizationId, accountId: AccountId): Promise<boolean> {
  return hasRow(orm, organizations, and(eq(organizations.id, id), isAccessibleTo(accountId)));
}

/** Adds a member. Does nothing if the account is already a member. */
export async function insertMember(
  orm: Executor,
  organizationId: OrganizationId,
  accountId: AccountId,
  now: Instant,
): Promise<void> {
  await orm.insert(members).values({ organizationId, accountId, createdAt: now }).onConflictDoNothing();
}
