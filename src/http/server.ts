import { type AnyElysia, Elysia } from 'elysia';
import { attempt } from '../lib/awaitable.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { StoreFailure } from '../model/storeFailure.ts';
import { refusal } from './envelope.ts';
import type { RequestContext } from './requestContext.ts';

export type ServerDeps = {
  /** In the order in which they are asked. */
  readonly routeGroups: readonly AnyElysia[];
  readonly requestContext: RequestContext;
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** `/verify` and the like answer failures in their own shape. */
  readonly failureOf: (path: string, status: number, request: Request) => Response | undefined;
  readonly log: Log;
  /** Told when the storage could not do what a request wanted; the answer is 503. */
  readonly onStoreFailure: (failure: StoreFailure) => void;
  /** While it drains, connections are told to close. */
  readonly isDraining: () => boolean;
};

export type Fetch = (request: Request) => Response | Promise<Response>;

/**
 * One front door: puts the faces together, and gives every answer its id and headers. What nobody expected to be
 * thrown ends here.
 */
export function createServer(deps: ServerDeps): Fetch {
  // Elysia looks for the path from a fixed place in the URL on: its usual one is behind the path where a host has three
  // letters, its other one takes `https://` for a path. So there is one of each.
  const plain = assemble(false);
  const secure = assemble(true);
  const routes = plain.routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  const answerStoreFailure = createStoreFailure(deps);

  function assemble(standardHostname: boolean): AnyElysia {
    const root = new Elysia({ handler: { standardHostname } });
    // Before the faces: a hook holds for what is added after it.
    root.onError(({ code, error, request, set }) => {
      const response = answerError(code, error, request);
      // Elysia takes a status of 200 for none.
      set.status = response.status;
      return response;
    });
    for (const face of deps.routeGroups) root.use(face);
    return root.compile();
  }

  function answerError(code: unknown, error: unknown, request: Request): Response {
    const id = deps.requestContext.idOf(request);
    const path = pathOf(request);
    if (code === 'NOT_FOUND') return answerUnknown(path, request.method, id);
    if (error instanceof StoreFailure) return answerStoreFailure(error, path, request, id);
    const isTheirs = code === 'PARSE' || code === 'VALIDATION' || isGone(error, request);
    const status = isTheirs ? 400 : 500;
    const response =
      deps.failureOf(path, status, request) ?? refusal(isTheirs ? 'request-malformed' : 'internal-error', id);
    if (!isTheirs) {
      // A face that writes its own headers wrote its own id.
      const request_id = response.headers.get('X-Request-Id') ?? id;
      deps.log.error('request-failed', { request_id, path, reason: reasonOf(error) });
    }
    return response;
  }

  function answerUnknown(path: string, method: string, id: string): Response {
    const allowed = routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method);
    if (allowed.includes('GET')) allowed.push('HEAD');
    if (allowed.length === 0 || allowed.includes(method)) return refusal('path-unknown', id);
    return refusal('method-not-allowed', id, { Allow: allowed.join(', ') });
  }

  /** Elysia asks whatever was thrown for its code, and falls over null itself. */
  function fail(error: unknown, request: Request, startedAt: number): Response {
    return finish(request, answerError(undefined, error, request), startedAt);
  }

  function finish(request: Request, response: Response, startedAt: number): Response {
    const { headers } = response;
    // The hot faces write all of these themselves; everybody else gets them here.
    if (!headers.has('X-Request-Id')) {
      const id = deps.requestContext.idOf(request);
      headers.set('X-Request-Id', id);
      headers.set('X-Trace-ID', id);
      for (const [name, value] of Object.entries(deps.commonHeaders)) {
        if (!headers.has(name)) headers.set(name, value);
      }
    }
    if (deps.isDraining()) headers.set('Connection', 'close');
    if (deps.log.isOn('debug')) logRequest(request, response, startedAt);
    return response;
  }

  function logRequest(request: Request, response: Response, startedAt: number): void {
    const elapsed = Math.round((performance.now() - startedAt) * 1000) / 1000;
    const facts = { method: request.method, path: pathOf(request), status: response.status };
    // The hot faces do not remember the ids they gave.
    const id = response.headers.get('X-Request-Id');
    deps.log.debug('request', { ...facts, request_id: id, elapsed_ms: elapsed });
  }

  return (request) => {
    const startedAt = deps.log.isOn('debug') ? performance.now() : 0;
    return attempt(
      () => (request.url.startsWith('http:') ? plain.fetch(request) : secure.fetch(request)),
      (response) => finish(request, response, startedAt),
      (error) => fail(error, request, startedAt),
    );
  };
}

function createStoreFailure({ onStoreFailure, failureOf }: ServerDeps) {
  return (failure: StoreFailure, path: string, request: Request, id: string): Response => {
    onStoreFailure(failure);
    return failureOf(path, 503, request) ?? refusal('unavailable', id, { 'Retry-After': '1' });
  };
}

/** The client closed its connection before its body was here: nobody's fault, and nobody reads the answer. */
function isGone(error: unknown, request: Request): boolean {
  return request.signal.aborted && error instanceof DOMException && error.name === 'AbortError';
}

/** The path without its query, and without a slash at its end: the router takes both for the same. */
function pathOf(request: Request): string {
  const start = request.url.indexOf('/', request.url.indexOf('://') + 3);
  const end = request.url.search(/[?#]/);
  const path = start < 0 ? '/' : request.url.slice(start, end < 0 ? undefined : end);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** What a route's path stands for: `:name` is one segment, `*` at the end whatever follows. */
function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:[^/]+/g, '[^/]+').replace(/\*$/, '.*')}$`);
}
