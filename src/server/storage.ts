import type { Config } from '../config.ts';
import { createPostgresEngine } from '../storage/postgres/engine.ts';
import { createSqliteEngine } from '../storage/sqlite/engine.ts';
import type { StorageEngine } from '../storage/storage.ts';

/** The engine for the databases of a data folder. */
export const sqliteEngine = createSqliteEngine();

/** The settings that select the storage engine. */
export type EngineSettings = Partial<Pick<Config, 'database' | 'databasePassword' | 'databaseCaFile'>>;

/** @returns PostgreSQL if a database is configured, otherwise SQLite */
export function selectEngine({ database, databasePassword, databaseCaFile }: EngineSettings): StorageEngine {
  if (database === undefined) return sqliteEngine;
  return createPostgresEngine({ url: database, password: databasePassword, caFile: databaseCaFile });
}
