import { hashOf } from './etag.ts';
import {
  createLazyHandler,
  type FileContents,
  IMMUTABLE,
  REVALIDATED,
  type StaticFile,
  zipped,
} from './fileHandler.ts';
import type { Operation } from './operationDocs.ts';
import type { Route } from './router.ts';

export type Asset = {
  readonly path: string;
  readonly type: string;
  readonly contents: string | Uint8Array<ArrayBuffer>;
  /** The contents, compressed with Brotli by the build, in base64. */
  readonly brotli?: string;
  /** Whether pages of other origins may load it. */
  readonly isPublic: boolean;
};

/** @returns a file that only pages of this server load */
export function ownAsset(path: string, type: Asset['type'], contents: Asset['contents']): Asset {
  return { path, type, contents, isPublic: false };
}

/** @returns a path with the hash of its contents: `/widget/postern.0123456789abcdef.js` for `/widget/postern.js` */
export function hashedPath({ path, contents }: Pick<Asset, 'path' | 'contents'>): string {
  return path.replace(/(\.\w+)$/, `.${hashOf(contents)}$1`);
}

/** @returns the `integrity` attribute for the file, `sha384-…` (W3C Subresource Integrity, section 3.2) */
export function integrityOf(
  { contents }: Pick<Asset, 'contents'>,
  algorithm: 'sha256' | 'sha384' = 'sha384',
): string {
  return `${algorithm}-${new Bun.CryptoHasher(algorithm).update(contents).digest('base64')}`;
}

/** @returns the files that `assetRoutes` serves */
export function toStaticFiles(assets: readonly Asset[]): readonly StaticFile[] {
  return assets.flatMap(filesOf);
}

/** @returns the file of an asset at its plain path, and at its path with a hash */
function filesOf(asset: Asset): [plain: StaticFile, hashed: StaticFile] {
  const { path, type, contents, brotli, isPublic } = asset;
  let loaded: FileContents | undefined;
  const load = () => {
    if (loaded !== undefined) return loaded;
    const plain = typeof contents === 'string' ? new TextEncoder().encode(contents) : contents;
    loaded = {
      type,
      etag: `"${hashOf(contents)}"`,
      isPublic,
      plain,
      zipped: zipped(plain),
      ...(brotli !== undefined && { brotli: Uint8Array.fromBase64(brotli) }),
    };
    return loaded;
  };
  return [
    { path, caching: REVALIDATED, load },
    { path: hashedPath(asset), caching: IMMUTABLE, load },
  ];
}

/**
 * Routes of embedded files, which are compressed on their first request. Each file has a plain path, which caches revalidate,
 * and a path with the hash of its contents before the extension, which is immutable.
 *
 * @param operations the descriptions of the files that the OpenAPI document contains, by their plain paths
 */
export function assetRoutes(
  assets: readonly Asset[],
  operations: Readonly<Record<string, Operation>> = {},
): readonly Route[] {
  return toStaticFiles(assets).map((file) => {
    const operation = operations[file.path];
    return { ...fileRoute(file), ...(operation && { operation }) };
  });
}

/** @returns the route of a file */
export function fileRoute({ path, caching, load }: StaticFile): Route {
  const serve = createLazyHandler(load);
  return { method: 'GET', path, handle: (request) => serve(request, caching) };
}
