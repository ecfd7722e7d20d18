import { desc, sql } from 'drizzle-orm';
import type { Instant } from '../../../lib/time.ts';
import type { SigningKeyStore } from '../../../model/ports/signingKey.ts';
import type { MainDatabase } from '../open.ts';
import { signingKeys } from '../schema.ts';

/** @see SigningKeyStore */
export function createSigningKeyStore({ orm, raw }: MainDatabase): SigningKeyStore {
  // Two keys of the same millisecond: the later row is the newer key. Prepared, because the server lists them after every write.
  const newestFirst = [desc(signingKeys.createdAt), desc(sql`rowid`)];
  const list = orm
    .select()
    .from(signingKeys)
    .orderBy(...newestFirst)
    .prepare();

  return {
    async list() {
      return list.all().map((row) => ({
        fingerprint: new Uint8Array(row.fingerprint),
        secret: new Uint8Array(row.secret),
        createdAt: row.createdAt as Instant,
      }));
    },
    async add({ fingerprint, secret, createdAt }) {
      const row = { fingerprint: Buffer.from(fingerprint), secret: Buffer.from(secret), createdAt };
      orm.insert(signingKeys).values(row).run();
    },
    async prune(replacedBefore) {
      const prune = raw.query(`
        DELETE FROM signing_keys WHERE EXISTS (
          SELECT 1 FROM signing_keys newer
          WHERE newer.created_at <= ?
            AND (newer.created_at, newer.rowid) > (signing_keys.created_at, signing_keys.rowid))`);
      return prune.run(replacedBefore).changes;
    },
  };
}
