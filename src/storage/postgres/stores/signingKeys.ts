import { desc, lte, max, sql } from 'drizzle-orm';
import type { SigningKey, SigningKeyStore } from '../../../model/ports/signingKey.ts';
import type { Database } from '../connect.ts';
import { ACCEPT_ORIGIN } from '../ledger/origin.ts';
import { lock } from '../locks.ts';
import type { Changes } from '../recordedChange.ts';
import { signingKeys } from '../schema.ts';
import { announceChange, type Executor, transact } from '../transact.ts';

/** @see SigningKeyStore */
export function createSigningKeyStore(database: Database, { invalidate }: Changes): SigningKeyStore {
  const { fingerprint, secret, createdAt, number } = signingKeys;
  return {
    // In the order of their numbers, because the clock may have been set back.
    list: async () =>
      database.orm.select({ fingerprint, secret, createdAt }).from(signingKeys).orderBy(desc(number)),
    async add(key, entry) {
      await invalidate(entry, async (tx) => {
        await tx.insert(signingKeys).values(key);
        return true;
      });
    },
    addAfterLoss: (key, entry) =>
      invalidate(entry, async (tx) => {
        await tx.execute(lock('claims-purge'));
        const accepted = await tx.execute(sql.raw(ACCEPT_ORIGIN));
        if (accepted.length === 0) return false;
        await tx.insert(signingKeys).values(key);
        return true;
      }),
    async replaceAll(key, entry) {
      await invalidate(entry, async (tx) => {
        await replaceSigningKeys(tx, key);
        return true;
      });
    },
    prune: (replacedBefore) =>
      transact(database, async (tx) => {
        const newest = tx
          .select({ number: max(number) })
          .from(signingKeys)
          .where(lte(createdAt, replacedBefore));
        const replaced = sql`${number} < (${newest})`;
        const deleted = await tx.delete(signingKeys).where(replaced).returning({ number });
        if (deleted.length > 0) await announceChange(tx);
        return deleted.length;
      }),
  };
}

/** Deletes all signing keys and adds one, inside a transaction. */
export async function replaceSigningKeys(tx: Executor, key: SigningKey): Promise<void> {
  await tx.delete(signingKeys);
  await tx.insert(signingKeys).values(key);
}
