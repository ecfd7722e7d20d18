import { createSqliteEngine } from '../storage/sqlite/engine.ts';
import type { StorageEngine } from '../storage/storage.ts';

/** The storage engine of this program. */
export const storageEngine: StorageEngine = createSqliteEngine();
