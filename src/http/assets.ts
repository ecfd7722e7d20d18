import { Elysia } from 'elysia';
import { hashedPath } from './assetName.ts';
import { hashOf, isKnownTag } from './etag.ts';
import type { Operation } from './openapi/parts.ts';

export type Asset = {
  readonly path: string;
  readonly type: string;
  readonly contents: string | Uint8Array<ArrayBuffer>;
  /** Other hosts' pages load it. */
  readonly isPublic: boolean;
  /** What the OpenAPI document says of it; without one it is not in there. */
  readonly detail?: Operation;
};

export const REVALIDATED = 'public, max-age=300, must-revalidate';
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Not in the OpenAPI document. */
export const HIDDEN = { detail: { hide: true } } as const;

/**
 * Files from the binary, compressed once. Each has its plain path, which revalidates, and one with a hash of its
 * contents before the extension, which never changes.
 */
export function assetRoutes(assets: readonly Asset[]) {
  const face = new Elysia();
  for (const asset of assets) {
    const { path, type, contents, isPublic, detail } = asset;
    const plain = typeof contents === 'string' ? Buffer.from(contents) : contents;
    const zipped = Bun.gzipSync(plain, { level: 9 });
    const etag = `"${hashOf(contents)}"`;
    const serve = createServe({ type, etag, isPublic, plain: () => plain, zipped });
    face.get(path, ({ request }) => serve(request, REVALIDATED), detail === undefined ? HIDDEN : { detail });
    face.get(hashedPath(asset), ({ request }) => serve(request, IMMUTABLE), HIDDEN);
  }
  return face;
}

export type Contents = {
  readonly type: string;
  readonly etag: string;
  readonly isPublic: boolean;
  readonly plain: () => Uint8Array<ArrayBuffer> | Blob;
  readonly zipped: Uint8Array<ArrayBuffer>;
};

/** Answers with the contents, zipped for those who take it; 304 to those who have them. */
export function createServe(contents: Contents): (request: Request, caching: string) => Response {
  const { type, etag, isPublic, plain, zipped } = contents;
  const common = {
    'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    ETag: etag,
    Vary: 'Accept-Encoding',
    ...(isPublic
      ? { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' }
      : {}),
  };
  return (request, caching) => {
    const headers = new Headers({ ...common, 'Cache-Control': caching });
    const known = request.headers.get('if-none-match');
    if (known !== null && isKnownTag(known, etag)) {
      return new Response(null, { status: 304, headers });
    }
    if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$|\s))/.test(request.headers.get('accept-encoding') ?? '')) {
      return new Response(plain(), { headers });
    }
    headers.set('Content-Encoding', 'gzip');
    return new Response(zipped, { headers });
  };
}
