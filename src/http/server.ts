import { type AnyElysia, Elysia } from 'elysia';
import { attempt, chain } from '../lib/awaitable.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { StoreFailure } from '../model/storeFailure.ts';
import { type Bodies, closeConnection, hasUnreadBody } from './body.ts';
import { createDirectRoutes, type DirectRoute, logRequest } from './directRoutes.ts';
import type { Draining } from './draining.ts';
import { errorResponse } from './envelope.ts';
import { acceptsHtml, type UnknownPages } from './messagePage.tsx';
import type { RequestContext } from './requestContext.ts';
import type { RequestMeter } from './requestMeter.ts';

/** Routes, or a function that adds routes to the served app. */
export type RouteGroup = AnyElysia | ((app: AnyElysia) => AnyElysia);

export type ServerDeps = {
  readonly routeGroups: readonly RouteGroup[];
  /** The routes of the hot path. `routeGroups` contains them, too, for other spellings of their paths and for the OpenAPI document. */
  readonly directRoutes: readonly DirectRoute[];
  readonly requestContext: RequestContext;
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** The responses to browsers for paths that do not exist, or that programs use with another method. */
  readonly unknownPages: UnknownPages;
  /** The response to a failure on a path with its own format; undefined for the envelope. */
  readonly failureOf: (path: string, status: number, request: Request) => Response | undefined;
  readonly bodies: Pick<Bodies, 'discard'>;
  readonly log: Log;
  /** Called if a request failed because of the storage; the response is 503. */
  readonly onStoreFailure: (failure: StoreFailure) => void;
  readonly draining: Pick<Draining, 'isOn' | 'closeConnection'>;
  readonly requestMeter: Pick<RequestMeter, 'open' | 'recorderOf'>;
};

export type Fetch = (request: Request) => Response | Promise<Response>;

/**
 * Creates the function that responds to every request: it combines the routes, sets the request id and the common headers, and
 * handles everything that routes throw.
 */
export function createServer(deps: ServerDeps): Fetch {
  const respond = createRouter(deps);
  return (request) =>
    chain(respond(request), (response) =>
      hasUnreadBody(request) ? afterBody(deps, request, response) : response,
    );
}

function createRouter(deps: ServerDeps): Fetch {
  // Elysia searches for the path from a fixed index of the URL. The default index is too high for http with a host of three letters;
  // with `standardHostname: false`, it is too low for https. So there is one app for each scheme.
  const plain = assemble(false);
  const secure = assemble(true);
  const record = deps.requestMeter.open(plain.routes);
  const respondToUnknown = createUnknown(deps, plain.routes);
  const respondToStoreFailure = createStoreFailure(deps);

  function assemble(standardHostname: boolean): AnyElysia {
    const root = new Elysia({ handler: { standardHostname } });
    // Added before the routes, because a hook applies only to routes that are added after it.
    root.onError(({ code, error, request, set }) => {
      const response = respondToError(code, error, request);
      // Elysia treats a status of 200 as not set.
      set.status = response.status;
      return response;
    });
    for (const group of deps.routeGroups) {
      if (typeof group === 'function') group(root);
      else root.use(group);
    }
    return root.compile();
  }

  function respondToError(code: unknown, error: unknown, request: Request): Response {
    const id = deps.requestContext.idOf(request);
    const path = pathOf(request);
    if (code === 'NOT_FOUND') return respondToUnknown(path, request, id);
    if (error instanceof StoreFailure) return respondToStoreFailure(error, path, request, id);
    const isClientError = code === 'PARSE' || code === 'VALIDATION' || isAborted(error, request);
    const status = isClientError ? 400 : 500;
    const response =
      deps.failureOf(path, status, request) ??
      errorResponse(isClientError ? 'request-malformed' : 'internal-error', id);
    if (!isClientError) {
      // Routes that set their own headers have set their own id.
      const request_id = response.headers.get('X-Request-Id') ?? id;
      deps.log.error('request-failed', { request_id, path, reason: reasonOf(error) });
    }
    return response;
  }

  /** For errors that escape Elysia, which itself fails if `null` is thrown. */
  function fail(error: unknown, request: Request, startedAt: number): Response {
    return finish(request, respondToError(undefined, error, request), startedAt);
  }

  /** Routes that set their own id set all of these headers themselves. */
  function addHeaders(request: Request, headers: Headers): void {
    if (headers.has('X-Request-Id')) return;
    const id = deps.requestContext.idOf(request);
    headers.set('X-Request-Id', id);
    headers.set('X-Trace-ID', id);
    for (const [name, value] of Object.entries(deps.commonHeaders)) {
      if (!headers.has(name)) headers.set(name, value);
    }
  }

  function finish(request: Request, response: Response, startedAt: number): Response {
    const { headers } = response;
    addHeaders(request, headers);
    deps.draining.closeConnection(headers);
    const { method, url } = request;
    const elapsed = performance.now() - startedAt;
    record(method, url, response.status, elapsed);
    if (deps.log.isOn('debug')) logRequest(deps.log, { method, path: pathOf(request) }, response, elapsed);
    return response;
  }

  const respondDirectly = createDirectRoutes({ ...deps, routes: deps.directRoutes, addHeaders, fail });

  return (request) => {
    const direct = respondDirectly(request);
    if (direct !== undefined) return direct;
    const startedAt = performance.now();
    return attempt(
      () => (request.url.startsWith('http:') ? plain.fetch(request) : secure.fetch(request)),
      (response) => finish(request, response, startedAt),
      (error) => fail(error, request, startedAt),
    );
  };
}

/**
 * Waits until the client has sent the body. If the server closed the connection earlier, the client could lose the response: nginx
 * and Caddy then return 502.
 */
async function afterBody(
  { bodies }: Pick<ServerDeps, 'bodies'>,
  request: Request,
  response: Response,
): Promise<Response> {
  const isComplete = await bodies.discard(request).catch(() => false);
  return isComplete ? response : closeConnection(response);
}

type RouteOf = { readonly method: string; readonly path: string };

/** Creates the response to a path without a route: a page for browsers, otherwise the envelope. */
function createUnknown({ unknownPages }: ServerDeps, all: readonly RouteOf[]) {
  const routes = all.map(({ method, path }) => ({ method, path, pattern: patternOf(path) }));
  function methodsOf(path: string): string[] {
    const matching = routes.filter(({ pattern }) => pattern.test(path));
    // A route for everything in a folder does not add methods to the folder's other routes.
    const own = matching.filter((route) => !route.path.endsWith('*'));
    return (own.length > 0 ? own : matching).map(({ method }) => method);
  }
  return (path: string, request: Request, id: string): Response => {
    const { method } = request;
    const isBrowser = (method === 'GET' || method === 'HEAD') && acceptsHtml(request);
    const allowed = methodsOf(path);
    if (allowed.includes('GET')) allowed.push('HEAD');
    if (allowed.length === 0 || allowed.includes(method)) {
      return isBrowser ? unknownPages.notFound() : errorResponse('path-unknown', id);
    }
    const list = allowed.join(', ');
    if (isBrowser) return unknownPages.methodNotAllowed(list);
    return errorResponse('method-not-allowed', id, { Allow: list });
  };
}

function createStoreFailure({ onStoreFailure, failureOf }: ServerDeps) {
  return (failure: StoreFailure, path: string, request: Request, id: string): Response => {
    onStoreFailure(failure);
    return failureOf(path, 503, request) ?? errorResponse('unavailable', id, { 'Retry-After': '1' });
  };
}

/** @returns whether the client closed the connection before its body was complete */
function isAborted(error: unknown, request: Request): boolean {
  return request.signal.aborted && error instanceof DOMException && error.name === 'AbortError';
}

/** @returns the path without its query and without a trailing slash, which the router ignores */
function pathOf(request: Request): string {
  const start = request.url.indexOf('/', request.url.indexOf('://') + 3);
  const end = request.url.search(/[?#]/);
  const path = start < 0 ? '/' : request.url.slice(start, end < 0 ? undefined : end);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** @returns a pattern for a route's path: `:name` is one segment, and `*` at the end matches anything */
function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:[^/]+/g, '[^/]+').replace(/\*$/, '.*')}$`);
}
