import type { UpgradeCopy } from '../backup/upgradeCopy.ts';
import type { Config } from '../config.ts';
import { lazyAsync } from '../lib/lazy.ts';
import type { DatabaseUrl } from '../model/databaseUrl.ts';
import type { MigrationReport } from '../model/system.ts';
import type { MovedTable } from '../storage/move/side.ts';
import type { DatabaseLocation } from '../storage/postgres/connect.ts';
import type { PostgresEngine } from '../storage/postgres/engine.ts';
import { createSqliteEngine } from '../storage/sqlite/engine.ts';
import type { FileEngine, StorageEngine } from '../storage/storage.ts';
import { version } from '../version.ts';

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

/** Loads the engine on first use, because most installations do not need its modules. Checks for a pooler before other uses. */
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

/** Called with the copy after the databases were copied and migrated. */
export type OnUpgrade = (copy: UpgradeCopy) => void;

/**
 * Migrates a storage. If the databases of a data folder have to be migrated, it copies them first.
 *
 * @throws if the storage cannot be used, or the databases cannot be copied; then they are not migrated
 */
export async function migrateStorage(
  engine: StorageEngine,
  dataDir: string,
  onUpgrade: OnUpgrade,
): Promise<MigrationReport> {
  return (await upgrade(engine, dataDir, onUpgrade)) ?? engine.migrate(dataDir);
}

/** Like `migrateStorage`, but does nothing if there is no data folder, or nothing to migrate. */
export async function upgrade(
  engine: StorageEngine,
  dataDir: string,
  onUpgrade: OnUpgrade,
): Promise<MigrationReport | undefined> {
  if (!isFileEngine(engine) || engine.pendingUpgrade(dataDir) === undefined) return undefined;
  // Loaded here because other starts do not need the modules for archives.
  const { migrateKeepingCopy } = await import('../backup/upgradeCopy.ts');
  const { report, copy } = await migrateKeepingCopy({ engine, dataDir, program: version });
  if (copy !== undefined) onUpgrade(copy);
  return report;
}

/** @returns the path of the copy that a migration would keep; undefined if it would keep none */
export async function findUpgradeCopy(engine: StorageEngine, dataDir: string): Promise<string | undefined> {
  if (!isFileEngine(engine)) return undefined;
  const { version: from, newestVersion: to } = (await engine.inspect(dataDir)) ?? {
    version: 0,
    newestVersion: 0,
  };
  if (from === 0 || from >= to) return undefined;
  const { upgradeCopyPath } = await import('../backup/upgradeCopy.ts');
  return upgradeCopyPath(dataDir, { from, to });
}

function isFileEngine(engine: StorageEngine): engine is FileEngine {
  return 'backup' in engine;
}

/** The source and the target of a move: a data folder or a PostgreSQL database. */
export type Move = {
  readonly from: EngineSettings & { readonly dataDir: string };
  readonly to:
    | { readonly folder: string }
    | {
        readonly database: DatabaseUrl;
        readonly password: string | undefined;
        readonly caFile: string | undefined;
      };
  /** Called after each table was copied and compared. */
  readonly onTable: (moved: MovedTable) => void;
  /** @see OnUpgrade */
  readonly onUpgrade: OnUpgrade;
};

/**
 * Copies all data to the other storage engine, and compares every row.
 *
 * @returns the tables with their numbers of rows; undefined if the source and the target have the same engine
 * @throws if the target is not empty, if a server is running, or if a storage cannot be used; then no data is copied
 */
export async function moveData({
  from,
  to,
  onTable,
  onUpgrade,
}: Move): Promise<readonly MovedTable[] | undefined> {
  const { dataDir, database, databasePassword, databaseCaFile } = from;
  // Loaded here because no other command needs these modules.
  const { moveToFolder, moveToPostgres } = await import('../storage/move/move.ts');
  if ('folder' in to) {
    if (database === undefined) return undefined;
    const location = { url: database, password: databasePassword, caFile: databaseCaFile };
    return moveToFolder({ dataDir: to.folder, location, onTable });
  }
  if (database !== undefined) return undefined;
  const location = { url: to.database, password: to.password, caFile: to.caFile };
  await upgrade(sqliteEngine, dataDir, onUpgrade);
  return moveToPostgres({ dataDir, location, onTable });
}
