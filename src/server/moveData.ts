import type { DatabaseUrl } from '../model/databaseUrl.ts';
import type { MovedTable } from '../storage/move/side.ts';
import { type EngineSettings, sqliteEngine } from './storage.ts';
import { type OnUpgrade, upgrade } from './upgrade.ts';

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
