import type { Quotas } from '../../model/plan.ts';
import { METHODS, mapMethods } from '../methods.ts';
import type { OnAuditFailure, Stores } from '../storage.ts';
import type { Database } from './connect.ts';
import { reportFailures } from './failures.ts';
import { createChanges } from './recordedChange.ts';
import { createAuditStore } from './stores/audit.ts';
import { createSigningKeyStore } from './stores/signingKeys.ts';

/** Stores that are not written yet; the engine is not selectable before they are. */
const MISSING = Object.fromEntries(Object.keys(METHODS).map((name) => [name, {}]));

/**
 * Creates all stores on one pool of connections.
 *
 * @param defaults the quotas of the default plan until it is set
 * @param onAuditFailure see StorageOptions
 */
export function createStores(
  database: Database,
  _defaults: Quotas,
  onAuditFailure: OnAuditFailure = () => {},
): Stores {
  const changes = createChanges(database, onAuditFailure);
  const stores = {
    ...MISSING,
    audit: createAuditStore(database),
    signingKeys: createSigningKeyStore(database, changes),
  } as unknown as Stores;
  return mapMethods(stores, reportFailures);
}
