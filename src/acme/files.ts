import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { HOUR } from '../lib/time.ts';

/** The files of the ACME client, in the order in which they are created. */
const ACME_FILES = ['account-key.pem', 'state.json', 'certificate.pem'] as const;
export type AcmeFile = (typeof ACME_FILES)[number];

const TEMPORARY = '.tmp';

/**
 * Returns the folder for the files of a CA, below the data folder: `acme/acme-v02.api.letsencrypt.org-directory`. Each CA has
 * its own folder, so a server does not use the certificate of a staging directory after the switch to the real one.
 *
 * @param directory the URL of the CA's directory
 */
export function toAcmeFolder(dataDir: string, directory: string): string {
  const parts = directory.replace(/^https?:\/\//, '').split(/[^a-z0-9.]/i);
  return join(resolve(dataDir), 'acme', parts.filter((part) => part !== '').join('-'));
}

/** @returns the content of a file in the folder; undefined if it does not exist */
export function readAcmeFile(folder: string, file: AcmeFile): string | undefined {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/**
 * Opens the files that belong to one CA. All of them have mode 0600, and their folder, which is created if it does not exist, has mode 0700.
 *
 * @throws if the folder or one of its files cannot be read and written
 */
export function openAcmeFiles(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (file: string) => join(folder, file);
  for (const file of ACME_FILES) {
    if (existsSync(at(file))) closeSync(openSync(at(file), 'r+'));
  }
  // Checks that files can be created, because an order counts toward the CA's limits even if its certificate cannot be stored.
  const probe = at(`probe-${process.pid}${TEMPORARY}`);
  writeFileSync(probe, '', { mode: 0o600 });
  rmSync(probe);
  return {
    folder,
    /** @returns undefined if the file does not exist */
    read: (file: AcmeFile): string | undefined => readAcmeFile(folder, file),
    /** Replaces a file in one step, and returns after it is on the disk. */
    write: (file: AcmeFile, content: string): void => writeAtomically(folder, file, content),
    /** Renames an unusable file instead of deleting it. @returns its new name */
    setAside(file: AcmeFile): string {
      const name = `${file}.damaged`;
      renameSync(at(file), at(name));
      return name;
    },
    remove: (file: AcmeFile): void => rmSync(at(file), { force: true }),
    /** Deletes temporary files that are older than an hour: a crash interrupted their writes. */
    clean(now: number): void {
      for (const name of readdirSync(folder).filter((entry) => entry.endsWith(TEMPORARY))) {
        const modifiedAt = statSync(at(name), { throwIfNoEntry: false })?.mtimeMs ?? now;
        if (modifiedAt < now - HOUR) rmSync(at(name), { force: true });
      }
    },
  };
}

function writeAtomically(folder: string, file: string, content: string): void {
  const temporary = join(folder, `${file}.${process.pid}${TEMPORARY}`);
  try {
    rmSync(temporary, { force: true });
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, join(folder, file));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  // Without this, a power failure could undo the renaming.
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
