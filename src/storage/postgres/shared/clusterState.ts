import { sql } from 'drizzle-orm';
import type { UsedFormStore } from '../../../model/ports/session.ts';
import type { SharedState } from '../../storage.ts';
import type { Database } from '../connect.ts';
import type { ConnectToPrimary } from '../failover.ts';
import { withFailures } from '../failures.ts';
import type { FindStall } from '../standbys.ts';
import { createAttemptStore } from './attempts.ts';
import { createJobLocks, LOCK_SESSION_PARAMETERS } from './jobLocks.ts';

/** Maximum number of tokens that one call deletes. */
const PURGE_SIZE = 1000;
/** Maximum number of tokens that remain after a complete purge, about 100 bytes each. Older tokens are deleted. */
const CAPACITY = 100_000;

/** The store of used forms that all nodes share, in a table. */
export function createUsedFormStore({ orm }: Database): UsedFormStore {
  return {
    async use(token, now) {
      const rows = await orm.execute(sql`
        INSERT INTO used_forms (token, used_at) VALUES (${token}, ${now}::bigint)
        ON CONFLICT DO NOTHING RETURNING 1`);
      return rows.length === 1;
    },
    async purge(before) {
      const rows = await orm.execute(sql`
        DELETE FROM used_forms WHERE token IN (
          SELECT token FROM used_forms
          WHERE used_at < GREATEST(
            ${before}::bigint,
            (SELECT used_at FROM used_forms ORDER BY used_at DESC OFFSET ${CAPACITY - 1} LIMIT 1)
          )
          LIMIT ${PURGE_SIZE} FOR UPDATE SKIP LOCKED)
        RETURNING 1`);
      return rows.length;
    },
  };
}

/** The state that the nodes on one database share, apart from the stores. */
type ClusterState = SharedState & { readonly close: () => Promise<void> };

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
