import type { Quotas } from '../../model/plan.ts';
import { createStores } from '../createStores.ts';
import { mapMethods } from '../methods.ts';
import type { OnAuditFailure, Stores } from '../storage.ts';
import { createStoreDatabase } from './executor.ts';
import { reportFailures } from './failures.ts';
import type { MainDatabase } from './open.ts';

/**
 * Creates all stores on one connection. Writes block the calling thread until they are on the disk.
 *
 * @param defaults the quotas of the default plan until it is set
 * @param onAuditFailure see StorageOptions
 */
export function createSqliteStores(
  database: MainDatabase,
  defaults: Quotas,
  onAuditFailure: OnAuditFailure = () => {},
): Stores {
  const stores = createRawStores(database, defaults, onAuditFailure);
  return mapMethods(stores, ({ method }) => reportFailures(method));
}

/** Like `createSqliteStores`, but the methods throw the errors of SQLite. @see reportFailures */
export function createRawStores(
  database: MainDatabase,
  defaults: Quotas,
  onAuditFailure: OnAuditFailure = () => {},
): Stores {
  return createStores(createStoreDatabase(database.raw), defaults, onAuditFailure);
}
