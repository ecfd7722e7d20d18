import { type Awaitable, attempt } from '../lib/awaitable.ts';
import type { Log } from '../lib/log.ts';
import type { Draining } from './draining.ts';
import type { RequestMeter } from './requestMeter.ts';

/**
 * A route of the hot path, which is served before the router (decision 5). Its path has no parameters, and its responses with status 200
 * contain all of their headers. A route for GET also serves HEAD: Bun omits the body.
 */
export type DirectRoute = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (request: Request) => Awaitable<Response>;
};

export type DirectRoutesDeps = {
  readonly routes: readonly DirectRoute[];
  readonly requestMeter: Pick<RequestMeter, 'recorderOf'>;
  readonly draining: Pick<Draining, 'isOn' | 'closeConnection'>;
  readonly log: Log;
  /** Adds the headers of every response, unless it contains an id already. */
  readonly addHeaders: (request: Request, headers: Headers) => void;
  /** Creates the response if a handler throws or rejects, and records it. */
  readonly fail: (error: unknown, request: Request, startedAt: number) => Response;
};

/** @returns undefined if the request is not exactly one of the routes, for example if its path has a trailing slash */
export type RespondDirectly = (request: Request) => Awaitable<Response> | undefined;

/** @see DirectRoute */
export function createDirectRoutes({
  routes,
  requestMeter,
  draining,
  log,
  addHeaders,
  fail,
}: DirectRoutesDeps): RespondDirectly {
  const known = routes
    .flatMap((route) => (route.method === 'GET' ? [route, { ...route, method: 'HEAD' }] : [route]))
    .map((route) => ({ ...route, record: requestMeter.recorderOf(route.method, route.path) }));

  function respond({ method, path, handle, record }: (typeof known)[number], request: Request) {
    const startedAt = performance.now();
    return attempt(
      () => handle(request),
      (response) => {
        // Reading `headers` creates an object.
        if (response.status !== 200) addHeaders(request, response.headers);
        if (draining.isOn()) draining.closeConnection(response.headers);
        const elapsed = performance.now() - startedAt;
        record(response.status, elapsed);
        if (log.isOn('debug')) logRequest(log, { method, path }, response, elapsed);
        return response;
      },
      (error) => fail(error, request, startedAt),
    );
  }

  return (request) => {
    const { url } = request;
    // The shortest URL is `http://h/`.
    const start = url.indexOf('/', 8);
    for (const route of known) {
      if (isAt(url, start, route.path) && request.method === route.method) return respond(route, request);
    }
    return undefined;
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
