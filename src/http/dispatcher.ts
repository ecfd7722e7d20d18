import { type Awaitable, attempt } from '../lib/awaitable.ts';
import { lazyAsync } from '../lib/lazy.ts';
import type { Log } from '../lib/log.ts';
import { pathStartOf } from '../lib/target.ts';
import { createCollector } from './collector.ts';
import type { Draining } from './draining.ts';
import { createFailures, type FailureDeps, type Failures } from './failures.ts';
import type { RequestMeter } from './requestMeter.ts';
import { afterBody, type UnreadBodies } from './unreadBody.ts';

/** Responds to a request for a route. */
export type Handle = (request: Request) => Awaitable<Response>;

/** Responds to every request. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/**
 * A route of the hot path, which is served before the router (decision 5). Its path has no parameters. A route for GET also serves HEAD:
 * Bun omits the body.
 */
export type DirectRoute = {
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  readonly path: string;
  readonly handle: Handle;
  /** Whether its responses with status 200 contain all of their headers. */
  readonly setsHeaders: boolean;
  /** Whether backends call it. Several slashes at the beginning of its path then count as one. */
  readonly isApi: boolean;
};

export type DirectRoutesDeps = {
  readonly directRoutes: readonly DirectRoute[];
  readonly requestMeter: Pick<RequestMeter, 'recorderOf'>;
  readonly draining: Pick<Draining, 'isOn' | 'closeConnection'>;
  readonly log: Log;
  readonly failures: Pick<Failures, 'respond' | 'addHeaders'>;
};

export type DispatcherDeps = FailureDeps &
  Omit<DirectRoutesDeps, 'failures'> & {
    /** Loads the function that responds to all other requests. Called at the first of them, because loading takes time and memory. */
    readonly loadRouter: () => Promise<Fetch>;
    readonly bodies: UnreadBodies;
  };

/** Creates the function that responds to every request, with a direct route or the router. */
export function createDispatcher(deps: DispatcherDeps): Fetch {
  const failures = createFailures(deps);
  const respondDirectly = createDirectRoutes({ ...deps, failures });
  const route = createLazyRouter(deps, failures);
  return (request) => afterBody(deps.bodies, request, respondDirectly(request) ?? route(request));
}

/** Creates a function that loads the router at its first call, and then calls the router directly. */
function createLazyRouter({ loadRouter }: DispatcherDeps, failures: Failures): Fetch {
  let router: Fetch | undefined;
  const load = lazyAsync(async () => {
    router = await loadRouter();
    return router;
  });
  return (request) => {
    if (router !== undefined) return router(request);
    return attempt(
      load,
      (loaded) => loaded(request),
      (error) => {
        const response = failures.respond(error, request);
        failures.addHeaders(request, response.headers);
        return response;
      },
    );
  };
}

/** Adds a route for HEAD to each route for GET. */
export function withHead<Route extends { readonly method: string }>(
  routes: readonly Route[],
): readonly (Omit<Route, 'method'> & { readonly method: string })[] {
  return routes.flatMap((route) =>
    route.method === 'GET' ? [route, { ...route, method: 'HEAD' }] : [route],
  );
}

/** @returns undefined if the request is well-formed and not exactly one of the routes, for example if its path has a trailing slash */
export type RespondDirectly = (request: Request) => Awaitable<Response> | undefined;

/** A route, and the function that counts its requests. */
export type MeasuredRoute = Pick<DirectRoute, 'path' | 'handle' | 'setsHeaders'> & {
  readonly method: string;
  readonly record: ReturnType<RequestMeter['recorderOf']>;
};

/** @see DirectRoute */
export function createDirectRoutes(deps: DirectRoutesDeps): RespondDirectly {
  const { directRoutes, requestMeter } = deps;
  const known = withHead(directRoutes).map((route) => ({
    ...route,
    record: requestMeter.recorderOf(route.method, route.path),
  }));
  const respond = createRespond(deps);
  const collect = createCollector();
  return (request) => {
    collect();
    if (hasSeveralLengths(request)) return rejectLengths();
    const { url } = request;
    const start = pathStartOf(url);
    for (const route of known) {
      if (isAt(url, start, route.path) && request.method === route.method) return respond(route, request);
    }
    return undefined;
  };
}

/**
 * Whether a request has several identical `Content-Length` headers, which Bun accepts and joins with commas. Such a length is not a number,
 * so no limit of a body would apply. RFC 9110, section 8.6, allows servers to reject it.
 */
function hasSeveralLengths({ headers }: Request): boolean {
  return headers.get('content-length')?.includes(',') === true;
}

/** Like the responses of Bun to requests with several different lengths. */
function rejectLengths(): Response {
  return new Response(null, { status: 400, headers: { Connection: 'close' } });
}

/** Creates the function that responds to a request for a route. It adds the headers of every response, and counts and logs the request. */
export function createRespond({
  draining,
  log,
  failures,
}: Pick<DirectRoutesDeps, 'draining' | 'log' | 'failures'>): (
  route: MeasuredRoute,
  request: Request,
) => Awaitable<Response> {
  return ({ method, path, handle, setsHeaders, record }, request) => {
    const startedAt = performance.now();
    const finish = (response: Response) => {
      // Reading `headers` creates an object.
      if (!setsHeaders || response.status !== 200) failures.addHeaders(request, response.headers);
      if (draining.isOn()) draining.closeConnection(response.headers);
      const elapsed = performance.now() - startedAt;
      record(response.status, elapsed);
      if (log.isOn('debug')) logRequest(log, { method, path }, response, elapsed);
      return response;
    };
    return attempt(
      () => handle(request),
      finish,
      (error) => finish(failures.respond(error, request)),
    );
  };
}

/** Logs a request. @param milliseconds from its arrival to the response */
export function logRequest(
  log: Pick<Log, 'debug'>,
  request: { readonly method: string; readonly path: string },
  { status, headers }: Response,
  milliseconds: number,
): void {
  const id = headers.get('X-Request-Id');
  const elapsed = Math.round(milliseconds * 1000) / 1000;
  log.debug('request', { ...request, status, request_id: id, elapsed_ms: elapsed });
}

/** @returns whether the path of a URL, which starts at an index, is exactly this path */
function isAt(url: string, start: number, path: string): boolean {
  if (!url.startsWith(path, start)) return false;
  const end = start + path.length;
  return end === url.length || url[end] === '?';
}
