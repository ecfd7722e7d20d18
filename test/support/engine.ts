import type { Database } from 'bun:sqlite';
import { createSqliteEngine, type Threads } from '../../src/storage/sqlite/engine.ts';
import type { StorageEngine } from '../../src/storage/storage.ts';

/** The SQLite engine with access to the connection that it opened last. */
export function createTestEngine(threads: Threads = {}): StorageEngine & { readonly raw: () => Database } {
  const sqlite = createSqliteEngine(threads);
  let raw: Database | undefined;
  return {
    ...sqlite,
    async open(options) {
      const storage = await sqlite.open(options);
      raw = storage.database.raw;
      return storage;
    },
    raw() {
      if (raw === undefined) throw new Error('the database is not open');
      return raw;
    },
  };
}
