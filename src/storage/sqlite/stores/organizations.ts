import { and, asc, eq, isNull, ne, type Placeholder, type SQL, sql } from 'drizzle-orm';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import { foldName } from '../../../model/name.ts';
import type { Member, Organization, OrganizationId } from '../../../model/organization.ts';
import type { OrganizationStore, TransferProblem } from '../../../model/ports/organization.ts';
import type { MainDatabase } from '../open.ts';
import { countRows, hasRow } from '../queries.ts';
import type { Change } from '../recordedChange.ts';
import { organizationColumns } from '../rows.ts';
import { accounts, invitations, members, organizations, properties } from '../schema.ts';
import { createHasAccess, insertMember, isAccessibleTo } from './membership.ts';
import type { RemainingQuotas } from './plans.ts';

const isLive = isNull(organizations.deletedAt);

/** @returns a function that finds a live organization */
export function createFindOrganization({ orm }: MainDatabase) {
  const select = orm
    .select(organizationColumns)
    .from(organizations)
    .where(and(isLive, eq(organizations.id, sql.placeholder('id'))))
    .prepare();
  return (id: OrganizationId): Organization | undefined => select.get({ id });
}

/** @see OrganizationStore */
export function createOrganizationStore(
  database: MainDatabase,
  remaining: RemainingQuotas,
  change: Change,
): OrganizationStore {
  const { orm } = database;
  const find = createFindOrganization(database);
  const hasAccess = createHasAccess(database);
  const membersOf = createMembers(database);
  const transfer = createTransfer(database, remaining);
  const byId = selectOwned(database, and(isLive, eq(organizations.id, sql.placeholder('id')))).prepare();
  const overview = selectOverview(database, sql.placeholder('accountId'))
    .orderBy(asc(organizations.id))
    .prepare();

  return {
    create({ name, ownerId }, now, entry) {
      type Created = Outcome<Organization, 'organization-name-taken' | 'organizations-limit'>;
      const create = (): Created => {
        if (remaining.organizations(ownerId) <= 0) return reject('organizations-limit');
        // Checked first: an insert that fails on a conflict still uses up a row id, which is written to disk.
        if (isNameTaken(database, name, ownerId)) return reject('organization-name-taken');
        return done(insertOrganization(database, name, ownerId, now));
      };
      return change(entry, create, (created) => (created.ok ? { organizationId: created.value.id } : {}));
    },
    rename: (id, name, entry) =>
      change(entry, () => {
        const organization = find(id);
        if (organization === undefined) return reject('organization-unknown');
        if (isNameTaken(database, name, organization.ownerId, id)) return reject('organization-name-taken');
        orm
          .update(organizations)
          .set({ name, nameFolded: foldName(name) })
          .where(eq(organizations.id, id))
          .run();
        return done({ ...organization, name });
      }),
    remove: (id, now, entry) =>
      change(entry, () => {
        const isWanted = and(eq(organizations.id, id), isLive);
        const update = orm.update(organizations).set({ deletedAt: now }).where(isWanted);
        const removed = update.returning(organizationColumns).get();
        return removed === undefined ? reject('organization-unknown') : done(removed);
      }),
    async byId(id) {
      return byId.get({ id });
    },
    async list(accountId) {
      return selectOwned(database, accountId === undefined ? isLive : isAccessibleTo(accountId)).all();
    },
    async overview(accountId) {
      const rows = overview.all({ accountId });
      return rows.map((row) => ({ ...row, role: row.ownerId === accountId ? 'owner' : 'member' }));
    },
    async isMember(id, accountId) {
      return hasAccess(id, accountId);
    },
    async addMember(id, accountId, now, entry) {
      await change(entry, () => {
        insertMember(database, id, accountId, now);
        return true;
      });
    },
    removeMember: (id, accountId, entry) => change(entry, () => removeMember(database, id, accountId)),
    async members(id) {
      return membersOf(id);
    },
    transfer: (id, from, to, entry) => change(entry, () => transfer(id, from, to)),
  };
}

/** Selects organizations with the email addresses of their owners, oldest first. */
function selectOwned({ orm }: MainDatabase, condition: SQL | undefined) {
  return orm
    .select({ ...organizationColumns, ownerEmail: accounts.email })
    .from(organizations)
    .innerJoin(accounts, eq(accounts.id, organizations.ownerId))
    .where(condition)
    .orderBy(asc(organizations.id));
}

// Raw SQL, because drizzle omits table names in computed columns.
const PROPERTIES = sql<number>`(SELECT count(*) FROM properties p WHERE p.organization_id = organizations.id AND p.deleted_at IS NULL)`;
const MEMBERS = sql<number>`1 + (SELECT count(*) FROM members m WHERE m.organization_id = organizations.id AND m.account_id <> organizations.owner_id)`;

/** Selects the organizations that an account can access and that meet the condition, with the numbers of properties and members. */
export function selectOverview({ orm }: MainDatabase, accountId: AccountId | Placeholder, condition?: SQL) {
  return orm
    .select({ ...organizationColumns, ownerEmail: accounts.email, properties: PROPERTIES, members: MEMBERS })
    .from(organizations)
    .innerJoin(accounts, eq(accounts.id, organizations.ownerId))
    .where(and(isAccessibleTo(accountId), condition));
}

/** Whether the owner has an organization with this name, except the given one. */
function isNameTaken(
  database: MainDatabase,
  name: string,
  ownerId: AccountId,
  except?: OrganizationId,
): boolean {
  const isOther = except === undefined ? undefined : ne(organizations.id, except);
  const hasName = and(eq(organizations.ownerId, ownerId), eq(organizations.nameFolded, foldName(name)));
  return hasRow(database, organizations, and(hasName, isLive, isOther));
}

/** Call it inside a transaction that has checked the name. */
export function insertOrganization(
  { orm }: MainDatabase,
  name: string,
  ownerId: AccountId,
  createdAt: Instant,
): Organization {
  const values = { name, nameFolded: foldName(name), ownerId, createdAt };
  return orm.insert(organizations).values(values).returning(organizationColumns).get();
}

function createTransfer(database: MainDatabase, remaining: RemainingQuotas) {
  const { orm } = database;
  const find = createFindOrganization(database);
  const hasAccess = createHasAccess(database);

  /** Returns the reason why this account cannot become the owner. */
  function problemOf({ id, name, ownerId }: Organization, to: AccountId): TransferProblem | undefined {
    if (to === ownerId) return 'member-is-owner';
    if (!hasAccess(id, to)) return 'member-unknown';
    if (!hasRow(database, accounts, and(eq(accounts.id, to), isNull(accounts.disabledAt))))
      return 'account-disabled';
    if (isNameTaken(database, name, to, id)) return 'organization-name-taken';
    if (remaining.organizations(to) <= 0) return 'organizations-limit';
    const isCounted = and(eq(properties.organizationId, id), isNull(properties.deletedAt));
    return remaining.properties(to) < countRows(database, properties, isCounted)
      ? 'properties-limit'
      : undefined;
  }

  return (id: OrganizationId, from: AccountId, to: AccountId): Outcome<Organization, TransferProblem> => {
    const organization = find(id);
    if (organization === undefined) return reject('organization-unknown');
    if (organization.ownerId !== from) return reject('organization-not-owned');
    const problem = problemOf(organization, to);
    if (problem !== undefined) return reject(problem);
    // The new owner's row in `members` remains, because it contains the date of joining.
    insertMember(database, id, from, organization.createdAt);
    deleteInvitationsBy(database, id, from);
    orm.update(organizations).set({ ownerId: to }).where(eq(organizations.id, id)).run();
    return done({ ...organization, ownerId: to });
  };
}

function deleteInvitationsBy({ orm }: MainDatabase, id: OrganizationId, inviterId: AccountId): void {
  const isWanted = and(eq(invitations.organizationId, id), eq(invitations.inviterId, inviterId));
  orm.delete(invitations).where(isWanted).run();
}

/** @see OrganizationStore */
function removeMember(database: MainDatabase, id: OrganizationId, accountId: AccountId): boolean {
  const isOwner = and(eq(organizations.id, id), eq(organizations.ownerId, accountId));
  if (hasRow(database, organizations, isOwner)) return false;
  deleteInvitationsBy(database, id, accountId);
  const isWanted = and(eq(members.organizationId, id), eq(members.accountId, accountId));
  return database.orm.delete(members).where(isWanted).returning().get() !== undefined;
}

function createMembers({ raw }: MainDatabase): (id: OrganizationId) => readonly Member[] {
  type Row = Omit<Member, 'role'> & { readonly isOwner: number };
  const select = raw.query<Row, [OrganizationId]>(`
    SELECT a.id AS accountId, a.name, a.email, a.id = o.owner_id AS isOwner, coalesce(m.created_at, o.created_at) AS since
    FROM organizations o
    JOIN accounts a ON a.id = o.owner_id OR a.id IN (SELECT account_id FROM members WHERE organization_id = ?1)
    LEFT JOIN members m ON m.organization_id = o.id AND m.account_id = a.id
    WHERE o.id = ?1 AND o.deleted_at IS NULL
    ORDER BY isOwner DESC, since, a.id`);
  return (id) =>
    select.all(id).map(({ isOwner, ...rest }) => ({ ...rest, role: isOwner === 1 ? 'owner' : 'member' }));
}
