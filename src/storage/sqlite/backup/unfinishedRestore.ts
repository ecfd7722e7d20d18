import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flushToDisk } from './files.ts';

/** Exists while a restore replaces the databases. */
const UNFINISHED_RESTORE_FILE = 'restore-unfinished';

const EXPLANATION = 'a restore of this folder was interrupted; run "postern restore FILE --force" again';

/** @throws if a restore has replaced only some of the databases */
export function checkNoUnfinishedRestore(dataDir: string): void {
  if (existsSync(join(dataDir, UNFINISHED_RESTORE_FILE))) throw new Error(EXPLANATION);
}

/** Runs work that replaces the databases. If the process ends before the work is complete, the data folder cannot be used. */
export function markUnfinishedDuring(dataDir: string, work: () => void): void {
  const marker = join(dataDir, UNFINISHED_RESTORE_FILE);
  try {
    writeFileSync(marker, `${EXPLANATION}\n`, { mode: 0o600 });
    flushToDisk(marker);
    flushToDisk(dataDir);
  } catch (error) {
    // Nothing has been replaced yet.
    rmSync(marker, { force: true });
    throw error;
  }
  work();
  rmSync(marker);
  flushToDisk(dataDir);
}
