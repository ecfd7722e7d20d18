import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { done, reject } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { CredentialStore, FirstAccount } from '../../../model/ports/credential.ts';
import { toAccount } from '../../entities.ts';
import type { MainDatabase } from '../open.ts';
import { hasRow } from '../queries.ts';
import type { Change } from '../recordedChange.ts';
import { accounts } from '../schema.ts';
import { insertAccount, replacePassword } from './accounts.ts';
import { insertOrganization } from './organizations.ts';

/** @see CredentialStore */
export function createCredentialStore(database: MainDatabase, change: Change): CredentialStore {
  const { orm } = database;
  const canAnyoneSignIn = () => hasRow(database, accounts, isNotNull(accounts.passwordHash));

  function setup({ organizationName, ...first }: FirstAccount, now: Instant) {
    if (canAnyoneSignIn()) return reject('setup-closed');
    const account = insertAccount(database, { ...first, isAdmin: true }, now);
    if (account === undefined) return reject('email-taken');
    return done({ account, organization: insertOrganization(database, organizationName, account.id, now) });
  }

  return {
    async byId(id) {
      const row = orm.select().from(accounts).where(eq(accounts.id, id)).get();
      return row && toAccount(row);
    },
    async byEmail(email) {
      const row = orm.select().from(accounts).where(eq(accounts.email, email)).get();
      return row && { account: toAccount(row), passwordHash: row.passwordHash ?? undefined };
    },
    async rehash(id, before, after) {
      const isUnchanged = and(eq(accounts.id, id), eq(accounts.passwordHash, before));
      const updated = orm.update(accounts).set({ passwordHash: after }).where(isUnchanged).returning();
      return updated.get() !== undefined;
    },
    renewPassword: (id, before, after, entry) =>
      change(entry, () => {
        const isUnchanged =
          before === undefined ? isNull(accounts.passwordHash) : eq(accounts.passwordHash, before);
        const isEnabled = isNull(accounts.disabledAt);
        const mayChange = hasRow(database, accounts, and(eq(accounts.id, id), isUnchanged, isEnabled));
        if (mayChange) replacePassword(database, id, after);
        return mayChange;
      }),
    async rename(id, name) {
      orm.update(accounts).set({ name }).where(eq(accounts.id, id)).run();
    },
    async canAnyoneSignIn() {
      return canAnyoneSignIn();
    },
    setup: (first, now, entry) =>
      change(
        entry,
        () => setup(first, now),
        (created) =>
          created.ok
            ? { accountId: created.value.account.id, organizationId: created.value.organization.id }
            : {},
      ),
  };
}
