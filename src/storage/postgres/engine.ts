import { sql } from 'drizzle-orm';
import { type Closing, closeAfter, closeOnFailure, createClosing } from '../../lib/closing.ts';
import type { Storage, StorageEngine, StorageOptions } from '../storage.ts';
import { subscribeToChanges } from './announcements.ts';
import { connect, type Database, type DatabaseLocation, type PoolOptions } from './connect.ts';
import { openCountExchange } from './countExchange.ts';
import { createPostgresStores } from './createStores.ts';
import { type DatabaseFacts, examine, measure, readSizes } from './facts.ts';
import { connectToPrimary } from './failover.ts';
import { toStoreFailure, withFailures } from './failures.ts';
import { inspect, pendingMigrations, runMigrations } from './inspect.ts';
import { openLedger } from './ledger/ledger.ts';
import { createOpenConnection } from './ledger/openConnection.ts';
import { migrate } from './migrate.ts';
import { createNodeStore } from './nodes.ts';
import { LOOKUP_POOL_SIZE, POOL_SIZE } from './poolSizes.ts';
import type { ServerState } from './serverStates.ts';
import { createServers } from './servers.ts';
import { createClusterState } from './shared/clusterState.ts';
import { createFindStall } from './standbys.ts';

/** The oldest supported version, in the format of `server_version_num`. */
const OLDEST_VERSION = 140_000;

export type PostgresEngine = StorageEngine & {
  /** Examines the server without changing anything. @throws if the database cannot be used */
  readonly examine: () => Promise<DatabaseFacts>;
  /** Queries all servers of the URL. Never rejects. */
  readonly readServers: () => Promise<readonly ServerState[]>;
};

/** PostgreSQL: one database that several nodes share. */
export function createPostgresEngine(location: DatabaseLocation): PostgresEngine {
  /** Runs work on a new connection, and then closes it. */
  async function once<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const primary = await createServers(location).find();
    const database = connect(primary.location, { max: 1 });
    return closeAfter(database.close, async () => {
      try {
        await checkServer(database);
        return await work(database);
      } catch (error) {
        throw toStoreFailure(error);
      }
    });
  }
  return {
    open: (options) => openPostgres(location, options),
    inspect: () => once(inspect),
    migrate: () => once(runMigrations),
    pendingMigrations: () => once(pendingMigrations),
    examine: () => once(examine),
    readServers: () => createServers(location).read(),
  };
}

function openPostgres(location: DatabaseLocation, options: StorageOptions): Promise<Storage> {
  const closing = createClosing();
  return closeOnFailure(closing.close, () => openParts(location, options, closing));
}

async function openParts(
  location: DatabaseLocation,
  options: StorageOptions,
  closing: Closing,
): Promise<Storage> {
  const servers = createServers(location);
  closing.add('server watch', servers.close);
  const primary = await servers.find();
  const connectTo = (pool: PoolOptions) => connectToPrimary(location, servers, primary, pool);
  const database = connectTo({ max: POOL_SIZE });
  const lookups = connectTo({ max: LOOKUP_POOL_SIZE });
  // Both at once, because a connection that is still busy may take seconds.
  closing.add('pools', () => Promise.all([lookups.close(), database.close()]));
  try {
    await checkServer(database);
    await migrate(database);
  } catch (error) {
    throw toStoreFailure(error);
  }
  const { orm } = database;
  const findStall = createFindStall(lookups);
  const stores = createPostgresStores(database, options.defaults, options.onAuditFailure, lookups, findStall);
  const shared = createClusterState(database, connectTo, findStall);
  closing.add('job locks', shared.close);
  return {
    stores,
    shared,
    openCountExchange: () => openCountExchange(connectTo),
    openLedger: (ledger) => openLedger({ ...ledger, open: createOpenConnection(servers, ledger.durability) }),
    ...withFailures({ measure: () => measure(orm), fileSizes: () => readSizes(orm) }, 'read'),
    diskSpace: async () => undefined,
    nodes: withFailures(createNodeStore(orm), 'write', findStall),
    servers: location.url.hosts.length > 1 ? servers : undefined,
    subscribe: (onChange) => subscribeToChanges(servers, onChange),
    close: closing.close,
  };
}

type ServerRow = {
  readonly version: number;
  readonly name: string;
  readonly encoding: string;
  readonly replication_role: string;
};

/** @throws if the version, the encoding, or a setting of the database is not supported */
async function checkServer({ orm }: Database): Promise<void> {
  const [row] = await orm.execute<ServerRow>(sql`
    SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS name,
      current_setting('server_encoding') AS encoding, current_setting('session_replication_role') AS replication_role`);
  if (row === undefined) throw new Error('the database did not report its version');
  if (row.version < OLDEST_VERSION)
    throw new Error(`PostgreSQL ${row.name} is not supported; use PostgreSQL 14 or newer`);
  if (row.encoding !== 'UTF8') {
    throw new Error(
      `the database has the encoding ${row.encoding}; create a database with the encoding UTF8`,
    );
  }
  // Only superusers may change it, so connections cannot set it.
  if (row.replication_role !== 'origin') {
    throw new Error(
      `the database does not check references between tables: session_replication_role is ${row.replication_role}; reset it for the role and the database`,
    );
  }
}
