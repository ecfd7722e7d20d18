import { type Log, reasonOf } from '../lib/log.ts';
import { pathOf } from '../lib/target.ts';
import { StoreFailure } from '../model/storeFailure.ts';
import { errorResponse } from './envelope.ts';
import type { RequestContext } from './requestContext.ts';

export type FailureDeps = {
  readonly requestContext: Pick<RequestContext, 'idOf'>;
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** The response to a failure on a path with its own format; undefined for the envelope. */
  readonly failureOf: (path: string, status: number, request: Request) => Response | undefined;
  readonly log: Pick<Log, 'error'>;
  /** Called if a request failed because of the storage; the response is 503. */
  readonly onStoreFailure: (failure: StoreFailure) => void;
};

/** @see createFailures */
export type Failures = ReturnType<typeof createFailures>;

/** Creates the responses to everything that routes throw, and the headers that all responses have. */
export function createFailures({
  requestContext,
  commonHeaders,
  failureOf,
  log,
  onStoreFailure,
}: FailureDeps) {
  /** @param isClientError whether the request is invalid */
  function respond(error: unknown, request: Request, isClientError = false): Response {
    const id = requestContext.idOf(request);
    const path = pathOf(request);
    if (error instanceof StoreFailure) {
      onStoreFailure(error);
      return unavailable(request);
    }
    if (isClientError || isAborted(error, request))
      return failureOf(path, 400, request) ?? errorResponse('request-malformed', id);
    const response = failureOf(path, 500, request) ?? errorResponse('internal-error', id);
    // Routes that set their own headers have set their own id.
    const request_id = response.headers.get('X-Request-Id') ?? id;
    log.error('request-failed', { request_id, path, reason: reasonOf(error) });
    return response;
  }

  /** The response if the server cannot handle the request now. */
  function unavailable(request: Request): Response {
    const own = failureOf(pathOf(request), 503, request);
    return own ?? errorResponse('unavailable', requestContext.idOf(request), { 'Retry-After': '1' });
  }

  /** Adds the headers of every response. Routes that set their own id set all of these headers themselves. */
  function addHeaders(request: Request, headers: Headers): void {
    if (headers.has('X-Request-Id')) return;
    const id = requestContext.idOf(request);
    headers.set('X-Request-Id', id);
    headers.set('X-Trace-ID', id);
    for (const [name, value] of Object.entries(commonHeaders)) {
      if (!headers.has(name)) headers.set(name, value);
    }
  }

  return { respond, unavailable, addHeaders };
}

/** @returns whether the client closed the connection before its body was complete */
function isAborted(error: unknown, request: Request): boolean {
  return request.signal.aborted && error instanceof DOMException && error.name === 'AbortError';
}
