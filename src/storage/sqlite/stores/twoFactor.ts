import { and, eq, lt, type SQL } from 'drizzle-orm';
import type { AccountId } from '../../../model/account.ts';
import type { TwoFactorStore } from '../../../model/ports/twoFactor.ts';
import type { MainDatabase } from '../open.ts';
import { countRows, hasRow } from '../queries.ts';
import type { Change } from '../recordedChange.ts';
import { recoveryCodes, sessions, twoFactorSecrets } from '../schema.ts';

/** @see TwoFactorStore */
export function createTwoFactorStore(database: MainDatabase, change: Change): TwoFactorStore {
  const { orm } = database;
  const isOf = (accountId: AccountId) => eq(twoFactorSecrets.accountId, accountId);
  const hasCodeOf = (accountId: AccountId) => eq(recoveryCodes.accountId, accountId);

  function update(
    accountId: AccountId,
    condition: SQL | undefined,
    values: Partial<typeof twoFactorSecrets.$inferInsert>,
  ): boolean {
    const updated = orm
      .update(twoFactorSecrets)
      .set(values)
      .where(and(isOf(accountId), condition));
    return updated.returning().get() !== undefined;
  }

  function replaceRecoveryCodes(accountId: AccountId, hashes: readonly string[]): void {
    orm.delete(recoveryCodes).where(hasCodeOf(accountId)).run();
    for (const codeHash of hashes) orm.insert(recoveryCodes).values({ accountId, codeHash }).run();
  }

  function remove(accountId: AccountId): boolean {
    replaceRecoveryCodes(accountId, []);
    return orm.delete(twoFactorSecrets).where(isOf(accountId)).returning().get() !== undefined;
  }

  return {
    async byAccount(accountId) {
      const { sealed, isConfirmed, sessionId, createdAt } = twoFactorSecrets;
      const columns = { sealed, isConfirmed, sessionId, createdAt };
      return orm.select(columns).from(twoFactorSecrets).where(isOf(accountId)).get();
    },
    async start({ id, accountId }, sealed, now) {
      const values = { sealed, sessionId: id, createdAt: now, isConfirmed: false, lastStep: 0 };
      orm
        .insert(twoFactorSecrets)
        .values({ accountId, ...values })
        .onConflictDoUpdate({
          target: twoFactorSecrets.accountId,
          set: values,
          setWhere: eq(twoFactorSecrets.isConfirmed, false),
        })
        .run();
    },
    confirm: ({ id, accountId }, step, recoveryHashes, entry) =>
      change(entry, () => {
        const isOpen = and(eq(twoFactorSecrets.sessionId, id), eq(twoFactorSecrets.isConfirmed, false));
        const isConfirmed = update(accountId, isOpen, { isConfirmed: true, lastStep: step });
        if (isConfirmed) replaceRecoveryCodes(accountId, recoveryHashes);
        return isConfirmed;
      }),
    async useStep(accountId, step) {
      const isUnused = and(eq(twoFactorSecrets.isConfirmed, true), lt(twoFactorSecrets.lastStep, step));
      return update(accountId, isUnused, { lastStep: step });
    },
    useRecoveryCode: (accountId, codeHash, entry) =>
      change(entry, () => {
        const isCode = and(hasCodeOf(accountId), eq(recoveryCodes.codeHash, codeHash));
        return orm.delete(recoveryCodes).where(isCode).returning().get() !== undefined;
      }),
    async countRecoveryCodes(accountId) {
      return countRows(database, recoveryCodes, hasCodeOf(accountId));
    },
    replaceRecoveryCodes: (accountId, hashes, entry) =>
      change(entry, () => {
        const isOn = and(isOf(accountId), eq(twoFactorSecrets.isConfirmed, true));
        if (!hasRow(database, twoFactorSecrets, isOn)) return false;
        replaceRecoveryCodes(accountId, hashes);
        return true;
      }),
    remove: (accountId, entry) => change(entry, () => remove(accountId)),
    reset: (accountId, entry) =>
      change(entry, () => {
        orm.delete(sessions).where(eq(sessions.accountId, accountId)).run();
        return remove(accountId);
      }),
  };
}
