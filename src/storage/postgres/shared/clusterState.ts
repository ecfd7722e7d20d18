import type { SharedState } from '../../storage.ts';
import type { Database } from '../connect.ts';
import type { ConnectToPrimary } from '../failover.ts';
import { withFailures } from '../failures.ts';
import type { FindStall } from '../standbys.ts';
import { createAttemptStore } from './attempts.ts';
import { createJobLocks, LOCK_SESSION_PARAMETERS } from './jobLocks.ts';
import { createUsedFormStore } from './usedForms.ts';

/** The state that the nodes on one database share, apart from the stores. */
export type ClusterState = SharedState & { readonly close: () => Promise<void> };

/** @param database used for everything except job locks, which have their own connection */
export function createClusterState(
  database: Database,
  connectTo: ConnectToPrimary,
  findStall: FindStall,
): ClusterState {
  const options = { max: 1, parameters: LOCK_SESSION_PARAMETERS };
  const locks = createJobLocks(() => connectTo(options));
  return {
    attempts: withFailures(createAttemptStore(database), 'write', findStall),
    usedForms: withFailures(createUsedFormStore(database), 'write', findStall),
    exclusively: locks.exclusively,
    isClustered: true,
    close: locks.close,
  };
}
