import type { Quotas } from '../../model/plan.ts';
import { createStores } from '../createStores.ts';
import { mapMethods } from '../methods.ts';
import type { OnAuditFailure, Stores } from '../storage.ts';
import type { Database } from './connect.ts';
import { reportFailures } from './failures.ts';
import { createFindStall } from './standbys.ts';
import { createStoreDatabase } from './transact.ts';

/**
 * Creates all stores.
 *
 * @param defaults the quotas of the default plan until it is set
 * @param onAuditFailure see StorageOptions
 * @param lookups the pool for the lookups of the hot path, so that puzzles and verifications do not wait for management data
 */
export function createPostgresStores(
  database: Database,
  defaults: Quotas,
  onAuditFailure: OnAuditFailure = () => {},
  lookups = database,
  findStall = createFindStall(lookups),
): Stores {
  const main = createStoreDatabase(database);
  const stores = createStores(main, defaults, onAuditFailure, createStoreDatabase(lookups));
  return mapMethods(stores, (method) => reportFailures(method, findStall));
}
