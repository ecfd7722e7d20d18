import { gunzipSync } from 'node:zlib';
import { hashedPath } from '../assetName.ts';
import type { Asset } from '../assets.ts';
import { hashOf } from '../etag.ts';
import { createLanguageFiles } from './languageFiles.ts';

/** A file at an immutable path. */
export type WidgetFile = {
  readonly type: string;
  readonly etag: string;
  readonly contents: Uint8Array<ArrayBuffer>;
};

/** A build of the widget: the scripts, with all files that they load. */
export type WidgetBuild = {
  /** SHA-256 of the archive's text, 64 hexadecimal digits. */
  readonly id: string;
  /** Finds a file by its immutable path. */
  readonly find: (path: string) => WidgetFile | undefined;
};

/** The text of an archive. It contains each file once, in base64, with all of its immutable paths. */
type Archive = {
  readonly files: readonly {
    readonly paths: readonly string[];
    readonly type: string;
    readonly base64: string;
  }[];
  readonly languages: string;
};

/** Maximum size of an archive's text; that of this version has about 0.4 MB. */
const MAX_BYTES = 4 * 1024 ** 2;

/** The types of the files, because an archive must not change how browsers treat a file. */
const TYPES: readonly string[] = ['text/javascript', 'application/wasm'];

/** @returns the text of the archive, the same for the same files */
export function toArchive(assets: readonly Asset[], languages: string): string {
  const byContents = new Map<string, { paths: string[]; type: string; base64: string }>();
  for (const asset of assets) {
    const base64 = Buffer.from(asset.contents).toString('base64');
    const file = byContents.get(base64) ?? { paths: [], type: asset.type, base64 };
    file.paths.push(hashedPath(asset));
    byContents.set(base64, file);
  }
  return JSON.stringify({ files: [...byContents.values()], languages } satisfies Archive);
}

/** @returns the id of an archive */
export function archiveIdOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex');
}

/** @returns the stored form of an archive (gzip) */
export function packArchive(text: string): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(text, { level: 9 });
}

/**
 * Opens a stored build.
 *
 * @throws if its contents do not have this id, a file does not have the hash in its path, or the archive is too large
 */
export function openArchive(id: string, packed: Uint8Array): WidgetBuild {
  const text = gunzipSync(packed, { maxOutputLength: MAX_BYTES }).toString();
  if (archiveIdOf(text) !== id) throw new Error('its hash is wrong');
  const archive = JSON.parse(text) as Archive;
  const files = new Map<string, WidgetFile>();
  for (const { paths, type, base64 } of archive.files) {
    const contents = Uint8Array.fromBase64(base64);
    const hash = hashOf(contents);
    if (!TYPES.includes(type)) throw new Error(`its type ${type} is unknown`);
    for (const path of paths) {
      if (!path.includes(`.${hash}.`)) throw new Error(`the hash of ${path} is wrong`);
      files.set(path, { type, etag: `"${hash}"`, contents });
    }
  }
  const findLanguage = createLanguageFiles(archive.languages);
  return { id, find: (path) => files.get(routeOf(path)) ?? findLanguage(path) };
}

/** Turnstile's path can contain any hash of Cloudflare's. @returns the path of the route */
function routeOf(path: string): string {
  return path.replace(/^(\/turnstile\/v0\/g\/)[^/]+\//, '$1:hash/');
}
