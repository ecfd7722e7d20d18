import { readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reasonOf } from '../lib/log.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { FolderInUseError } from '../storage/sqlite/dataFolder.ts';
import type { FileEngine, PendingUpgrade } from '../storage/storage.ts';
import { type CopyOptions, copyToFile } from './createBackup.ts';

/** The copy of the databases from before an upgrade. `postern restore` reads it. */
export type UpgradeCopy = PendingUpgrade & {
  /** In the data folder. */
  readonly file: string;
  /** Size of the file. */
  readonly bytes: number;
};

export type UpgradeOptions = Pick<CopyOptions, 'dataDir' | 'program'> & { readonly engine: FileEngine };

export type Upgraded = {
  readonly report: Awaited<ReturnType<FileEngine['migrate']>>;
  readonly copy: UpgradeCopy | undefined;
};

/** Number of copies to keep. */
const KEPT = 2;

/** How long a process waits for another one that copies the same databases. */
const LOCK_TIMEOUT_MS = 10 * MINUTE;
const LOCK_RETRY_MS = SECOND / 10;

const NAME = /^before-upgrade-\d+-to-\d+\.tar$/;

/** Returns the path of the copy that an upgrade keeps. */
export function upgradeCopyPath(dataDir: string, { from, to }: PendingUpgrade): string {
  return join(resolve(dataDir), `before-upgrade-${from}-to-${to}.tar`);
}

/**
 * Migrates the databases of a data folder after it has copied them to a file in the folder with mode 0600. The file replaces an earlier
 * copy from before the same migrations, and the older copies are deleted, except for one. It is not encrypted, because it is next to the
 * databases, and does not count as a backup, because it is lost together with them.
 *
 * @returns `copy` is undefined if another process has migrated the databases in the meantime
 * @throws if the databases cannot be copied; then they are not migrated
 */
export async function migrateKeepingCopy(options: UpgradeOptions): Promise<Upgraded> {
  const { engine, dataDir } = options;
  // Held until the databases are migrated, so that only one of several processes that start at the same time copies them.
  const lock = await waitForLock(engine, dataDir);
  try {
    const upgrade = engine.pendingUpgrade(dataDir);
    const copy = upgrade && (await createCopy(options, upgrade));
    const report = await engine.migrate(dataDir);
    if (copy !== undefined) deleteOld(dataDir);
    return { report, copy };
  } finally {
    lock.release();
  }
}

async function createCopy(options: UpgradeOptions, upgrade: PendingUpgrade): Promise<UpgradeCopy> {
  const file = upgradeCopyPath(options.dataDir, upgrade);
  try {
    const { bytes } = await copyToFile(
      { ...options, engine: options.engine.backup, passphrase: undefined, isKeptInDataFolder: true },
      file,
    );
    return { ...upgrade, file, bytes };
  } catch (cause) {
    throw new Error(
      `the databases were not migrated, because the copy from before the upgrade could not be created: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

/** Waits until no other process copies the databases. @throws FolderInUseError after the time limit */
async function waitForLock({ backup }: FileEngine, dataDir: string) {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return backup.lock(dataDir, 'backup');
    } catch (error) {
      if (!(error instanceof FolderInUseError) || performance.now() > deadline) throw error;
      await Bun.sleep(LOCK_RETRY_MS);
    }
  }
}

function deleteOld(dataDir: string): void {
  const copies = readdirSync(dataDir)
    .filter((name) => NAME.test(name))
    .map((name) => ({ path: join(dataDir, name), createdAt: statSync(join(dataDir, name)).mtimeMs }));
  const old = copies.toSorted((a, b) => b.createdAt - a.createdAt).slice(KEPT);
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
}
