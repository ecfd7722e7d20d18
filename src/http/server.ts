import { type AnyElysia, Elysia } from 'elysia';
import { type Log, reasonOf } from '../lib/log.ts';
import { refusal } from './envelope.ts';
import type { Exchange } from './exchange.ts';

export type ServerDeps = {
  /** In the order in which they are asked. */
  readonly faces: readonly AnyElysia[];
  readonly exchange: Exchange;
  readonly houseHeaders: Readonly<Record<string, string>>;
  /** `/verify` and the like answer failures in their own shape. */
  readonly failureOf: (path: string, status: number, request: Request) => Response | undefined;
  readonly log: Log;
  /** While it drains, connections are told to close. */
  readonly isDraining: () => boolean;
};

export type Fetch = (request: Request) => Response | Promise<Response>;

/** One front door: puts the faces together, and gives every answer its id and headers. The only place that catches. */
export function createServer(deps: ServerDeps): Fetch {
  const root = new Elysia();
  for (const face of deps.faces) root.use(face);
  root.onError(({ code, error, request }) => answerError(code, error, request));
  root.compile();
  const methodsAt = Map.groupBy(root.routes, (route) => route.path);

  function answerError(code: unknown, error: unknown, request: Request): Response {
    const id = deps.exchange.idOf(request);
    const path = pathOf(request);
    if (code === 'NOT_FOUND') return answerUnknown(path, request.method, id);
    const status = code === 'PARSE' || code === 'VALIDATION' ? 400 : 500;
    if (status === 500) deps.log.error('request-failed', { request_id: id, path, reason: reasonOf(error) });
    const problem = status === 500 ? 'internal-error' : 'request-malformed';
    return deps.failureOf(path, status, request) ?? refusal(problem, id);
  }

  function answerUnknown(path: string, method: string, id: string): Response {
    const allowed = (methodsAt.get(path) ?? []).map((route) => route.method);
    if (allowed.includes('GET')) allowed.push('HEAD');
    if (allowed.length === 0 || allowed.includes(method)) return refusal('path-unknown', id);
    return refusal('method-not-allowed', id, { Allow: allowed.join(', ') });
  }

  function finish(request: Request, response: Response, startedAt: number): Response {
    const { headers } = response;
    // The hot faces write all of these themselves; everybody else gets them here.
    if (!headers.has('X-Request-Id')) {
      const id = deps.exchange.idOf(request);
      headers.set('X-Request-Id', id);
      headers.set('X-Trace-ID', id);
      for (const [name, value] of Object.entries(deps.houseHeaders)) {
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
    deps.log.debug('request', {
      ...facts,
      request_id: response.headers.get('X-Request-Id'),
      elapsed_ms: elapsed,
    });
  }

  return (request) => {
    const startedAt = deps.log.isOn('debug') ? performance.now() : 0;
    if (request.method === 'HEAD') return head(request, root, finish, startedAt);
    const response = root.fetch(request);
    return response instanceof Promise
      ? response.then((late) => finish(request, late, startedAt))
      : finish(request, response, startedAt);
  };
}

/** What GET would answer, without its body (RFC 9110, section 9.3.2). */
async function head(
  request: Request,
  root: AnyElysia,
  finish: (request: Request, response: Response, startedAt: number) => Response,
  startedAt: number,
): Promise<Response> {
  const get = new Request(request.url, { method: 'GET', headers: request.headers });
  const { status, headers } = finish(request, await root.fetch(get), startedAt);
  return new Response(null, { status, headers });
}

function pathOf(request: Request): string {
  const start = request.url.indexOf('/', request.url.indexOf('://') + 3);
  const end = request.url.search(/[?#]/);
  return start < 0 ? '/' : request.url.slice(start, end < 0 ? undefined : end);
}
