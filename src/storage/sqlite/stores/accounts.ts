import { and, asc, count, eq, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { done, refuse } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { Account, AccountId, AccountSummary } from '../../../model/account.ts';
import { DEFAULT_PLAN, INVITED_PLAN } from '../../../model/plan.ts';
import type { AccountStore, NewAccount } from '../../../model/ports/account.ts';
import { type MainDatabase, transact } from '../open.ts';
import { accountOf } from '../rows.ts';
import { accounts, invitations, plans, secondFactors, sessions } from '../schema.ts';

/** @see AccountStore */
export function createAccountStore(database: MainDatabase): AccountStore {
  const { orm } = database;

  function isPlan(name: string): boolean {
    if (name === DEFAULT_PLAN || name === INVITED_PLAN) return true;
    return orm.select().from(plans).where(eq(plans.name, name)).get() !== undefined;
  }

  const byId = orm
    .select()
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare();

  function find(id: AccountId): Account | undefined {
    const row = byId.get({ id });
    return row && accountOf(row);
  }

  return {
    async create(draft, now) {
      const account = insertAccount(database, draft, now);
      return account === undefined ? refuse('email-taken') : done(account);
    },
    async list() {
      return orm.select().from(accounts).orderBy(asc(accounts.id)).all().map(accountOf);
    },
    async byEmail(email) {
      const row = orm.select().from(accounts).where(eq(accounts.email, email)).get();
      return row && accountOf(row);
    },
    async byId(id) {
      return find(id);
    },
    async search(text, slice) {
      return search(database, text, slice);
    },
    async summaryOf(id) {
      return summaries(database, eq(accounts.id, id), { offset: 0, limit: 1 })[0];
    },
    ...createServicesPool(database),
    setPasswordHash: (id, passwordHash) =>
      transact(database, () => {
        updatePassword(database, id, passwordHash);
        orm.delete(sessions).where(eq(sessions.accountId, id)).run();
      }),
    setPlan: (id, plan) =>
      transact(database, () => {
        if (!isPlan(plan)) return refuse('plan-unknown');
        const row = orm.update(accounts).set({ plan }).where(eq(accounts.id, id)).returning().get();
        return row === undefined ? refuse('account-unknown') : done(accountOf(row));
      }),
    async count() {
      return orm.select({ rows: count() }).from(accounts).get()?.rows ?? 0;
    },
  };
}

type ServicesPool = Pick<AccountStore, 'setDisabled' | 'setAdmin'>;

function createServicesPool(database: MainDatabase): ServicesPool {
  const { orm } = database;

  /** Whether this administrator can sign in, and no other can. */
  function isLastAdmin(id: AccountId): boolean {
    const canSignIn = and(
      eq(accounts.isAdmin, true),
      isNotNull(accounts.passwordHash),
      isNull(accounts.disabledAt),
    );
    const isIt = orm
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(canSignIn, eq(accounts.id, id)))
      .get();
    if (isIt === undefined) return false;
    const others = and(canSignIn, ne(accounts.id, id));
    return orm.select({ id: accounts.id }).from(accounts).where(others).get() === undefined;
  }

  return {
    setDisabled: (id, disabledAt) =>
      transact(database, () => {
        if (disabledAt !== undefined && isLastAdmin(id)) return refuse('admin-last');
        const values = { disabledAt: disabledAt ?? null };
        const row = orm.update(accounts).set(values).where(eq(accounts.id, id)).returning().get();
        if (row === undefined) return refuse('account-unknown');
        if (disabledAt !== undefined) {
          orm.delete(invitations).where(eq(invitations.inviterId, id)).run();
          orm.delete(sessions).where(eq(sessions.accountId, id)).run();
        }
        return done(accountOf(row));
      }),
    setAdmin: (id, isAdmin) =>
      transact(database, () => {
        if (!isAdmin && isLastAdmin(id)) return refuse('admin-last');
        const row = orm.update(accounts).set({ isAdmin }).where(eq(accounts.id, id)).returning().get();
        return row === undefined ? refuse('account-unknown') : done(accountOf(row));
      }),
  };
}

/** Within a transaction: whose sessions end is the caller's to see to. */
export function updatePassword({ orm }: MainDatabase, id: AccountId, passwordHash: string): void {
  orm.update(accounts).set({ passwordHash }).where(eq(accounts.id, id)).run();
  // Whoever knew the password before may have begun it.
  const isBegun = and(eq(secondFactors.accountId, id), eq(secondFactors.isConfirmed, false));
  orm.delete(secondFactors).where(isBegun).run();
}

/** @returns undefined where the address is taken */
export function insertAccount({ orm }: MainDatabase, draft: NewAccount, now: Instant): Account | undefined {
  const row = orm
    .insert(accounts)
    .values({ ...draft, passwordHash: draft.passwordHash ?? null, createdAt: now })
    .onConflictDoNothing()
    .returning()
    .get();
  return row && accountOf(row);
}

// By hand: in a column that is computed, drizzle leaves out the names of tables.
const OWNED = 'SELECT count(*) FROM organizations o WHERE o.owner_id = accounts.id AND o.deleted_at IS NULL';

type Slice = Parameters<AccountStore['search']>[1];

function search(database: MainDatabase, text: string, slice: Slice): readonly AccountSummary[] {
  const part = text.toLowerCase();
  const isWanted = sql`instr(${accounts.email}, ${part}) > 0 OR instr(lower(${accounts.name}), lower(${text})) > 0`;
  return summaries(database, isWanted, slice);
}

function summaries(
  { orm }: MainDatabase,
  isWanted: SQL,
  { offset, limit }: Slice,
): readonly AccountSummary[] {
  const rows = orm
    .select({
      account: accounts,
      organizations: sql<number>`(${sql.raw(OWNED)})`,
    })
    .from(accounts)
    .where(isWanted)
    .orderBy(asc(accounts.id))
    .limit(limit)
    .offset(offset)
    .all();
  return rows.map(({ account, organizations }) => ({
    ...accountOf(account),
    organizations,
    hasPassword: account.passwordHash !== null,
  }));
}
