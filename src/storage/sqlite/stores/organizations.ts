import { and, asc, count, eq, exists, inArray, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import { done, type Outcome, refuse } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import { foldName } from '../../../model/name.ts';
import type {
  Member,
  Organization,
  OrganizationId,
  OrganizationOverview,
  OwnedOrganization,
} from '../../../model/organization.ts';
import type { OrganizationStore, TransferProblem } from '../../../model/ports/organization.ts';
import { type MainDatabase, transact } from '../open.ts';
import { organizationOf } from '../rows.ts';
import { accounts, invitations, members, organizations, properties } from '../schema.ts';
import type { Room } from './plans.ts';

/** Live organizations that an account owns or shares. */
export function reachedBy({ orm }: MainDatabase, accountId: AccountId) {
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
  const membersOf = createMembers(database);
  const isTaken = createIsTaken(database);
  const transfer = createTransfer(database, room);
  const overviewOf = createOverview(database);
  const isLive = isNull(organizations.deletedAt);
  const byId = selectOwned(database, and(isLive, eq(organizations.id, sql.placeholder('id')))).prepare();

  function rename(id: OrganizationId, name: string) {
    const organization = find(id);
    if (organization === undefined) return refuse('organization-unknown');
    if (isTaken(name, organization.ownerId, id)) return refuse('organization-name-taken');
    const values = { name, nameFolded: foldName(name) };
    const row = orm.update(organizations).set(values).where(eq(organizations.id, id)).returning().get();
    return done(organizationOf(row));
  }

  return {
    create({ name, ownerId }, now) {
      type Created = Outcome<Organization, 'organization-name-taken' | 'organizations-limit'>;
      return transact(database, (): Created => {
        if (room.forOrganizations(ownerId) <= 0) return refuse('organizations-limit');
        // Checked first: an insert that fails on a conflict still consumes a row id, and that is a commit.
        if (isTaken(name, ownerId)) return refuse('organization-name-taken');
        const values = { name, nameFolded: foldName(name), ownerId, createdAt: now };
        return done(organizationOf(orm.insert(organizations).values(values).returning().get()));
      });
    },
    rename: (id, name) => transact(database, () => rename(id, name)),
    async remove(id, now) {
      const isWanted = and(eq(organizations.id, id), isLive);
      const row = orm.update(organizations).set({ deletedAt: now }).where(isWanted).returning().get();
      return row === undefined ? refuse('organization-unknown') : done(organizationOf(row));
    },
    async byId(id) {
      const row = byId.get({ id });
      return row && ownedOf(row);
    },
    async list(accountId) {
      const isWanted = accountId === undefined ? isLive : reachedBy(database, accountId);
      return selectOwned(database, isWanted).all().map(ownedOf);
    },
    async overview(accountId) {
      return overviewOf(accountId);
    },
    async isMember(id, accountId) {
      return isMember(id, accountId);
    },
    async addMember(id, accountId, now) {
      insertMember(database, id, accountId, now);
    },
    removeMember: (id, accountId) => transact(database, () => removeMember(database, id, accountId)),
    async members(id) {
      return membersOf(id);
    },
    transfer: (id, from, to) => transact(database, () => transfer(id, from, to)),
  };
}

/** Organizations with their owners' email addresses, oldest first. */
function selectOwned({ orm }: MainDatabase, isWanted: SQL | undefined) {
  return orm
    .select({ organization: organizations, ownerEmail: accounts.email })
    .from(organizations)
    .innerJoin(accounts, eq(accounts.id, organizations.ownerId))
    .where(isWanted)
    .orderBy(asc(organizations.id));
}

type OwnedRow = ReturnType<ReturnType<typeof selectOwned>['all']>[number];

function ownedOf({ organization, ownerEmail }: OwnedRow): OwnedOrganization {
  return { ...organizationOf(organization), ownerEmail };
}

/** Whether the owner has an organization of this name, except the given one. */
function createIsTaken({ orm }: MainDatabase) {
  return (name: string, ownerId: AccountId, except?: OrganizationId): boolean => {
    const isLive = isNull(organizations.deletedAt);
    const isNotIt = except === undefined ? undefined : ne(organizations.id, except);
    const isOther = and(eq(organizations.ownerId, ownerId), isNotIt, isLive);
    const isThere = and(isOther, eq(organizations.nameFolded, foldName(name)));
    return orm.select({ id: organizations.id }).from(organizations).where(isThere).get() !== undefined;
  };
}

function createTransfer(database: MainDatabase, room: Room) {
  const { orm } = database;
  const find = createFindOrganization(database);
  const isMember = createMembership(database);
  const isTaken = createIsTaken(database);

  /** Why this account cannot become the owner of an organization that it shares. */
  function whyNotOwner(organization: Organization, to: AccountId): TransferProblem | undefined {
    if (to === organization.ownerId) return 'member-is-owner';
    if (!isMember(organization.id, to)) return 'member-unknown';
    const account = orm.select().from(accounts).where(eq(accounts.id, to)).get();
    if (account?.disabledAt !== null) return 'account-disabled';
    if (isTaken(organization.name, to, organization.id)) return 'organization-name-taken';
    if (room.forOrganizations(to) <= 0) return 'organizations-limit';
    return room.forProperties(to) < propertiesIn(database, organization.id) ? 'properties-limit' : undefined;
  }

  return (id: OrganizationId, from: AccountId, to: AccountId) => {
    const organization = find(id);
    if (organization === undefined) return refuse('organization-unknown');
    if (organization.ownerId !== from) return refuse('organization-not-owned');
    const problem = whyNotOwner(organization, to);
    if (problem !== undefined) return refuse(problem);
    // The new owner's row as a member stays: it tells since when.
    insertMember(database, id, from, organization.createdAt);
    withdrawInvitations(database, id, from);
    const values = { ownerId: to };
    const row = orm.update(organizations).set(values).where(eq(organizations.id, id)).returning().get();
    return done(organizationOf(row));
  };
}

/** Those that somebody made who does not own the organization any more. */
function withdrawInvitations({ orm }: MainDatabase, id: OrganizationId, inviterId: AccountId): void {
  const isTheirs = and(eq(invitations.organizationId, id), eq(invitations.inviterId, inviterId));
  orm.delete(invitations).where(isTheirs).run();
}

/** Who shares it already stays as it is. */
export function insertMember(
  { orm }: MainDatabase,
  organizationId: OrganizationId,
  accountId: AccountId,
  now: Instant,
): void {
  orm.insert(members).values({ organizationId, accountId, createdAt: now }).onConflictDoNothing().run();
}

/** @see OrganizationStore */
function removeMember(database: MainDatabase, id: OrganizationId, accountId: AccountId): boolean {
  const { orm } = database;
  const isOwned = orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(and(eq(organizations.id, id), eq(organizations.ownerId, accountId)))
    .get();
  if (isOwned !== undefined) return false;
  withdrawInvitations(database, id, accountId);
  const isWanted = and(eq(members.organizationId, id), eq(members.accountId, accountId));
  return orm.delete(members).where(isWanted).returning().get() !== undefined;
}

function createMembers({ raw }: MainDatabase): (id: OrganizationId) => readonly Member[] {
  type Row = Omit<Member, 'role'> & { readonly isOwner: number };
  const select = raw.query<Row, [number, number]>(`
    SELECT a.id AS accountId, a.name, a.email, a.id = o.owner_id AS isOwner, coalesce(m.created_at, o.created_at) AS since
    FROM organizations o
    JOIN accounts a ON a.id = o.owner_id OR a.id IN (SELECT account_id FROM members WHERE organization_id = ?)
    LEFT JOIN members m ON m.organization_id = o.id AND m.account_id = a.id
    WHERE o.id = ? AND o.deleted_at IS NULL
    ORDER BY isOwner DESC, since, a.id`);
  return (id) =>
    select.all(id, id).map(({ isOwner, ...rest }) => ({ ...rest, role: isOwner === 1 ? 'owner' : 'member' }));
}

function createOverview({ raw }: MainDatabase): (accountId: AccountId) => readonly OrganizationOverview[] {
  type Row = Omit<OrganizationOverview, 'role'> & { readonly isOwner: number };
  const select = raw.query<Row, [number]>(`
    SELECT o.id, o.name, o.owner_id AS ownerId, o.created_at AS createdAt, o.owner_id = ?1 AS isOwner,
      (SELECT a.email FROM accounts a WHERE a.id = o.owner_id) AS ownerEmail,
      (SELECT count(*) FROM properties p WHERE p.organization_id = o.id AND p.deleted_at IS NULL) AS properties,
      1 + (SELECT count(*) FROM members m WHERE m.organization_id = o.id AND m.account_id <> o.owner_id) AS members
    FROM organizations o
    WHERE o.deleted_at IS NULL
      AND (o.owner_id = ?1 OR o.id IN (SELECT organization_id FROM members WHERE account_id = ?1))
    ORDER BY o.id`);
  return (accountId) =>
    select
      .all(accountId)
      .map(({ isOwner, ...rest }) => ({ ...rest, role: isOwner === 1 ? 'owner' : 'member' }));
}

function propertiesIn({ orm }: MainDatabase, id: OrganizationId): number {
  const isThere = and(eq(properties.organizationId, id), isNull(properties.deletedAt));
  return orm.select({ n: count() }).from(properties).where(isThere).get()?.n ?? 0;
}
