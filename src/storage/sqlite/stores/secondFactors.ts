import { and, count, eq, lt } from 'drizzle-orm';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import type { SecondFactorStore } from '../../../model/ports/secondFactor.ts';
import type { SessionId } from '../../../model/session.ts';
import { type MainDatabase, transact } from '../open.ts';
import { recoveryCodes, secondFactors } from '../schema.ts';

/** @see SecondFactorStore */
export function createSecondFactorStore(database: MainDatabase): SecondFactorStore {
  const { orm } = database;
  const ofAccount = (accountId: AccountId) => eq(secondFactors.accountId, accountId);

  function replaceRecovery(accountId: AccountId, hashes: readonly string[]): void {
    orm.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId)).run();
    for (const codeHash of hashes) orm.insert(recoveryCodes).values({ accountId, codeHash }).run();
  }

  return {
    async byAccount(accountId) {
      const row = orm.select().from(secondFactors).where(ofAccount(accountId)).get();
      return (
        row && {
          sealed: new Uint8Array(row.sealed),
          isConfirmed: row.isConfirmed,
          sessionId: row.sessionId as SessionId,
          createdAt: row.createdAt as Instant,
        }
      );
    },
    async begin({ id, accountId }, sealed, now) {
      const begun = { sealed: Buffer.from(sealed), sessionId: id, createdAt: now };
      const values = { ...begun, isConfirmed: false, lastStep: 0 };
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
        const isTheirs = and(ofAccount(accountId), eq(secondFactors.sessionId, id));
        const isBegun = and(isTheirs, eq(secondFactors.isConfirmed, false));
        const values = { isConfirmed: true, lastStep: step };
        const row = orm.update(secondFactors).set(values).where(isBegun).returning().get();
        if (row !== undefined) replaceRecovery(accountId, recoveryHashes);
        return row !== undefined;
      }),
    async spendStep(accountId, step) {
      const isUnspent = and(
        ofAccount(accountId),
        eq(secondFactors.isConfirmed, true),
        lt(secondFactors.lastStep, step),
      );
      const set = { lastStep: step };
      return orm.update(secondFactors).set(set).where(isUnspent).returning().get() !== undefined;
    },
    async spendRecovery(accountId, codeHash) {
      const isWanted = and(eq(recoveryCodes.accountId, accountId), eq(recoveryCodes.codeHash, codeHash));
      return orm.delete(recoveryCodes).where(isWanted).returning().get() !== undefined;
    },
    async recoveryLeft(accountId) {
      const isTheirs = eq(recoveryCodes.accountId, accountId);
      return orm.select({ rows: count() }).from(recoveryCodes).where(isTheirs).get()?.rows ?? 0;
    },
    replaceRecovery: (accountId, hashes) => transact(database, () => replaceRecovery(accountId, hashes)),
    remove: (accountId) =>
      transact(database, () => {
        replaceRecovery(accountId, []);
        return orm.delete(secondFactors).where(ofAccount(accountId)).returning().get() !== undefined;
      }),
  };
}
