import { type Awaitable, chain } from '../lib/awaitable.ts';
import { isKnownTag } from './etag.ts';

export const REVALIDATED = 'public, max-age=300, must-revalidate';
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** An embedded file. Its contents are the same for every client and do not change while the server runs. */
export type StaticFile = {
  readonly path: string;
  readonly caching: string;
  readonly load: () => Awaitable<FileContents>;
};

export type Contents = {
  readonly type: string;
  readonly etag: string;
  readonly isPublic: boolean;
  readonly plain: () => Uint8Array<ArrayBuffer> | Blob;
  /** Undefined for files that are compressed already. */
  readonly zipped: Uint8Array<ArrayBuffer> | undefined;
  /** Only for files that the build has compressed with Brotli. */
  readonly brotli?: Uint8Array<ArrayBuffer>;
  /** Headers in addition to those of every file. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Contents that can be sent to another thread. */
export type FileContents = Omit<Contents, 'plain' | 'headers'> & {
  readonly plain: Uint8Array<ArrayBuffer> | EmbeddedFile;
};

/** A file in the executable. Each response reads its bytes from there. */
type EmbeddedFile = { readonly file: string };

/** Responds with a file. @param caching the value of `Cache-Control` */
export type FileHandler = (request: Request, caching: string) => Response;

/** Finds the codings that a value of `Accept-Encoding` accepts. */
const ACCEPTED = /\b(?:br|gzip)\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$|\s))/g;

/** The coding with the smallest result comes first. */
const CODINGS = ['br', 'gzip'] as const;

/**
 * Creates a handler that responds with the contents, compressed if the client accepts it, or with 304 if the client has them. Over
 * unencrypted connections, browsers do not accept Brotli.
 */
export function createFileHandler(contents: Contents): FileHandler {
  const { type, etag, isPublic, plain } = contents;
  const compressed = { br: contents.brotli, gzip: contents.zipped };
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
    const accepted: readonly string[] = request.headers.get('accept-encoding')?.match(ACCEPTED) ?? [];
    for (const coding of CODINGS) {
      const bytes = compressed[coding];
      if (bytes === undefined || !accepted.includes(coding)) continue;
      headers.set('Content-Encoding', coding);
      return new Response(bytes, { headers });
    }
    const bytes = plain();
    // Bun adds the length of a file itself; a forwarded response needs the header (server/threads/forwarding).
    if (bytes instanceof Blob) headers.set('Content-Length', String(bytes.size));
    return new Response(bytes, { headers });
  };
}

/** Creates a handler that loads the contents on the first request. */
export function createLazyHandler(
  load: () => Awaitable<FileContents>,
): (request: Request, caching: string) => Awaitable<Response> {
  const open = createFileLoader(load);
  return (request, caching) => chain(open(), (handle) => handle(request, caching));
}

/**
 * Creates a function that loads the contents at its first call, and then returns their handler. Concurrent calls share one load.
 * After a failed load, the next call loads again.
 */
export function createFileLoader(load: () => Awaitable<FileContents>): () => Awaitable<FileHandler> {
  let handler: Awaitable<FileHandler> | undefined;
  const keep = (contents: FileContents) => {
    handler = createFileHandler(toContents(contents));
    return handler;
  };
  const fail = (error: unknown) => {
    handler = undefined;
    throw error;
  };
  return () => {
    handler ??= chain(load(), keep, fail);
    return handler;
  };
}

function toContents({ plain, ...contents }: FileContents): Contents {
  return { ...contents, plain: 'file' in plain ? () => Bun.file(plain.file) : () => plain };
}

/**
 * Compresses a file that is served often (gzip). libdeflate's highest level makes the widget's script 3% smaller than zlib's (12,321
 * instead of 12,690 bytes, 2026-11), and takes 4 ms for 30 kB.
 */
export function zipped(contents: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(contents, { level: 12, library: 'libdeflate' });
}
