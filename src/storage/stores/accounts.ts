import { and, asc, desc, eq, inArray, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId } from '../../model/account.ts';
import type { Email } from '../../model/email.ts';
import { DEFAULT_PLAN, INVITED_PLAN } from '../../model/plan.ts';
import type { AccountOrder, AccountSlice, AccountStore, NewAccount } from '../../model/ports/account.ts';
import type { SessionId } from '../../model/session.ts';
import { normalizeEmails } from '../emails.ts';
import { toAccount } from '../entities.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { countRows, hasRow, prepared, runEmailWork } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { accounts, invitations, plans, sessions, twoFactorSecrets } from '../schema.ts';

/** @see AccountStore */
export function createAccountStore(database: StoreDatabase, { change, invalidate }: Changes): AccountStore {
  const { orm } = database;
  return {
    create: (account, now, entry) =>
      change(entry, async (tx) => {
        const created = await insertAccount(tx, account, now);
        return created === undefined ? reject('email-taken') : done(created);
      }),
    async list() {
      return (await orm.select().from(accounts).orderBy(asc(accounts.id))).map(toAccount);
    },
    byEmail: (email) => findAccountByEmail(orm, email),
    byId: (id) => findAccount(orm, id),
    search: (text, slice) => listSummaries(orm, matches(orm, text), slice),
    async summaryOf(id) {
      return (await listSummaries(orm, eq(accounts.id, id), { offset: 0, limit: 1 }))[0];
    },
    setDisabled: (id, disabledAt, entry) =>
      invalidate(entry, async (tx) => {
        if (disabledAt === undefined) return update(tx, id, { disabledAt: null });
        if (await isLastAdmin(tx, id)) return reject('admin-last');
        await tx.delete(invitations).where(eq(invitations.inviterId, id));
        await tx.delete(sessions).where(eq(sessions.accountId, id));
        return update(tx, id, { disabledAt });
      }),
    setAdmin: (id, isAdmin, entry) =>
      change(entry, async (tx): Promise<Outcome<Account, 'account-unknown' | 'admin-last'>> => {
        if (!isAdmin && (await isLastAdmin(tx, id))) return reject('admin-last');
        return update(tx, id, { isAdmin });
      }),
    async setPasswordHash(id, passwordHash, entry) {
      await change(entry, async (tx) => {
        await replacePassword(tx, id, passwordHash);
        return true;
      });
    },
    setEmail: (id, email, entry) =>
      change(entry, async (tx) => {
        if (await isEmailTaken(tx, id, email)) return reject('email-taken');
        return replaceEmail(tx, id, email);
      }),
    setPlan: (id, plan, entry) =>
      change(entry, async (tx) =>
        (await isPlan(tx, plan)) ? update(tx, id, { plan }) : reject('plan-unknown'),
      ),
    normalizeEmails: async () =>
      (await database.transact((tx) => runEmailWork(tx, normalizeEmails()))).length,
    count: () => countRows(orm, accounts),
  };
}

async function update(
  tx: Executor,
  id: AccountId,
  values: PgUpdateSetSource<typeof accounts>,
): Promise<Outcome<Account, 'account-unknown'>> {
  const [row] = await tx.update(accounts).set(values).where(eq(accounts.id, id)).returning();
  return row === undefined ? reject('account-unknown') : done(toAccount(row));
}

/** Whether the account is the only administrator who can sign in. */
async function isLastAdmin(tx: Executor, id: AccountId): Promise<boolean> {
  const isActive = and(
    eq(accounts.isAdmin, true),
    isNotNull(accounts.passwordHash),
    isNull(accounts.disabledAt),
  );
  return (
    (await hasRow(tx, accounts, and(isActive, eq(accounts.id, id)))) &&
    !(await hasRow(tx, accounts, and(isActive, ne(accounts.id, id))))
  );
}

/** Sets the password hash, and ends all sessions of the account except `except`. Call it inside a transaction. */
export async function replacePassword(
  tx: Executor,
  id: AccountId,
  passwordHash: string,
  except?: SessionId,
): Promise<void> {
  await tx.update(accounts).set({ passwordHash }).where(eq(accounts.id, id));
  // Someone who knew the old password may have started this enrollment.
  const isUnconfirmed = and(eq(twoFactorSecrets.accountId, id), eq(twoFactorSecrets.isConfirmed, false));
  await tx.delete(twoFactorSecrets).where(isUnconfirmed);
  const isOther = except === undefined ? undefined : ne(sessions.id, except);
  await tx.delete(sessions).where(and(eq(sessions.accountId, id), isOther));
}

/** Whether another account has the email address. */
export function isEmailTaken(tx: Executor, id: AccountId, email: Email): Promise<boolean> {
  return hasRow(tx, accounts, and(eq(accounts.email, email), ne(accounts.id, id)));
}

/** Sets an email address that is not taken, and also a name that equals the old one. Call it inside a transaction. */
export async function replaceEmail(
  tx: Executor,
  id: AccountId,
  email: Email,
): Promise<Outcome<Account, 'account-unknown'>> {
  const before = await findAccount(tx, id);
  if (before === undefined) return reject('account-unknown');
  const name = sql`CASE name WHEN email THEN ${email} ELSE name END`;
  const updated = await update(tx, id, { email, name });
  // The other user can get the canonical form now, and no invitation may remain for a spelling that no user keeps.
  await runEmailWork(tx, normalizeEmails(before.email));
  return updated;
}

/** Whether a plan exists: it is built in or was set. */
export async function isPlan(tx: Executor, name: string): Promise<boolean> {
  return name === DEFAULT_PLAN || name === INVITED_PLAN || hasRow(tx, plans, eq(plans.name, name));
}

/** @returns undefined if the email address is taken */
export async function insertAccount(
  tx: Executor,
  account: NewAccount,
  now: Instant,
): Promise<Account | undefined> {
  const values = { ...account, createdAt: now };
  const [row] = await tx.insert(accounts).values(values).onConflictDoNothing().returning();
  return row && toAccount(row);
}

export async function findAccountByEmail(orm: Executor, email: Email): Promise<Account | undefined> {
  const [row] = await selectByEmail(orm, { email });
  return row && toAccount(row);
}

async function findAccount(orm: Executor, id: AccountId): Promise<Account | undefined> {
  const [row] = await selectById(orm, { id });
  return row && toAccount(row);
}

const selectById = prepared((orm) =>
  orm
    .select()
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder('id'))),
);

const selectByEmail = prepared((orm) =>
  orm
    .select()
    .from(accounts)
    .where(eq(accounts.email, sql.placeholder('email'))),
);

/** Matches a part of the email address or the name. Ignores the case of ASCII letters in names. */
function matches({ engine: { contains } }: Executor, text: string): SQL | undefined {
  const name = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return or(contains(accounts.email, text.toLowerCase()), contains(sql`lower(${accounts.name})`, name));
}

// Raw SQL, because drizzle omits table names in computed columns.
const OWNED = sql`(SELECT count(*) FROM organizations o WHERE o.owner_id = accounts.id AND o.deleted_at IS NULL)`;

const ACCOUNTS_BY: Readonly<Record<AccountOrder, SQL>> = {
  created_asc: asc(accounts.id),
  created_desc: desc(accounts.id),
  email_asc: asc(accounts.email),
  email_desc: desc(accounts.email),
};

async function listSummaries(
  orm: Executor,
  condition: SQL | undefined,
  { order = 'created_asc', offset, limit }: AccountSlice,
) {
  // A subquery, because PostgreSQL also computes the columns of skipped rows.
  const slice = orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(condition)
    .orderBy(ACCOUNTS_BY[order])
    .limit(limit)
    .offset(offset);
  const rows = await orm
    .select({ account: accounts, organizations: OWNED.mapWith(Number) })
    .from(accounts)
    .where(inArray(accounts.id, slice))
    .orderBy(ACCOUNTS_BY[order]);
  return rows.map(({ account, organizations }) => ({
    ...toAccount(account),
    organizations,
    hasPassword: account.passwordHash !== null,
  }));
}
