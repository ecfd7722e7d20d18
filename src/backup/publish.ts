import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** The name of an unfinished backup. It contains the id of the installation, so that only its own backups delete the file. */
const TEMPORARY = /^\.postern-([0-9a-f]{8})-[0-9a-f]{16}\.tmp$/;

/** @returns the path of an unfinished backup in the folder of `file` */
export function temporaryName(file: string, installation: string, random: string): string {
  return join(dirname(file), `.postern-${installation}-${random}.tmp`);
}

/** Deletes the unfinished backups of killed processes in the folder of `file`. No other backup of this installation may be running. */
export function deleteLeftovers(file: string, installation: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    if (TEMPORARY.exec(name)?.[1] === installation) rmSync(join(folder, name), { force: true });
  }
}

/** @throws if a file, folder, or link with this path exists */
export function checkMissing(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw new Error(`${file} already exists`);
}

/** Creates hard links; tests replace it. */
export type Links = { readonly link: (from: string, to: string) => void };

/** Error codes of file systems without hard links, such as FAT, and of some network file systems. */
const UNSUPPORTED = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives a complete file its final name, without replacing an existing file. @throws if the final name exists */
export function publish(temporary: string, file: string, { link }: Links = { link: linkSync }): void {
  try {
    link(temporary, file);
    rmSync(temporary);
  } catch (error) {
    const code = String((error as { readonly code?: unknown }).code);
    if (code === 'EEXIST') throw new Error(`${file} already exists`, { cause: error });
    if (!UNSUPPORTED.includes(code)) throw error;
    replaceEmpty(temporary, file);
  }
  flushFolder(dirname(file));
}

/** Gives a complete file its final name, and replaces an existing file. */
export function replace(temporary: string, file: string): void {
  renameSync(temporary, file);
  flushFolder(dirname(file));
}

/** For file systems without hard links: a process that is killed between the two calls leaves an empty file. */
function replaceEmpty(temporary: string, file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    throw new Error(`${file} already exists`, { cause });
  }
  renameSync(temporary, file);
}

function flushFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
