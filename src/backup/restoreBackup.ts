import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Instant, instantFromIso, systemClock, toIso } from '../lib/time.ts';
import type { BackupEngine } from '../storage/storage.ts';
import { type FileSink, readArchive } from './archive.ts';
import { COPIES_FOLDER } from './createBackup.ts';
import { decryptIfEncrypted } from './encryption.ts';
import type { Manifest } from './manifest.ts';
import { appendTo, BackupFileError, type Bytes } from './streams.ts';

/** The subfolder of the data folder that contains the restored databases until they are complete. */
const STAGING_FOLDER = 'restore.tmp';

/** Entries of a data folder that contain no data: the lock, temporary folders, and a folder of ext4 file systems. */
const NO_DATA = ['postern.lock', STAGING_FOLDER, COPIES_FOLDER, 'lost+found'];

export type RestoreOptions = {
  readonly engine: BackupEngine;
  /** Created if it is missing. */
  readonly dataDir: string;
  readonly backup: Bytes;
  readonly passphrase: string | undefined;
  /** Moves the databases of a folder that is not empty into a subfolder. */
  readonly isForced: boolean;
  /**
   * Migrates the restored databases and makes them safe to use, before they replace the others.
   *
   * @param folder contains the restored databases
   */
  readonly prepare: (folder: string, createdAt: Instant) => Promise<void>;
  readonly clock?: Clock;
};

export type Restored = {
  /** When the backup was created. */
  readonly createdAt: Instant;
  /** Schema version of the main database in the backup. */
  readonly schema: number;
  /** Size of the databases in the backup. */
  readonly bytes: number;
  readonly isEncrypted: boolean;
  /** The subfolder that contains the old databases; undefined if there were none. */
  readonly movedTo: string | undefined;
};

/**
 * Replaces the databases of a data folder with those of a backup. The whole backup is checked before anything is replaced.
 *
 * @throws BackupFileError if the backup is damaged, newer than this program, or cannot be decrypted
 * @throws if a process uses the data folder, or the folder is not empty and `isForced` is false
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { engine, dataDir, isForced, clock = systemClock } = options;
  const isNew = !existsSync(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = engine.lock(dataDir, 'restore');
  const staging = join(dataDir, STAGING_FOLDER);
  let isRestored = false;
  try {
    if (!isForced) checkEmpty(dataDir);
    rmSync(join(dataDir, COPIES_FOLDER), { recursive: true, force: true });
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { mode: 0o700 });
    const { manifest, isEncrypted } = await extract(options, staging);
    const createdAt = instantFromIso(manifest.createdAt) ?? clock();
    checkDatabases(engine, staging, manifest);
    await options.prepare(staging, createdAt);
    const movedName = `replaced-${toIso(clock()).replace(/[:.]/g, '-')}`;
    const hadDatabases = engine.replace(dataDir, STAGING_FOLDER, movedName);
    isRestored = true;
    return {
      createdAt,
      schema: manifest.files[0]?.schema ?? 0,
      bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
      isEncrypted,
      movedTo: hadDatabases ? join(dataDir, movedName) : undefined,
    };
  } finally {
    rmSync(staging, { recursive: true, force: true });
    lock.release();
    if (isNew && !isRestored) rmSync(dataDir, { recursive: true, force: true });
  }
}

function checkEmpty(dataDir: string): void {
  const [found] = readdirSync(dataDir).filter((name) => !NO_DATA.includes(name));
  if (found === undefined) return;
  throw new Error(
    `${dataDir} is not empty: it contains ${found}; with --force, the databases in it are moved to a subfolder and replaced`,
  );
}

async function extract({ engine, backup, passphrase }: RestoreOptions, staging: string) {
  const { bytes, isEncrypted } = await decryptIfEncrypted(backup, passphrase);
  const check = (manifest: Manifest) => checkSchemas(engine, manifest);
  return {
    manifest: await readArchive(bytes, check, (name) => createFile(join(staging, name))),
    isEncrypted,
  };
}

/** @throws BackupFileError if this program does not know one of the databases or its schema version */
function checkSchemas({ newestSchemas }: BackupEngine, { files, program }: Manifest): void {
  const known = Object.keys(newestSchemas);
  const names = files.map(({ name }) => name);
  const isComplete = names[0] === known[0] && new Set(names).size === names.length;
  if (!isComplete || names.some((name) => !known.includes(name)))
    throw new BackupFileError('the manifest does not list the databases of Postern');
  for (const { name, schema } of files) {
    const newest = newestSchemas[name] ?? 0;
    if (schema <= newest) continue;
    throw new BackupFileError(
      `${name} has schema version ${schema}, but this version of Postern supports only ${newest} and earlier; use Postern ${program} or newer`,
    );
  }
}

function checkDatabases(engine: BackupEngine, staging: string, { files }: Manifest): void {
  try {
    engine.check(staging, files);
  } catch (cause) {
    throw new BackupFileError(`the file is damaged: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

async function createFile(path: string): Promise<FileSink> {
  const handle = await open(path, 'wx', 0o600);
  return { write: (chunk) => appendTo(handle, chunk), close: () => handle.close() };
}
