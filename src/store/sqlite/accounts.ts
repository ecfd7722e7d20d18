import { and, asc, count, eq, ne } from 'drizzle-orm';
import { done, refuse } from '../../lib/outcome.ts';
import { DEFAULT_PLAN } from '../../model/plan.ts';
import type { AccountStore } from '../../model/ports.ts';
import { type MainDatabase, transact } from './open.ts';
import { accountOf } from './rows.ts';
import { accounts, plans, sessions } from './schema.ts';

/** @see AccountStore */
export function createAccountStore(database: MainDatabase): AccountStore {
  const { orm } = database;

  function isPlan(name: string): boolean {
    if (name === DEFAULT_PLAN) return true;
    return orm.select().from(plans).where(eq(plans.name, name)).get() !== undefined;
  }

  return {
    async create(account, now) {
      const row = orm
        .insert(accounts)
        .values({ ...account, passwordHash: account.passwordHash ?? null, createdAt: now })
        .onConflictDoNothing()
        .returning()
        .get();
      return row === undefined ? refuse('email-taken') : done(accountOf(row));
    },
    async list() {
      return orm.select().from(accounts).orderBy(asc(accounts.id)).all().map(accountOf);
    },
    async byEmail(email) {
      const row = orm.select().from(accounts).where(eq(accounts.email, email)).get();
      return row && accountOf(row);
    },
    setPasswordHash: (id, passwordHash, kept) =>
      transact(database, () => {
        orm.update(accounts).set({ passwordHash }).where(eq(accounts.id, id)).run();
        const isTheirs = eq(sessions.accountId, id);
        const isOther = kept === undefined ? isTheirs : and(isTheirs, ne(sessions.id, kept));
        orm.delete(sessions).where(isOther).run();
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
