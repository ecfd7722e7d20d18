import { desc, sql } from 'drizzle-orm';
import type { Instant } from '../../../lib/time.ts';
import type { SigningKey, SigningKeyStore } from '../../../model/ports/signingKey.ts';
import type { MainDatabase } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { signingKeys } from '../schema.ts';

/** @see SigningKeyStore */
export function createSigningKeyStore({ orm, raw }: MainDatabase, change: Change): SigningKeyStore {
  // The order of the rows, because the clock may have been set back. Prepared, because servers list the keys after every write.
  const list = orm.select().from(signingKeys).orderBy(desc(sql`rowid`)).prepare();

  const add: SigningKeyStore['addAfterLoss'] = (key, entry) =>
    change(entry, () => {
      orm.insert(signingKeys).values(key).run();
      return true;
    });

  return {
    async list() {
      return list.all();
    },
    async add(key, entry) {
      await add(key, entry);
    },
    addAfterLoss: add,
    async replaceAll(key, entry) {
      await change(entry, () => {
        replaceSigningKeys(orm, key);
        return true;
      });
    },
    async prune(replacedBefore) {
      const prune = raw.query<unknown, [Instant]>(`
        DELETE FROM signing_keys WHERE EXISTS (
          SELECT 1 FROM signing_keys newer
          WHERE newer.created_at <= ? AND newer.rowid > signing_keys.rowid)`);
      return prune.run(replacedBefore).changes;
    },
  };
}

/** Deletes all signing keys and adds one, inside a transaction. */
export function replaceSigningKeys(orm: MainDatabase['orm'], key: SigningKey): void {
  orm.delete(signingKeys).run();
  orm.insert(signingKeys).values(key).run();
}
