import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { CLAIMS_FILE, MAIN_FILE } from '../open.ts';

/** The databases of a data folder, in the order in which a backup copies them. */
export const DATABASE_FILES = [MAIN_FILE, CLAIMS_FILE] as const;

/** All files that belong to the databases. */
export const STORAGE_FILES = DATABASE_FILES.flatMap((name) => [name, `${name}-wal`, `${name}-shm`]);

/** Flushes a file, or the entries of a folder, to the disk. @throws if it cannot be opened or written */
export function flushToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Moves files, and flushes both folders to the disk. */
export function moveFiles(names: readonly string[], from: string, to: string): void {
  for (const name of names) renameSync(`${from}/${name}`, `${to}/${name}`);
  flushToDisk(to);
  flushToDisk(from);
}
