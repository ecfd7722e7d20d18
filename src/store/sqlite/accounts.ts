import { asc, count, eq } from 'drizzle-orm';
import { done, refuse } from '../../lib/outcome.ts';
import type { AccountStore } from '../../model/ports.ts';
import type { MainDatabase } from './open.ts';
import { accountOf } from './rows.ts';
import { accounts } from './schema.ts';

/** @see AccountStore */
export function createAccountStore({ orm }: MainDatabase): AccountStore {
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
    async setPasswordHash(id, passwordHash) {
      orm.update(accounts).set({ passwordHash }).where(eq(accounts.id, id)).run();
    },
    async count() {
      return orm.select({ rows: count() }).from(accounts).get()?.rows ?? 0;
    },
  };
}
