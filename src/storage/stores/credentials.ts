import { and, eq, isNotNull, isNull, type SQL } from 'drizzle-orm';
import { done, reject } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Credential, CredentialStore, FirstAccount } from '../../model/ports/account.ts';
import { toAccount } from '../entities.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { hasRow } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { accounts } from '../schema.ts';
import { insertAccount, replacePassword } from './accounts.ts';
import { insertOrganization } from './organizations.ts';

/** @see CredentialStore */
export function createCredentialStore({ orm }: StoreDatabase, { change }: Changes): CredentialStore {
  return {
    byId: async (id) => (await find(orm, eq(accounts.id, id)))?.account,
    byEmail: (email) => find(orm, eq(accounts.email, email)),
    async rehash(id, before, after) {
      const isUnchanged = and(eq(accounts.id, id), eq(accounts.passwordHash, before));
      const updated = orm.update(accounts).set({ passwordHash: after }).where(isUnchanged);
      return (await updated.returning({ id: accounts.id })).length > 0;
    },
    renewPassword: (id, before, after, entry) =>
      change(entry, async (tx) => {
        const isUnchanged =
          before === undefined ? isNull(accounts.passwordHash) : eq(accounts.passwordHash, before);
        const isEnabled = isNull(accounts.disabledAt);
        const mayChange = await hasRow(tx, accounts, and(eq(accounts.id, id), isUnchanged, isEnabled));
        if (mayChange) await replacePassword(tx, id, after);
        return mayChange;
      }),
    async rename(id, name) {
      await orm.update(accounts).set({ name }).where(eq(accounts.id, id));
    },
    hasDismissedChecklist: (id) =>
      hasRow(orm, accounts, and(eq(accounts.id, id), isNotNull(accounts.checklistDismissedAt))),
    async dismissChecklist(id, now) {
      await orm.update(accounts).set({ checklistDismissedAt: now }).where(eq(accounts.id, id));
    },
    canAnyoneSignIn: () => canAnyoneSignIn(orm),
    setup: (first, now, entry) =>
      change(
        entry,
        (tx) => setup(tx, first, now),
        (created) =>
          created.ok
            ? { accountId: created.value.account.id, organizationId: created.value.organization.id }
            : {},
      ),
  };
}

async function find(orm: Executor, condition: SQL): Promise<Credential | undefined> {
  const [row] = await orm.select().from(accounts).where(condition);
  return row && { account: toAccount(row), passwordHash: row.passwordHash ?? undefined };
}

function canAnyoneSignIn(orm: Executor): Promise<boolean> {
  return hasRow(orm, accounts, isNotNull(accounts.passwordHash));
}

async function setup(tx: Executor, { organizationName, ...first }: FirstAccount, now: Instant) {
  if (await canAnyoneSignIn(tx)) return reject('setup-closed');
  const account = await insertAccount(tx, { ...first, isAdmin: true }, now);
  if (account === undefined) return reject('email-taken');
  return done({ account, organization: await insertOrganization(tx, organizationName, account.id, now) });
}
