import { gunzipSync } from 'node:zlib';
import { languageFor } from '../../lib/languageTag.ts';
import { type Asset, hashedPath } from '../assets.ts';
import { hashOf } from '../etag.ts';

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

type Languages = { readonly [tag: string]: { readonly dir: string; readonly texts: object } };

/** The part of a file's path that precedes the language. */
const FOLDER = '/widget/lang/';

/** BCP 47 tags are usually shorter than 35 characters (RFC 5646, section 4.4.1). */
const NAME = /^([a-z]{2,8}(?:-[a-z\d]{1,8}){0,4})\.([\da-f]{16})\.json$/i;

/**
 * Finds the widget's translations. Any tag has a file, `/widget/lang/de-AT.0123456789abcdef.json`: it contains the texts of the language
 * that matches, or `{}` if none does, so that the page gets no error. All names contain the hash of the whole table, so the script
 * contains only this one hash.
 *
 * @param table the text of `static/languages.json`
 * @returns a function that finds a file by its path; undefined for other paths and other versions
 */
export function createLanguageFiles(table: string): (path: string) => WidgetFile | undefined {
  const version = hashOf(table);
  const languages = new Map(Object.entries(JSON.parse(table) as Languages));
  const tags = [...languages.keys()];
  const files = new Map<string, WidgetFile>();
  return (path) => {
    if (!path.startsWith(FOLDER)) return undefined;
    const [, wanted = '', wantedVersion] = NAME.exec(path.slice(FOLDER.length)) ?? [];
    if (wantedVersion !== version) return undefined;
    const tag = languageFor(wanted, tags) ?? '';
    const known = files.get(tag);
    if (known) return known;
    const found = languages.get(tag);
    const text = JSON.stringify(found ? { tag, dir: found.dir, texts: found.texts } : {});
    const file = { type: 'application/json', etag: `"${version}"`, contents: new TextEncoder().encode(text) };
    files.set(tag, file);
    return file;
  };
}
