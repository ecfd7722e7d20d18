import type { Config } from '../config.ts';
import { lazyAsync } from '../lib/lazy.ts';
import type { DatabaseLocation } from '../storage/postgres/connect.ts';
import type { PostgresEngine } from '../storage/postgres/engine.ts';
import type { DatabaseFacts } from '../storage/postgres/examine.ts';
import type { ListedNode } from '../storage/postgres/nodes.ts';
import { PoolerError } from '../storage/postgres/poolerError.ts';
import { CONNECTIONS_PER_NODE } from '../storage/postgres/poolSizes.ts';
import { describeConflict, describeServer, findConflict } from '../storage/postgres/serverStates.ts';
import { describeStandbyProblem } from '../storage/postgres/standbys.ts';
import { createSqliteEngine } from '../storage/sqlite/engine.ts';
import type { StorageEngine } from '../storage/storage.ts';

export {
  CONNECTIONS_PER_NODE,
  type DatabaseFacts,
  describeConflict,
  describeServer,
  describeStandbyProblem,
  findConflict,
  type ListedNode,
  PoolerError,
  type PostgresEngine,
};

/** The engine for the databases of a data folder. */
export const sqliteEngine = createSqliteEngine();

/** The settings that select the storage engine. */
export type EngineSettings = Partial<Pick<Config, 'database' | 'databasePassword' | 'databaseCaFile'>>;

/** @returns PostgreSQL if a database is configured, otherwise SQLite */
export function selectEngine(settings: EngineSettings): StorageEngine {
  return postgresEngine(settings) ?? sqliteEngine;
}

/** @returns undefined if no database is configured */
export function postgresEngine({
  database,
  databasePassword,
  databaseCaFile,
}: EngineSettings): PostgresEngine | undefined {
  if (database === undefined) return undefined;
  return loadPostgresEngine({ url: database, password: databasePassword, caFile: databaseCaFile });
}

/** Loads the engine at its first use, because most installations do not need its modules. Checks for a pooler before other uses. */
function loadPostgresEngine(location: DatabaseLocation): PostgresEngine {
  const loadUnchecked = lazyAsync(async () => {
    const { createPostgresEngine } = await import('../storage/postgres/engine.ts');
    return createPostgresEngine(location);
  });
  const load = lazyAsync(async () => {
    const { rejectPooler } = await import('../storage/postgres/pooler.ts');
    await rejectPooler(location);
    return loadUnchecked();
  });
  return {
    open: async (options) => (await load()).open(options),
    inspect: async (dataDir) => (await load()).inspect(dataDir),
    migrate: async (dataDir) => (await load()).migrate(dataDir),
    pendingMigrations: async (dataDir) => (await load()).pendingMigrations(dataDir),
    examine: async () => (await load()).examine(),
    readServers: async () => (await loadUnchecked()).readServers(),
  };
}
