import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { movedDataError } from '../movedData.ts';
import { flushToDisk } from './backup/files.ts';

/** Exists if the data of the folder was moved. Contains the new location as a line of text. */
export const MOVED_FILE = 'moved-to';

/** @throws MovedDataError if the data of the folder was moved */
export function checkNotMoved(dataDir: string): void {
  const file = join(dataDir, MOVED_FILE);
  if (!existsSync(file)) return;
  const target = readFileSync(file, 'utf8').trim();
  throw movedDataError('folder', target, 'set POSTERN_DATABASE_URL', `delete the file ${file}`);
}

/** Marks the data of a folder as moved. Durable. @param target where it was moved to, such as `the database postern on db1` */
export function markMoved(dataDir: string, target: string): void {
  const file = join(dataDir, MOVED_FILE);
  try {
    writeFileSync(file, `${target}\n`, { mode: 0o600 });
    flushToDisk(file);
    flushToDisk(dataDir);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** The reverse of `markMoved`. */
export function unmarkMoved(dataDir: string): void {
  rmSync(join(dataDir, MOVED_FILE), { force: true });
  flushToDisk(dataDir);
}
