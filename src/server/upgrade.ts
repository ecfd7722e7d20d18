import type { UpgradeCopy } from '../backup/upgradeCopy.ts';
import type { MigrationReport } from '../model/system.ts';
import type { FileEngine, StorageEngine } from '../storage/storage.ts';
import { version } from '../version.ts';

export type { UpgradeCopy };

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
