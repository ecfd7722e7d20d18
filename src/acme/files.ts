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

/** The files that belong to one CA. All of them have mode 0600, and their folder has mode 0700. */
export type AcmeFiles = {
  readonly folder: string;
  /** @returns undefined if the file does not exist */
  readonly read: (file: AcmeFile) => string | undefined;
  /** Replaces a file in one step, and returns after it is on the disk. */
  readonly write: (file: AcmeFile, content: string) => void;
  /** Renames an unusable file instead of deleting it. @returns its new name */
  readonly setAside: (file: AcmeFile) => string;
  readonly remove: (file: AcmeFile) => void;
  /** Deletes temporary files that are older than an hour: a crash interrupted their writes. */
  readonly clean: (now: number) => void;
};

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

/** Creates the folder if it does not exist. @throws if the folder or one of its files cannot be read and written */
export function openAcmeFiles(folder: string): AcmeFiles {
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
    read: (file) => readAcmeFile(folder, file),
    write: (file, content) => writeAtomically(folder, file, content),
    setAside(file) {
      const name = `${file}.damaged`;
      renameSync(at(file), at(name));
      return name;
    },
    remove: (file) => rmSync(at(file), { force: true }),
    clean(now) {
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
