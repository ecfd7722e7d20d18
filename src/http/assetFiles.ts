import { hashedPath } from './assetName.ts';
import type { Asset } from './assets.ts';
import { hashOf } from './etag.ts';
import { type FileContents, IMMUTABLE, REVALIDATED, type StaticFile } from './fileHandler.ts';
import { zipped } from './zip.ts';

/** @returns the files that `assetRoutes` serves */
export function toStaticFiles(assets: readonly Asset[]): readonly StaticFile[] {
  return assets.flatMap(filesOf);
}

/** @returns the file of an asset at its plain path, and at its path with a hash */
export function filesOf(asset: Asset): [plain: StaticFile, hashed: StaticFile] {
  const { path, type, contents, isPublic } = asset;
  let loaded: FileContents | undefined;
  const load = () => {
    if (loaded !== undefined) return loaded;
    const plain = typeof contents === 'string' ? new TextEncoder().encode(contents) : contents;
    loaded = { type, etag: `"${hashOf(contents)}"`, isPublic, plain, zipped: zipped(plain) };
    return loaded;
  };
  return [
    { path, caching: REVALIDATED, load },
    { path: hashedPath(asset), caching: IMMUTABLE, load },
  ];
}
