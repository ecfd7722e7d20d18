import { and, eq, lt } from 'drizzle-orm';
import type { AccountId } from '../../../model/account.ts';
import type { SecondFactorStore } from '../../../model/ports/secondFactor.ts';
import { type MainDatabase, transact } from '../open.ts';
import { countRows } from '../queries.ts';
import { recoveryCodes, secondFactors } from '../schema.ts';

/** @see SecondFactorStore */
export function createSecondFactorStore(database: MainDatabase): SecondFactorStore {
  const { orm } = database;
  const isOf = (accountId: AccountId) => eq(secondFactors.accountId, accountId);
  const hasCodeOf = (accountId: AccountId) => eq(recoveryCodes.accountId, accountId);

  function replaceRecovery(accountId: AccountId, hashes: readonly string[]): void {
    orm.delete(recoveryCodes).where(hasCodeOf(accountId)).run();
    for (const codeHash of hashes) orm.insert(recoveryCodes).values({ accountId, codeHash }).run();
  }

  return {
    async byAccount(accountId) {
      const { sealed, isConfirmed, sessionId, createdAt } = secondFactors;
      const columns = { sealed, isConfirmed, sessionId, createdAt };
      return orm.select(columns).from(secondFactors).where(isOf(accountId)).get();
    },
    async begin({ id, accountId }, sealed, now) {
      const values = { sealed, sessionId: id, createdAt: now, isConfirmed: false, lastStep: 0 };
      orm
        .insert(secondFactors)
        .values({ accountId, ...values })
        .onConflictDoUpdate({
          target: secondFactors.accountId,
          set: values,
          setWhere: eq(secondFactors.isConfirmed, false),
        })
        .run();
    },
    confirm: ({ id, accountId }, step, recoveryHashes) =>
      transact(database, () => {
        const isBegunHere = and(eq(secondFactors.sessionId, id), eq(secondFactors.isConfirmed, false));
        const values = { isConfirmed: true, lastStep: step };
        const update = orm
          .update(secondFactors)
          .set(values)
          .where(and(isOf(accountId), isBegunHere));
        const isConfirmed = update.returning().get() !== undefined;
        if (isConfirmed) replaceRecovery(accountId, recoveryHashes);
        return isConfirmed;
      }),
    async spendStep(accountId, step) {
      const isUnspent = and(eq(secondFactors.isConfirmed, true), lt(secondFactors.lastStep, step));
      const update = orm
        .update(secondFactors)
        .set({ lastStep: step })
        .where(and(isOf(accountId), isUnspent));
      return update.returning().get() !== undefined;
    },
    async spendRecovery(accountId, codeHash) {
      const isIt = and(hasCodeOf(accountId), eq(recoveryCodes.codeHash, codeHash));
      return orm.delete(recoveryCodes).where(isIt).returning().get() !== undefined;
    },
    async recoveryLeft(accountId) {
      return countRows(database, recoveryCodes, hasCodeOf(accountId));
    },
    replaceRecovery: (accountId, hashes) => transact(database, () => replaceRecovery(accountId, hashes)),
    remove: (accountId) =>
      transact(database, () => {
        replaceRecovery(accountId, []);
        return orm.delete(secondFactors).where(isOf(accountId)).returning().get() !== undefined;
      }),
  };
}
