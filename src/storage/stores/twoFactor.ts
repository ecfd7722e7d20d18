import { and, eq, lt, type SQL } from 'drizzle-orm';
import type { AccountId } from '../../model/account.ts';
import type { TwoFactorStore } from '../../model/ports/account.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { countRows, hasRow } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { recoveryCodes, sessions, twoFactorSecrets } from '../schema.ts';

const isOf = (accountId: AccountId) => eq(twoFactorSecrets.accountId, accountId);
const hasCodeOf = (accountId: AccountId) => eq(recoveryCodes.accountId, accountId);

/** @see TwoFactorStore */
export function createTwoFactorStore({ orm }: StoreDatabase, { change }: Changes): TwoFactorStore {
  return {
    async byAccount(accountId) {
      const { sealed, isConfirmed, sessionId, createdAt } = twoFactorSecrets;
      const columns = { sealed, isConfirmed, sessionId, createdAt };
      return (await orm.select(columns).from(twoFactorSecrets).where(isOf(accountId)))[0];
    },
    async start({ id, accountId }, sealed, now) {
      const values = { sealed, sessionId: id, createdAt: now, isConfirmed: false, lastStep: 0 };
      await orm
        .insert(twoFactorSecrets)
        .values({ accountId, ...values })
        .onConflictDoUpdate({
          target: twoFactorSecrets.accountId,
          set: values,
          setWhere: eq(twoFactorSecrets.isConfirmed, false),
        });
    },
    confirm: ({ id, accountId }, step, recoveryHashes, entry) =>
      change(entry, async (tx) => {
        const isOpen = and(eq(twoFactorSecrets.sessionId, id), eq(twoFactorSecrets.isConfirmed, false));
        const isConfirmed = await update(tx, accountId, isOpen, { isConfirmed: true, lastStep: step });
        if (isConfirmed) await replaceRecoveryCodes(tx, accountId, recoveryHashes);
        return isConfirmed;
      }),
    useStep(accountId, step) {
      const isUnused = and(eq(twoFactorSecrets.isConfirmed, true), lt(twoFactorSecrets.lastStep, step));
      return update(orm, accountId, isUnused, { lastStep: step });
    },
    useRecoveryCode: (accountId, codeHash, entry) =>
      change(entry, async (tx) => {
        const isCode = and(hasCodeOf(accountId), eq(recoveryCodes.codeHash, codeHash));
        return (await tx.delete(recoveryCodes).where(isCode).returning()).length > 0;
      }),
    countRecoveryCodes: (accountId) => countRows(orm, recoveryCodes, hasCodeOf(accountId)),
    replaceRecoveryCodes: (accountId, hashes, entry) =>
      change(entry, async (tx) => {
        const isOn = and(isOf(accountId), eq(twoFactorSecrets.isConfirmed, true));
        if (!(await hasRow(tx, twoFactorSecrets, isOn))) return false;
        await replaceRecoveryCodes(tx, accountId, hashes);
        return true;
      }),
    remove: (accountId, entry) => change(entry, (tx) => remove(tx, accountId)),
    reset: (accountId, entry) =>
      change(entry, async (tx) => {
        await tx.delete(sessions).where(eq(sessions.accountId, accountId));
        return remove(tx, accountId);
      }),
  };
}

async function update(
  orm: Executor,
  accountId: AccountId,
  condition: SQL | undefined,
  values: Partial<typeof twoFactorSecrets.$inferInsert>,
): Promise<boolean> {
  const updated = orm
    .update(twoFactorSecrets)
    .set(values)
    .where(and(isOf(accountId), condition));
  return (await updated.returning({ accountId: twoFactorSecrets.accountId })).length > 0;
}

async function replaceRecoveryCodes(tx: Executor, accountId: AccountId, hashes: readonly string[]) {
  await tx.delete(recoveryCodes).where(hasCodeOf(accountId));
  const rows = hashes.map((codeHash) => ({ accountId, codeHash }));
  if (rows.length > 0) await tx.insert(recoveryCodes).values(rows);
}

async function remove(tx: Executor, accountId: AccountId): Promise<boolean> {
  await replaceRecoveryCodes(tx, accountId, []);
  return (await tx.delete(twoFactorSecrets).where(isOf(accountId)).returning()).length > 0;
}
