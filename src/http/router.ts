import { Elysia } from 'elysia';
import { type Awaitable, attempt, chain } from '../lib/awaitable.ts';
import type { Log } from '../lib/log.ts';
import { exactPathOf, pathOf, setUrl, urlWithPath } from '../lib/target.ts';
import { type Fetch, logRequest } from './dispatcher.ts';
import type { Draining } from './draining.ts';
import { errorResponse } from './envelope.ts';
import { createFailures, type FailureDeps } from './failures.ts';
import { acceptsHtml, type UnknownPages } from './messagePage.tsx';
import type { Operation } from './operationDocs.ts';
import type { RequestContext } from './requestContext.ts';
import type { RequestMeter } from './requestMeter.ts';

/** The values of the placeholders in a path. A segment that cannot be decoded is missing. */
export type Params = Readonly<Record<string, string>>;

/** A route of the router. A route for GET also serves HEAD. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** `:name` stands for one segment, and `*` at the end for anything. A slash at the end is ignored. */
  readonly path: string;
  /** Responds, or returns undefined if the path does not exist. */
  readonly handle: (request: Request, params: Params) => Awaitable<Response | undefined>;
  /** Its description; undefined if the OpenAPI document does not contain it. */
  readonly operation?: Operation;
};

export type RouterDeps = FailureDeps & {
  /**
   * The routes that backends call. Several slashes at the beginning of their paths count as one, because a base URL often ends with a
   * slash. They include direct routes, for other spellings of their paths.
   */
  readonly apiRoutes: readonly Route[];
  /** All other routes. Their paths have exactly one slash at the beginning, so proxies can restrict them by their path. */
  readonly otherRoutes: readonly Route[];
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
  const app = new Elysia();
  // Added before the routes, because a hook applies only to routes that are added after it.
  app.onError(({ code, error, request, set }) => {
    const response = respondToError(code, error, request);
    // Elysia treats a status of 200 as not set.
    set.status = response.status;
    return response;
  });
  const routes = [...deps.apiRoutes, ...deps.otherRoutes];
  for (const { method, path, handle } of routes) {
    const respond = ({ request, params }: { readonly request: Request; readonly params?: Params }) =>
      chain(handle(request, params ?? {}), (response) => response ?? respondToUnknown(request));
    // Elysia would parse forms, and handlers check the credentials before they read a body.
    app.route(method, path, respond, { parse: 'none' });
  }
  app.compile();
  const record = deps.requestMeter.open(routes);
  const respondToUnknown = createUnknown(deps);
  const isApiPath = createMatcher(deps.apiRoutes);
  const failures = createFailures(deps);

  function respondToError(code: unknown, error: unknown, request: Request): Response {
    if (code === 'NOT_FOUND') return respondToUnknown(request);
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

/** Creates a function that checks whether a path is that of a route. A slash at the end is ignored. */
function createMatcher(routes: readonly Route[]): (path: string) => boolean {
  const patterns = routes.map(({ path }) => patternOf(path));
  return (path) => {
    const name = path.replace(/\/$/, '');
    return patterns.some((pattern) => pattern.test(name));
  };
}

/** Creates the response to a path without a route: a page for browsers, otherwise the envelope. */
function createUnknown({ apiRoutes, otherRoutes, unknownPages, requestContext }: RouterDeps) {
  const routes = [...apiRoutes, ...otherRoutes].map(({ method, path }) => ({
    method,
    path,
    pattern: patternOf(path),
  }));
  function methodsOf(path: string): string[] {
    const matching = routes.filter(({ pattern }) => pattern.test(path));
    // A route for everything in a folder does not add methods to the folder's other routes, except for preflights.
    const own = matching.filter(({ method, path }) => method === 'OPTIONS' || !path.endsWith('*'));
    const hasOwn = own.some(({ method }) => method !== 'OPTIONS');
    return [...new Set((hasOwn ? own : matching).map(({ method }) => method))];
  }
  return (request: Request): Response => {
    const { method } = request;
    const id = requestContext.idOf(request);
    const isBrowser = (method === 'GET' || method === 'HEAD') && acceptsHtml(request);
    const allowed = methodsOf(pathOf(request));
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
