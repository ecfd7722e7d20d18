import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Random, systemRandom } from '../lib/ids.ts';
import { reasonOf } from '../lib/log.ts';
import { type Clock, type Instant, systemClock, toIso } from '../lib/time.ts';
import type { BackupEngine } from '../storage/storage.ts';
import { packArchive, readArchive } from './archive.ts';
import { decryptIfEncrypted, encrypt } from './encryption.ts';
import { type Manifest, type ManifestFile, printManifest } from './manifest.ts';
import { checkMissing, deleteLeftovers, publish, replace, temporaryName } from './publish.ts';
import { appendTo, type Bytes } from './streams.ts';

/** The subfolder of the data folder that contains the copies during a backup. */
export const COPIES_FOLDER = 'backup.tmp';

export type CopyOptions = {
  readonly engine: BackupEngine;
  readonly dataDir: string;
  /** The version of this program. */
  readonly program: string;
  /** Encrypts the backup; undefined for a backup that is not encrypted. */
  readonly passphrase: string | undefined;
  /** Whether the file will be in the data folder, which then needs twice the space. */
  readonly isKeptInDataFolder?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
};

export type BackupOptions = CopyOptions & {
  /** Called if the backup is complete, but the time that `doctor` checks cannot be stored. */
  readonly onNotRecorded: (error: unknown) => void;
};

export type Backup = {
  /** Size of the backup file. */
  readonly bytes: number;
  /** Schema version of the main database. */
  readonly schema: number;
};

/**
 * Creates a backup file of both databases with mode 0600, even while a server uses them. The file gets its name only after it has
 * been written to the disk completely and read again successfully.
 *
 * @param file does not exist; its folder exists
 * @throws if the file exists, another backup is running, a database is damaged, or the disk is full; then no file is left
 */
export async function backUpToFile(options: BackupOptions, file: string): Promise<Backup> {
  const target = resolve(file);
  checkTarget(target);
  return withRecord(options, () => writeCopies(options, target, publish));
}

/**
 * Like `backUpToFile`, but replaces an existing file, and does not count as a backup. The caller holds the lock for backups.
 *
 * @throws if a database is damaged, or the disk is full; in that case, nothing is replaced
 */
export async function copyToFile(options: CopyOptions, file: string): Promise<Backup> {
  const { backup } = await writeCopies(options, resolve(file), replace);
  return backup;
}

/** @param finish gives the complete file its final name */
function writeCopies(
  options: CopyOptions,
  target: string,
  finish: (temporary: string, target: string) => void,
): Promise<Copied> {
  return withCopies(options, async (archive, manifest, installation) => {
    deleteLeftovers(target, installation);
    const random = (options.random ?? systemRandom)(new Uint8Array(8)).toHex();
    const temporary = temporaryName(target, installation, random);
    try {
      const bytes = await writeFile(temporary, archive);
      await checkFile(temporary, manifest, options.passphrase);
      finish(temporary, target);
      return bytes;
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

/**
 * Writes a backup to a stream. The copies are checked, but what the recipient stores is not.
 *
 * @param write resolves when the recipient has accepted the bytes
 */
export function backUpToStream(
  options: BackupOptions,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<Backup> {
  return withRecord(options, () =>
    withCopies(options, async (archive) => {
      let bytes = 0;
      for await (const chunk of archive) {
        bytes += chunk.length;
        await write(chunk);
      }
      return bytes;
    }),
  );
}

function checkTarget(target: string): void {
  checkMissing(target);
  const folder = statSync(dirname(target), { throwIfNoEntry: false });
  if (!folder?.isDirectory()) throw new Error(`the folder ${dirname(target)} does not exist`);
}

type Copied = { readonly backup: Backup; readonly createdAt: Instant };

/** Locks the data folder while `work` runs, and then stores the time of the backup. */
async function withRecord(options: BackupOptions, work: () => Promise<Copied>): Promise<Backup> {
  const { engine, dataDir } = options;
  // Fails without a database. The lock would create a file.
  engine.identify(dataDir);
  const lock = engine.lock(dataDir, 'backup');
  try {
    const { backup, createdAt } = await work();
    record(options, createdAt);
    return backup;
  } finally {
    lock.release();
  }
}

/** Copies the databases, and passes the archive to `work`, which returns its size. */
async function withCopies(
  options: CopyOptions,
  work: (archive: Bytes, manifest: Manifest, installation: string) => Promise<number>,
): Promise<Copied> {
  const { engine, dataDir, program, passphrase, isKeptInDataFolder = false, clock = systemClock } = options;
  const installation = engine.identify(dataDir);
  const folder = join(dataDir, COPIES_FOLDER);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o700 });
    const createdAt = clock();
    const files = await describeFiles(folder, engine.copy(dataDir, folder, isKeptInDataFolder ? 2 : 1));
    const manifest: Manifest = { program, createdAt: toIso(createdAt), files };
    const archive = packArchive(folder, manifest);
    const bytes = await work(
      passphrase === undefined ? archive : await encrypt(archive, passphrase),
      manifest,
      installation,
    );
    return { backup: { bytes, schema: files[0]?.schema ?? 0 }, createdAt };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function record({ engine, dataDir, onNotRecorded }: BackupOptions, createdAt: Instant): void {
  try {
    engine.recordBackup(dataDir, createdAt);
  } catch (error) {
    onNotRecorded(error);
  }
}

async function describeFiles(folder: string, copies: ReturnType<BackupEngine['copy']>) {
  const files: ManifestFile[] = [];
  for (const { name, schema } of copies) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of Bun.file(join(folder, name)).stream()) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    files.push({ name, schema, bytes, sha256: hash.digest('hex') });
  }
  return files;
}

/** @returns the size of the file */
async function writeFile(path: string, content: Bytes): Promise<number> {
  const handle = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of content) {
      await appendTo(handle, chunk);
      bytes += chunk.length;
    }
    await handle.sync();
    return bytes;
  } catch (cause) {
    throw new Error(`the backup cannot be written to ${dirname(path)}: ${reasonOf(cause)}`, { cause });
  } finally {
    await handle.close();
  }
}

/** Reads a file again. @throws if its content differs from the manifest */
async function checkFile(path: string, manifest: Manifest, passphrase: string | undefined): Promise<void> {
  const { bytes } = await decryptIfEncrypted(Bun.file(path).stream(), passphrase);
  const discard = async () => ({ write: async () => {}, close: async () => {} });
  const found = await readArchive(bytes, () => {}, discard);
  if (printManifest(found) !== printManifest(manifest)) throw new Error('the backup was written incorrectly');
}
