import { Elysia } from 'elysia';
import { hashedPath } from './assetName.ts';
import { hashOf, isKnownTag } from './etag.ts';
import type { Operation } from './openapi/builders.ts';
import { zipped } from './zip.ts';

export type Asset = {
  readonly path: string;
  readonly type: string;
  readonly contents: string | Uint8Array<ArrayBuffer>;
  /** Whether pages of other origins may load it. */
  readonly isPublic: boolean;
  /** Its operation in the OpenAPI document; undefined if the document does not list it. */
  readonly detail?: Operation;
};

export const REVALIDATED = 'public, max-age=300, must-revalidate';
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Hides a route from the OpenAPI document. */
export const HIDDEN = { detail: { hide: true } } as const;

/**
 * Routes of embedded files, which are compressed on their first request. Each file has a plain path, which caches revalidate,
 * and a path with the hash of its contents before the extension, which is immutable.
 */
export function assetRoutes(assets: readonly Asset[]) {
  const routes = new Elysia();
  for (const asset of assets) {
    const { path, type, contents, isPublic, detail } = asset;
    const plain = typeof contents === 'string' ? Buffer.from(contents) : contents;
    const etag = `"${hashOf(contents)}"`;
    let handler: ReturnType<typeof createFileHandler> | undefined;
    const serve = (request: Request, caching: string) => {
      handler ??= createFileHandler({ type, etag, isPublic, plain: () => plain, zipped: zipped(plain) });
      return handler(request, caching);
    };
    routes.get(
      path,
      ({ request }) => serve(request, REVALIDATED),
      detail === undefined ? HIDDEN : { detail },
    );
    routes.get(hashedPath(asset), ({ request }) => serve(request, IMMUTABLE), HIDDEN);
  }
  return routes;
}

export type Contents = {
  readonly type: string;
  readonly etag: string;
  readonly isPublic: boolean;
  readonly plain: () => Uint8Array<ArrayBuffer> | Blob;
  /** Undefined for files that are compressed already. */
  readonly zipped: Uint8Array<ArrayBuffer> | undefined;
  /** Headers in addition to those of every file. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Creates a handler that responds with the contents, gzipped if the client accepts it, or with 304 if the client has them. */
export function createFileHandler(contents: Contents): (request: Request, caching: string) => Response {
  const { type, etag, isPublic, plain, zipped } = contents;
  const common = {
    ...contents.headers,
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
    if (
      zipped === undefined ||
      !/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$|\s))/.test(request.headers.get('accept-encoding') ?? '')
    ) {
      const contents = plain();
      // Bun adds the length of a file itself; a forwarded response needs the header (server/threads/forwarding).
      if (contents instanceof Blob) headers.set('Content-Length', String(contents.size));
      return new Response(contents, { headers });
    }
    headers.set('Content-Encoding', 'gzip');
    return new Response(zipped, { headers });
  };
}
