import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { done, refuse } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import { foldName } from '../../../model/name.ts';
import type { CredentialStore, FirstAccount } from '../../../model/ports/credential.ts';
import { type MainDatabase, transact } from '../open.ts';
import { accountOf, organizationOf } from '../rows.ts';
import { accounts, organizations, sessions } from '../schema.ts';
import { updatePassword } from './accounts.ts';

/** @see CredentialStore */
export function createCredentialStore(database: MainDatabase): CredentialStore {
  const { orm } = database;

  function hasSomebody(): boolean {
    const isAble = isNotNull(accounts.passwordHash);
    return orm.select({ id: accounts.id }).from(accounts).where(isAble).get() !== undefined;
  }

  function makeFirst(first: FirstAccount, createdAt: Instant) {
    const { email, name, passwordHash, organizationName } = first;
    if (hasSomebody()) return refuse('set-up-over');
    const values = { email, name, passwordHash, isAdmin: true, createdAt };
    const row = orm.insert(accounts).values(values).onConflictDoNothing().returning().get();
    if (row === undefined) return refuse('email-taken');
    const account = accountOf(row);
    const nameFolded = foldName(organizationName);
    const owned = { name: organizationName, nameFolded, ownerId: account.id, createdAt };
    const organization = organizationOf(orm.insert(organizations).values(owned).returning().get());
    return done({ account, organization });
  }

  return {
    async byId(id) {
      const row = orm.select().from(accounts).where(eq(accounts.id, id)).get();
      return row && accountOf(row);
    },
    async byEmail(email) {
      const row = orm.select().from(accounts).where(eq(accounts.email, email)).get();
      return row && { account: accountOf(row), passwordHash: row.passwordHash ?? undefined };
    },
    async rehash(id, before, after) {
      const isUnchanged = and(eq(accounts.id, id), eq(accounts.passwordHash, before));
      return (
        orm.update(accounts).set({ passwordHash: after }).where(isUnchanged).returning().get() !== undefined
      );
    },
    renewPassword: (id, before, after) =>
      transact(database, () => {
        const isSame =
          before === undefined ? isNull(accounts.passwordHash) : eq(accounts.passwordHash, before);
        const isIt = and(eq(accounts.id, id), isSame, isNull(accounts.disabledAt));
        if (orm.select({ id: accounts.id }).from(accounts).where(isIt).get() === undefined) return false;
        updatePassword(database, id, after);
        orm.delete(sessions).where(eq(sessions.accountId, id)).run();
        return true;
      }),
    async rename(id, name) {
      orm.update(accounts).set({ name }).where(eq(accounts.id, id)).run();
    },
    async hasSomebody() {
      return hasSomebody();
    },
    setup: (first, now) => transact(database, () => makeFirst(first, now)),
  };
}
