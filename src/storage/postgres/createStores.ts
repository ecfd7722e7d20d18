import type { Quotas } from '../../model/plan.ts';
import { createStores } from '../createStores.ts';
import { type Builders, type Executor, type StoreDatabase, toExecutor } from '../executor.ts';
import { mapMethods } from '../methods.ts';
import type { OnAuditFailure, Stores } from '../storage.ts';
import type { Database } from './connect.ts';
import { postgresDialect } from './dialect.ts';
import { reportFailures } from './failures.ts';
import { lock } from './locks.ts';
import { createFindStall } from './standbys.ts';

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

/** Runs several queries in a read-only transaction on one snapshot of the database, which does not include later commits. */
export function snapshot<T>({ orm }: Database, work: (tx: Builders) => Promise<T>): Promise<T> {
  return orm.transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}

/** Returns the main database for stores. The management writes of all nodes run one after another. */
export function createStoreDatabase(database: Database): StoreDatabase {
  const { orm, inTurn } = database;
  return {
    orm: withDialect(orm),
    transact: (work) =>
      inTurn(() =>
        orm.transaction(async (tx) => {
          await tx.execute(lock('management'));
          return work(withDialect(tx));
        }),
      ),
    transactConcurrently: (work) => orm.transaction((tx) => work(withDialect(tx))),
    snapshot: (work) => snapshot(database, (tx) => work(withDialect(tx))),
  };
}

function withDialect(builders: Builders): Executor {
  return toExecutor(builders, postgresDialect, (work) =>
    builders.transaction((inner) => work(withDialect(inner))),
  );
}
