import { and, asc, eq, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { Account, AccountId, AccountSummary } from '../../../model/account.ts';
import type { Email } from '../../../model/email.ts';
import { DEFAULT_PLAN, INVITED_PLAN } from '../../../model/plan.ts';
import type { AccountStore, NewAccount } from '../../../model/ports/account.ts';
import type { SessionId } from '../../../model/session.ts';
import { toAccount } from '../../entities.ts';
import { normalizeEmails } from '../emails.ts';
import { type MainDatabase, transact } from '../open.ts';
import { countRows, hasRow } from '../queries.ts';
import type { Change } from '../recordedChange.ts';
import { accounts, invitations, plans, sessions, twoFactorSecrets } from '../schema.ts';

/** @see AccountStore */
export function createAccountStore(database: MainDatabase, change: Change): AccountStore {
  const { orm } = database;
  const selectById = orm
    .select()
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare();

  function update(id: AccountId, values: SQLiteUpdateSetSource<typeof accounts>) {
    const row = orm.update(accounts).set(values).where(eq(accounts.id, id)).returning().get();
    return row === undefined ? reject('account-unknown') : done(toAccount(row));
  }

  return {
    create: (account, now, entry) =>
      change(entry, () => {
        const created = insertAccount(database, account, now);
        return created === undefined ? reject('email-taken') : done(created);
      }),
    async list() {
      return orm.select().from(accounts).orderBy(asc(accounts.id)).all().map(toAccount);
    },
    async byEmail(email) {
      return findAccountByEmail(database, email);
    },
    async byId(id) {
      const row = selectById.get({ id });
      return row && toAccount(row);
    },
    async search(text, slice) {
      const [email, name] = [text.toLowerCase(), sql`lower(${text})`];
      const matches = sql`instr(${accounts.email}, ${email}) > 0 OR instr(lower(${accounts.name}), ${name}) > 0`;
      return listSummaries(database, matches, slice);
    },
    async summaryOf(id) {
      return listSummaries(database, eq(accounts.id, id), { offset: 0, limit: 1 })[0];
    },
    setDisabled: (id, disabledAt, entry) =>
      change(entry, () => {
        if (disabledAt === undefined) return update(id, { disabledAt: null });
        if (isLastAdmin(database, id)) return reject('admin-last');
        orm.delete(invitations).where(eq(invitations.inviterId, id)).run();
        orm.delete(sessions).where(eq(sessions.accountId, id)).run();
        return update(id, { disabledAt });
      }),
    setAdmin: (id, isAdmin, entry) =>
      change(entry, (): Outcome<Account, 'account-unknown' | 'admin-last'> => {
        if (!isAdmin && isLastAdmin(database, id)) return reject('admin-last');
        return update(id, { isAdmin });
      }),
    async setPasswordHash(id, passwordHash, entry) {
      await change(entry, () => {
        replacePassword(database, id, passwordHash);
        return true;
      });
    },
    setEmail: (id, email, entry) =>
      change(entry, () => {
        const isTaken = hasRow(database, accounts, and(eq(accounts.email, email), ne(accounts.id, id)));
        if (isTaken) return reject('email-taken');
        const name = sql`CASE name WHEN email THEN ${email} ELSE name END`;
        const updated = update(id, { email, name });
        // The other user can get the canonical form now, and no invitation may remain for a spelling that no user keeps.
        normalizeEmails(database.raw);
        return updated;
      }),
    setPlan: (id, plan, entry) =>
      change(entry, () => (isPlan(database, plan) ? update(id, { plan }) : reject('plan-unknown'))),
    normalizeEmails: () => transact(database, () => normalizeEmails(database.raw).length),
    async count() {
      return countRows(database, accounts);
    },
  };
}

/** Whether the account is the only administrator who can sign in. */
function isLastAdmin(database: MainDatabase, id: AccountId): boolean {
  const isActive = and(
    eq(accounts.isAdmin, true),
    isNotNull(accounts.passwordHash),
    isNull(accounts.disabledAt),
  );
  return (
    hasRow(database, accounts, and(isActive, eq(accounts.id, id))) &&
    !hasRow(database, accounts, and(isActive, ne(accounts.id, id)))
  );
}

/** Sets the password hash and ends all sessions of the account except one. Call it inside a transaction. */
export function replacePassword(
  { orm }: MainDatabase,
  id: AccountId,
  passwordHash: string,
  except?: SessionId,
): void {
  orm.update(accounts).set({ passwordHash }).where(eq(accounts.id, id)).run();
  // Someone who knew the old password may have started this enrollment.
  const isUnconfirmed = and(eq(twoFactorSecrets.accountId, id), eq(twoFactorSecrets.isConfirmed, false));
  orm.delete(twoFactorSecrets).where(isUnconfirmed).run();
  const isOther = except === undefined ? undefined : ne(sessions.id, except);
  orm
    .delete(sessions)
    .where(and(eq(sessions.accountId, id), isOther))
    .run();
}

/** Whether a plan is built in or was set. */
export function isPlan(database: MainDatabase, name: string): boolean {
  return name === DEFAULT_PLAN || name === INVITED_PLAN || hasRow(database, plans, eq(plans.name, name));
}

/** @returns undefined if the email address is taken */
export function insertAccount({ orm }: MainDatabase, account: NewAccount, now: Instant): Account | undefined {
  const row = orm
    .insert(accounts)
    .values({ ...account, createdAt: now })
    .onConflictDoNothing()
    .returning()
    .get();
  return row && toAccount(row);
}

export function findAccountByEmail({ orm }: MainDatabase, email: Email): Account | undefined {
  const row = orm.select().from(accounts).where(eq(accounts.email, email)).get();
  return row && toAccount(row);
}

// Raw SQL, because drizzle omits table names in computed columns.
const OWNED = sql<number>`(SELECT count(*) FROM organizations o WHERE o.owner_id = accounts.id AND o.deleted_at IS NULL)`;

function listSummaries(
  { orm }: MainDatabase,
  condition: SQL,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): readonly AccountSummary[] {
  const rows = orm
    .select({ account: accounts, organizations: OWNED })
    .from(accounts)
    .where(condition)
    .orderBy(asc(accounts.id))
    .limit(limit)
    .offset(offset)
    .all();
  return rows.map(({ account, organizations }) => ({
    ...toAccount(account),
    organizations,
    hasPassword: account.passwordHash !== null,
  }));
}
