import type { Config } from '../config.ts';
import {
  CONNECTIONS_PER_NODE,
  createPostgresEngine,
  type PostgresEngine,
} from '../storage/postgres/engine.ts';
import type { DatabaseFacts } from '../storage/postgres/examine.ts';
import { createSqliteEngine } from '../storage/sqlite/engine.ts';
import type { StorageEngine } from '../storage/storage.ts';

export { CONNECTIONS_PER_NODE, type DatabaseFacts, type PostgresEngine };

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
  return createPostgresEngine({ url: database, password: databasePassword, caFile: databaseCaFile });
}
