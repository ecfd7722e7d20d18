import { and, asc, eq, gte, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import { foldName } from '../../model/name.ts';
import type { Member, Organization, OrganizationId } from '../../model/organization.ts';
import type { OrganizationStore, TransferProblem } from '../../model/ports/organization.ts';
import { organizationColumns } from '../entities.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { countRows, hasRow, prepared } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { accounts, invitations, members, organizations, properties } from '../schema.ts';
import { hasAccess, insertMember, isAccessibleTo } from './membership.ts';
import type { RemainingQuotas } from './plans.ts';

const isLive = isNull(organizations.deletedAt);

/** @returns an organization unless it is deleted */
export async function findOrganization(orm: Executor, id: OrganizationId): Promise<Organization | undefined> {
  return (await selectById(orm, { id }))[0];
}

const selectById = prepared((orm) =>
  orm
    .select(organizationColumns)
    .from(organizations)
    .where(and(isLive, eq(organizations.id, sql.placeholder('id')))),
);

/** @see OrganizationStore */
export function createOrganizationStore(
  { orm }: StoreDatabase,
  remaining: RemainingQuotas,
  { invalidate }: Changes,
): OrganizationStore {
  return {
    create({ name, ownerId }, now, entry) {
      type Created = Outcome<Organization, 'organization-name-taken' | 'organizations-limit'>;
      const create = async (tx: Executor): Promise<Created> => {
        if ((await remaining.organizations(tx, ownerId)) <= 0) return reject('organizations-limit');
        if (await isNameTaken(tx, name, ownerId)) return reject('organization-name-taken');
        return done(await insertOrganization(tx, name, ownerId, now));
      };
      return invalidate(entry, create, (created) => (created.ok ? { organizationId: created.value.id } : {}));
    },
    rename: (id, name, entry) => invalidate(entry, (tx) => rename(tx, id, name)),
    setAttack: (id, { until, unlessBefore }, entry) =>
      invalidate(entry, async (tx) => {
        const isWanted = and(isLive, eq(organizations.id, id), gte(organizations.attackUntil, unlessBefore));
        const update = tx.update(organizations).set({ attackUntil: until }).where(isWanted);
        return (await update.returning({ id: organizations.id })).length > 0;
      }),
    remove: (id, now, entry) =>
      invalidate(entry, async (tx) => {
        const isWanted = and(eq(organizations.id, id), isLive);
        const update = tx.update(organizations).set({ deletedAt: now }).where(isWanted);
        const [removed] = await update.returning(organizationColumns);
        return removed === undefined ? reject('organization-unknown') : done(removed);
      }),
    async byId(id) {
      return (await selectOwnedById(orm, { id }))[0];
    },
    list: async (accountId) => selectOwned(orm, accountId === undefined ? isLive : isAccessibleTo(accountId)),
    async overview(accountId) {
      const rows = await selectOverview(orm, accountId).orderBy(asc(organizations.id));
      return rows.map((row) => ({ ...row, role: row.ownerId === accountId ? 'owner' : 'member' }));
    },
    isMember: (id, accountId) => hasAccess(orm, id, accountId),
    async addMember(id, accountId, now, entry) {
      await invalidate(entry, async (tx) => {
        await insertMember(tx, id, accountId, now);
        return true;
      });
    },
    removeMember: (id, accountId, entry) => invalidate(entry, (tx) => removeMember(tx, id, accountId)),
    members: (id) => listMembers(orm, id),
    transfer: (id, from, to, entry) => invalidate(entry, (tx) => transfer(tx, remaining, id, { from, to })),
  };
}

/** Selects organizations with the email addresses of their owners, oldest first. */
function selectOwned(orm: Executor, condition: SQL | undefined) {
  return orm
    .select({ ...organizationColumns, ownerEmail: accounts.email })
    .from(organizations)
    .innerJoin(accounts, eq(accounts.id, organizations.ownerId))
    .where(condition)
    .orderBy(asc(organizations.id));
}

const selectOwnedById = prepared((orm) =>
  selectOwned(orm, and(isLive, eq(organizations.id, sql.placeholder('id')))),
);

// Raw SQL, because drizzle omits table names in computed columns.
/** The number of properties of an organization in a query. */
export const PROPERTY_COUNT = sql`(SELECT count(*) FROM properties p WHERE p.organization_id = organizations.id AND p.deleted_at IS NULL)`;
/** The number of members of an organization in a query, including the owner. */
export const MEMBER_COUNT = sql`1 + (SELECT count(*) FROM members m WHERE m.organization_id = organizations.id AND m.account_id <> organizations.owner_id)`;

/** Selects the organizations that an account can access and that meet the condition, with the numbers of properties and members. */
export function selectOverview(orm: Executor, accountId: AccountId, condition?: SQL) {
  const counts = { properties: PROPERTY_COUNT.mapWith(Number), members: MEMBER_COUNT.mapWith(Number) };
  return orm
    .select({ ...organizationColumns, ownerEmail: accounts.email, ...counts })
    .from(organizations)
    .innerJoin(accounts, eq(accounts.id, organizations.ownerId))
    .where(and(isAccessibleTo(accountId), condition));
}

/** The id of no organization. */
const NONE = 0 as OrganizationId;

/** Whether the owner has an organization with this name, except the given one. */
async function isNameTaken(tx: Executor, name: string, ownerId: AccountId, except = NONE): Promise<boolean> {
  return (await selectNamed(tx, { ownerId, name: foldName(name), except })).length > 0;
}

const selectNamed = prepared((tx) =>
  tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(
      and(
        eq(organizations.ownerId, sql.placeholder('ownerId')),
        eq(organizations.nameFolded, sql.placeholder('name')),
        ne(organizations.id, sql.placeholder('except')),
        isLive,
      ),
    ),
);

async function rename(
  tx: Executor,
  id: OrganizationId,
  name: string,
): Promise<Outcome<Organization, 'organization-unknown' | 'organization-name-taken'>> {
  const organization = await findOrganization(tx, id);
  if (organization === undefined) return reject('organization-unknown');
  if (await isNameTaken(tx, name, organization.ownerId, id)) return reject('organization-name-taken');
  await tx
    .update(organizations)
    .set({ name, nameFolded: foldName(name) })
    .where(eq(organizations.id, id));
  return done({ ...organization, name });
}

/** Creates an organization. Call it inside a transaction that has checked the name. */
export async function insertOrganization(
  tx: Executor,
  name: string,
  ownerId: AccountId,
  createdAt: Instant,
): Promise<Organization> {
  const values = { name, nameFolded: foldName(name), ownerId, createdAt };
  const [row] = await tx.insert(organizations).values(values).returning(organizationColumns);
  if (row === undefined) throw new Error('the database returned no row for an inserted organization');
  return row;
}

/** Makes a member the owner. @see OrganizationStore.transfer */
async function transfer(
  tx: Executor,
  remaining: RemainingQuotas,
  id: OrganizationId,
  { from, to }: { readonly from: AccountId; readonly to: AccountId },
): Promise<Outcome<Organization, TransferProblem>> {
  const organization = await findOrganization(tx, id);
  if (organization === undefined) return reject('organization-unknown');
  if (organization.ownerId !== from) return reject('organization-not-owned');
  const problem = await problemOf(tx, remaining, organization, to);
  if (problem !== undefined) return reject(problem);
  // The new owner's row in `members` remains, because it contains the date of joining.
  await insertMember(tx, id, from, organization.createdAt);
  await deleteInvitationsBy(tx, id, from);
  await tx.update(organizations).set({ ownerId: to }).where(eq(organizations.id, id));
  return done({ ...organization, ownerId: to });
}

/** Returns the reason why this account cannot become the owner. */
async function problemOf(
  tx: Executor,
  remaining: RemainingQuotas,
  { id, name, ownerId }: Organization,
  to: AccountId,
): Promise<TransferProblem | undefined> {
  if (to === ownerId) return 'member-is-owner';
  if (!(await hasAccess(tx, id, to))) return 'member-unknown';
  const isEnabled = and(eq(accounts.id, to), isNull(accounts.disabledAt));
  if (!(await hasRow(tx, accounts, isEnabled))) return 'account-disabled';
  if (await isNameTaken(tx, name, to, id)) return 'organization-name-taken';
  if ((await remaining.organizations(tx, to)) <= 0) return 'organizations-limit';
  const isCounted = and(eq(properties.organizationId, id), isNull(properties.deletedAt));
  const needed = await countRows(tx, properties, isCounted);
  return (await remaining.properties(tx, to)) < needed ? 'properties-limit' : undefined;
}

async function deleteInvitationsBy(tx: Executor, id: OrganizationId, inviterId: AccountId): Promise<void> {
  const isWanted = and(eq(invitations.organizationId, id), eq(invitations.inviterId, inviterId));
  await tx.delete(invitations).where(isWanted);
}

/** @see OrganizationStore */
async function removeMember(tx: Executor, id: OrganizationId, accountId: AccountId): Promise<boolean> {
  const isOwner = and(eq(organizations.id, id), eq(organizations.ownerId, accountId));
  if (await hasRow(tx, organizations, isOwner)) return false;
  await deleteInvitationsBy(tx, id, accountId);
  const isWanted = and(eq(members.organizationId, id), eq(members.accountId, accountId));
  return (await tx.delete(members).where(isWanted).returning()).length > 0;
}

type MemberRow = Pick<Member, 'name' | 'email'> & {
  readonly id: string;
  readonly is_owner: boolean;
  readonly since: string;
};

async function listMembers(orm: Executor, id: OrganizationId): Promise<readonly Member[]> {
  const rows = await orm.execute<MemberRow>(sql`
    SELECT a.id, a.name, a.email, a.id = o.owner_id AS is_owner, coalesce(m.created_at, o.created_at) AS since
    FROM (
      SELECT owner_id AS account_id FROM organizations WHERE id = ${id}
      UNION SELECT account_id FROM members WHERE organization_id = ${id}
    ) AS access
    JOIN organizations o ON o.id = ${id}
    JOIN accounts a ON a.id = access.account_id
    LEFT JOIN members m ON m.organization_id = o.id AND m.account_id = a.id
    WHERE o.deleted_at IS NULL
    ORDER BY is_owner DESC, since, a.id`);
  return rows.map(({ id: accountId, name, email, is_owner, since }) => ({
    accountId: Number(accountId) as AccountId,
    name,
    email,
    role: is_owner ? 'owner' : 'member',
    since: Number(since) as Instant,
  }));
}
