import { mkdirSync } from 'node:fs';
import { checkNoUnfinishedRestore } from './backup/unfinishedRestore.ts';
import { type FolderLock, lockFolder } from './folderLock.ts';
import { checkNotMoved } from './movedFolder.ts';

/**
 * Creates the data folder if it is missing, and locks it, so that a restore does not replace its files.
 *
 * @throws FolderInUseError if a restore is running, MovedDataError if the data was moved, or another error if a restore was interrupted
 */
export function openFolder(dataDir: string): FolderLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockFolder(dataDir, 'use');
  try {
    checkNoUnfinishedRestore(dataDir);
    checkNotMoved(dataDir);
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}
