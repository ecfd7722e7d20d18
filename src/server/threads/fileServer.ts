import { createRespond, type DirectRoutesDeps, type Fetch } from '../../http/dispatcher.ts';
import { createFileLoader, type FileContents } from '../../http/fileHandler.ts';
import { afterBody, type UnreadBodies } from '../../http/unreadBody.ts';
import { attempt, chain } from '../../lib/awaitable.ts';
import { exactPathOf } from '../../lib/target.ts';
import type { SharedFile } from './staticFiles.ts';

export type FileServerDeps = Pick<DirectRoutesDeps, 'draining' | 'log' | 'failures' | 'requestMeter'> & {
  readonly bodies: UnreadBodies;
  readonly files: readonly SharedFile[];
  /** Gets the contents of a file from the management thread. */
  readonly load: (path: string) => Promise<FileContents>;
};

/** @param otherwise responds if the file cannot be loaded @returns undefined if the request is not for one of the files */
export type ServeFile = (request: Request, otherwise: Fetch) => ReturnType<Fetch> | undefined;

/**
 * Creates the function that responds with embedded files on a request thread. The thread gets a file from the management thread at the
 * first request for it. All responses with the file then share the same memory, even if clients read them slowly.
 */
export function createFileServer(deps: FileServerDeps): ServeFile {
  const respond = createRespond(deps);
  const byPath = new Map(deps.files.map((file) => [file.path, createRoute(deps, file)]));
  return (request, otherwise) => {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const route = byPath.get(exactPathOf(request));
    if (route === undefined) return undefined;
    return attempt(
      route.open,
      (handle) => {
        const measured = { ...route.measured[method], handle };
        return afterBody(deps.bodies, request, respond(measured, request));
      },
      () => otherwise(request),
    );
  };
}

function createRoute({ load, requestMeter }: FileServerDeps, { path, caching, route }: SharedFile) {
  const open = createFileLoader(() => load(path));
  const measure = (method: string) => ({
    method,
    path,
    setsHeaders: false,
    record: requestMeter.recorderOf(method, route),
  });
  return {
    open: () => chain(open(), (serve) => (request: Request) => serve(request, caching)),
    measured: { GET: measure('GET'), HEAD: measure('HEAD') },
  };
}
