import { type AnyElysia, Elysia } from 'elysia';
import { attempt } from '../lib/awaitable.ts';
import type { Log } from '../lib/log.ts';
import { exactPathOf, pathOf, setUrl, urlWithPath } from '../lib/target.ts';
import { logRequest } from './directRoutes.ts';
import type { Draining } from './draining.ts';
import { errorResponse } from './envelope.ts';
import { createFailures, type FailureDeps } from './failures.ts';
import { acceptsHtml, type UnknownPages } from './messagePage.tsx';
import type { RequestContext } from './requestContext.ts';
import type { RequestMeter } from './requestMeter.ts';
import type { Fetch } from './server.ts';

/** Routes, or a function that adds routes to the served app. */
export type RouteGroup = AnyElysia | ((app: AnyElysia) => AnyElysia);

export type RouterDeps = FailureDeps & {
  /**
   * The routes that backends call. Several slashes at the beginning of their paths count as one, because a base URL often ends with a
   * slash. They include the direct routes, for other spellings of their paths and for the OpenAPI document.
   */
  readonly apiRoutes: readonly AnyElysia[];
  /** All other routes. Their paths have exactly one slash at the beginning, so proxies can restrict them by their path. */
  readonly routeGroups: readonly RouteGroup[];
  readonly requestContext: RequestContext;
  /** The responses to browsers for paths that do not exist, or that programs use with another method. */
  readonly unknownPages: UnknownPages;
  readonly log: Log;
  readonly draining: Pick<Draining, 'closeConnection'>;
  readonly requestMeter: Pick<RequestMeter, 'open'>;
};

/**
 * Creates the function that responds to all requests that are not for a direct route: it combines the routes, sets the request id and
 * the common headers, and handles everything that routes throw.
 */
export function createRouter(deps: RouterDeps): Fetch {
  const app = assemble();
  const record = deps.requestMeter.open(app.routes);
  const respondToUnknown = createUnknown(deps, app.routes);
  const isApiPath = createIsApiPath(deps);
  const failures = createFailures(deps);

  function assemble(): AnyElysia {
    const root = new Elysia();
    // Added before the routes, because a hook applies only to routes that are added after it.
    root.onError(({ code, error, request, set }) => {
      const response = respondToError(code, error, request);
      // Elysia treats a status of 200 as not set.
      set.status = response.status;
      return response;
    });
    for (const group of [...deps.apiRoutes, ...deps.routeGroups]) {
      if (typeof group === 'function') group(root);
      else root.use(group);
    }
    return root.compile();
  }

  function respondToError(code: unknown, error: unknown, request: Request): Response {
    if (code === 'NOT_FOUND')
      return respondToUnknown(pathOf(request), request, deps.requestContext.idOf(request));
    return failures.respond(error, request, code === 'PARSE' || code === 'VALIDATION');
  }

  /** For errors that escape Elysia, which itself fails if `null` is thrown. */
  function fail(error: unknown, request: Request, startedAt: number): Response {
    return finish(request, respondToError(undefined, error, request), startedAt);
  }

  function finish(request: Request, response: Response, startedAt: number): Response {
    const { headers } = response;
    failures.addHeaders(request, headers);
    // Elysia adds `Content-Length: 0` to responses to HEAD, which a 304 must not have (RFC 9110, section 8.6).
    if (response.status === 304) headers.delete('Content-Length');
    deps.draining.closeConnection(headers);
    const { method } = request;
    const path = pathOf(request);
    const elapsed = performance.now() - startedAt;
    record(method, path, response.status, elapsed);
    if (deps.log.isOn('debug')) logRequest(deps.log, { method, path }, response, elapsed);
    return response;
  }

  /** Elysia searches for the path from a fixed index of the URL, which is wrong for invalid hosts, short hosts, and https. */
  function normalizeUrl(request: Request): void {
    const path = exactPathOf(request);
    const single = path.replace(/^\/{2,}/, '/');
    setUrl(request, urlWithPath(request, single !== path && isApiPath(single) ? single : path));
  }

  return (request) => {
    const startedAt = performance.now();
    normalizeUrl(request);
    return attempt(
      () => app.fetch(request),
      (response) => finish(request, response, startedAt),
      (error) => fail(error, request, startedAt),
    );
  };
}

/** Creates a function that checks whether a path is one of `apiRoutes`. A slash at the end is ignored. */
function createIsApiPath({ apiRoutes }: RouterDeps): (path: string) => boolean {
  const patterns = apiRoutes.flatMap(({ routes }) => routes.map(({ path }) => patternOf(path)));
  return (path) => {
    const name = path.replace(/\/$/, '');
    return patterns.some((pattern) => pattern.test(name));
  };
}

type RouteOf = { readonly method: string; readonly path: string };

/** Creates the response to a path without a route: a page for browsers, otherwise the envelope. */
function createUnknown({ unknownPages }: RouterDeps, all: readonly RouteOf[]) {
  const routes = all.map(({ method, path }) => ({ method, path, pattern: patternOf(path) }));
  function methodsOf(name: string): string[] {
    const matching = routes.filter(({ pattern }) => pattern.test(name));
    // A route for everything in a folder does not add methods to the folder's other routes, except for preflights.
    const own = matching.filter(({ method, path }) => method === 'OPTIONS' || !path.endsWith('*'));
    const hasOwn = own.some(({ method }) => method !== 'OPTIONS');
    return (hasOwn ? own : matching).map(({ method }) => method);
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

/** @returns a pattern for a route's path: `:name` is one segment, and `*` at the end matches anything */
function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:[^/]+/g, '[^/]+').replace(/\*$/, '.*')}$`);
}
