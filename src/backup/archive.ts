import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createTarDecoder, createTarPacker, type ParsedTarEntry } from 'modern-tar';
import { reasonOf } from '../lib/log.ts';
import {
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  type Manifest,
  type ManifestFile,
  parseManifest,
  printManifest,
} from './manifest.ts';
import { BackupFileError, type Bytes } from './streams.ts';

/**
 * Returns a tar archive (POSIX.1-2001) of the manifest and the files that it describes. Memory use does not depend on their size.
 *
 * @param folder contains the files
 */
export function packArchive(folder: string, manifest: Manifest): Bytes {
  const { readable, controller } = createTarPacker();
  const mtime = new Date(manifest.createdAt);
  const add = async (name: string, size: number, content: Bytes): Promise<void> => {
    await content.pipeTo(controller.add({ name, size, mtime, mode: 0o600 }));
  };
  async function pack(): Promise<void> {
    const text = new Blob([printManifest(manifest)]);
    await add(MANIFEST_NAME, text.size, text.stream());
    for (const { name, bytes } of manifest.files)
      await add(name, bytes, Bun.file(join(folder, name)).stream());
    controller.finalize();
  }
  pack().catch((error: unknown) => controller.error(error));
  return readable;
}

/** Receives the content of a file in an archive. */
export type FileSink = {
  readonly write: (chunk: Uint8Array) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

/**
 * Reads an archive and compares the size and the SHA-256 of each file with the manifest.
 *
 * @param onManifest called before any file is read; throws if the manifest is not acceptable
 * @param openSink called for each file, in the order of the manifest
 * @throws BackupFileError if the archive is damaged, truncated, or contains anything else
 */
export async function readArchive(
  archive: Bytes,
  onManifest: (manifest: Manifest) => void,
  openSink: (name: string) => Promise<FileSink>,
): Promise<Manifest> {
  const entries = archive.pipeThrough(createTarDecoder({ strict: true })).getReader();
  try {
    return await readEntries(entries, onManifest, openSink);
  } finally {
    // Has no effect at the end of the archive.
    entries.cancel().catch(() => {});
  }
}

type Entries = { readonly read: () => Promise<{ readonly value?: ParsedTarEntry | undefined }> };

async function readEntries(
  entries: Entries,
  onManifest: (manifest: Manifest) => void,
  openSink: (name: string) => Promise<FileSink>,
): Promise<Manifest> {
  const manifest = parseManifest(await readManifest(await next(entries)));
  onManifest(manifest);
  for (const file of manifest.files) {
    const entry = await next(entries);
    if (entry?.header.name !== file.name || entry.header.size !== file.bytes)
      throw new BackupFileError(`the file is damaged: ${file.name} is missing or has the wrong size`);
    await copyEntry(entry, file, await openSink(file.name));
  }
  if ((await next(entries)) !== undefined)
    throw new BackupFileError('the file is not a backup: it contains additional entries');
  return manifest;
}

/** @returns undefined at the end of the archive */
async function next(entries: Entries): Promise<ParsedTarEntry | undefined> {
  try {
    return (await entries.read()).value;
  } catch (cause) {
    throw toDamage(cause);
  }
}

async function readManifest(entry: ParsedTarEntry | undefined): Promise<string> {
  if (entry?.header.name !== MANIFEST_NAME || entry.header.size > MAX_MANIFEST_BYTES)
    throw new BackupFileError('the file is not a backup of Postern: it does not start with a manifest');
  try {
    return await new Response(entry.body).text();
  } catch (cause) {
    throw toDamage(cause);
  }
}

/** Passes on errors of the sink unchanged, because they do not mean that the archive is damaged. */
async function copyEntry({ body }: ParsedTarEntry, file: ManifestFile, sink: FileSink): Promise<void> {
  const hash = createHash('sha256');
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw toDamage(cause);
      });
      if (done) break;
      hash.update(value);
      await sink.write(value);
    }
  } finally {
    await sink.close();
  }
  if (hash.digest('hex') === file.sha256) return;
  throw new BackupFileError(`the file is damaged: the SHA-256 of ${file.name} does not match`);
}

function toDamage(cause: unknown): BackupFileError {
  return new BackupFileError(`the file is damaged: ${reasonOf(cause)}`, { cause });
}
