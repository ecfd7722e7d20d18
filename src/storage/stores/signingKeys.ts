import { desc, lte, sql } from 'drizzle-orm';
import type { SigningKey, SigningKeyStore } from '../../model/ports/installation.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { prepared } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { signingKeys } from '../schema.ts';

/** Servers list the keys after every write. */
const selectAll = prepared((orm) => orm.select().from(signingKeys).orderBy(desc(orm.engine.rowNumber)));

/** @see SigningKeyStore */
export function createSigningKeyStore(database: StoreDatabase, { invalidate }: Changes): SigningKeyStore {
  // In the order of the rows, because the clock may have been set back.
  const { rowNumber } = database.orm.engine;
  const { createdAt } = signingKeys;
  return {
    list: () => selectAll(database.orm, {}),
    async add(key, entry) {
      await invalidate(entry, async (tx) => {
        await tx.insert(signingKeys).values(key);
        return true;
      });
    },
    addAfterLoss: (key, entry) =>
      invalidate(entry, async (tx) => {
        if (!(await tx.engine.acceptLoss(tx))) return false;
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
      database.transact(async (tx) => {
        const newest = tx
          .select({ newest: sql`max(${rowNumber})` })
          .from(signingKeys)
          .where(lte(createdAt, replacedBefore));
        const replaced = sql`${rowNumber} < (${newest})`;
        const deleted = await tx.delete(signingKeys).where(replaced).returning({ createdAt });
        if (deleted.length > 0) await tx.engine.announceChange(tx);
        return deleted.length;
      }),
  };
}

/** Deletes all signing keys and adds one, inside a transaction. */
export async function replaceSigningKeys(tx: Executor, key: SigningKey): Promise<void> {
  await tx.delete(signingKeys);
  await tx.insert(signingKeys).values(key);
}
