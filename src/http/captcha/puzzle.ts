import type { IssuedPuzzle, IssuePuzzle } from '../../captcha/issue.ts';
import { ORIGIN_MAX_LENGTH } from '../../captcha/origin.ts';
import { type Awaitable, chain } from '../../lib/awaitable.ts';
import { hostOf, parameterOf } from '../../lib/target.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { parseSitekey } from '../../model/property.ts';
import { announcedVersion } from '../announcedVersion.ts';
import { toErrorEnvelope } from '../envelope.ts';
import { isOrigin, preflightResponse } from '../preflight.ts';
import { type RateLimit, type RateLimitState, writeRateLimitHeaders } from '../rateLimit.ts';
import type { RequestContext } from '../requestContext.ts';
import { createKnownPages } from './knownPages.ts';
import { sourceOf } from './requestSource.ts';

export type PuzzleRoutesDeps = {
  readonly issue: IssuePuzzle;
  readonly requestContext: RequestContext;
  readonly limit: RateLimit;
  /** Replaces an address with a keyed hash before it is stored in memory. */
  readonly hashAddress: (address: string) => number;
  readonly commonHeaders: Readonly<Record<string, string>>;
};

const EXPOSED_HEADERS =
  'Date, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Trace-ID';
/** The test puzzle never changes, but the operator can turn it off. */
const TEST_PUZZLE_CACHE = 'public, max-age=300';

/** The origin of the requesting page as it was sent; undefined if it is unknown. */
type Page = string | undefined;

/** Creates the handlers of `GET /puzzle` and its preflight. */
export function createPuzzleHandlers(deps: PuzzleRoutesDeps) {
  const responses = createResponses(deps);

  function handle(request: Request): Awaitable<Response> {
    const sitekey = parseSitekey(parameterOf(request, 'sitekey') ?? '');
    if (!sitekey.ok) return responses.error(sitekey.problem, request, pageOf(request));
    // A closed connection has no address; its response is never read.
    const client = deps.hashAddress(deps.requestContext.clientOf(request) ?? '');
    const rateLimit = deps.limit.take(client);
    const page = pageOf(request);
    if (!rateLimit.isAllowed) return responses.error('rate-limited', request, page, rateLimit);
    const version = announcedVersion(request);
    const source = () => sourceOf(request, deps.requestContext);
    const host = page === undefined ? undefined : responses.hostOf(page);
    return chain(
      deps.issue({ sitekey: sitekey.value, origin: page, host, client, version, source }),
      (outcome) =>
        outcome.ok
          ? responses.puzzle(outcome.value, request, page, rateLimit)
          : responses.error(outcome.problem, request, page, rateLimit),
    );
  }

  return { handle, preflight: (request: Request) => preflightResponse(request, deps.requestContext) };
}

/**
 * Finds the origin of the requesting page. Browsers send no `Origin` with a same-origin GET, so the origin of `Referer` replaces it if
 * `Sec-Fetch-Site` is `same-origin` or, on http pages that have no such header, if the referring page is on the requested host. A
 * `Referer` of more than 300 characters is ignored; the widget sends only the origin. If browsers or proxies remove the `Referer`, the
 * requested host replaces it. `X-Forwarded-Host` does not, because scripts can set it: a page on another name of this server could
 * pretend to be on any host.
 */
function pageOf(request: Request): Page {
  const { headers } = request;
  const origin = headers.get('origin');
  if (origin) return origin;
  const secFetchSite = headers.get('sec-fetch-site');
  const referrer = referrerOf(headers);
  if (secFetchSite === null) return referrer?.host === headers.get('host') ? referrer?.origin : undefined;
  if (secFetchSite !== 'same-origin') return undefined;
  if (referrer !== undefined) return referrer.origin;
  const host = hostOf(request);
  // Browsers send `Sec-Fetch-Site` only to https and loopback hosts; only the host is compared.
  return host === undefined ? undefined : `https://${host}`;
}

function referrerOf(headers: Headers): URL | undefined {
  const referer = headers.get('referer');
  if (referer === null || referer.length > ORIGIN_MAX_LENGTH) return undefined;
  return URL.parse(referer) ?? undefined;
}

function createResponses({ requestContext, commonHeaders }: PuzzleRoutesDeps) {
  const common = {
    ...commonHeaders,
    'Content-Type': 'text/plain; charset=utf-8',
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  };
  // Shared caches return this response to other clients, so it has no headers that describe a single request.
  const testHeaders = new Headers({
    ...common,
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': TEST_PUZZLE_CACHE,
  });
  const notStored = { Vary: 'Origin', 'Cache-Control': 'no-store' };
  const pages = createKnownPages({ ...common, ...notStored });
  const errorHeaders = new Headers({
    ...common,
    ...notStored,
    'Content-Type': 'application/json;charset=utf-8',
  });

  return {
    hostOf: pages.hostOf,
    puzzle(issued: IssuedPuzzle, request: Request, page: Page, rateLimit: RateLimitState): Response {
      if (issued.isTest) return new Response(issued.text, { headers: testHeaders });
      // Without a page, no puzzle is issued.
      const response = new Response(issued.text, { headers: pages.headersFor(page ?? '') });
      // These headers are different for each request. A client that needs them sends `X-Request-Id`.
      if (request.headers.has('x-request-id'))
        writeRequestHeaders(response.headers, requestContext.uncachedIdOf(request), rateLimit);
      return response;
    },
    error(problem: Problem, request: Request, page: Page, rateLimit?: RateLimitState): Response {
      const id = requestContext.uncachedIdOf(request);
      const { status } = PROBLEMS[problem];
      const body = JSON.stringify(toErrorEnvelope(problem, id));
      const response = new Response(body, { status, headers: errorHeaders });
      const { headers } = response;
      writeRequestHeaders(headers, id, rateLimit);
      // Sandboxed pages, whose origin is `null`, can read the error too.
      if (isOrigin(page) || page === 'null') headers.set('Access-Control-Allow-Origin', page);
      if (status === 429) headers.set('Retry-After', String(rateLimit?.retryAfterSeconds));
      if (status === 503) headers.set('Retry-After', '1');
      return response;
    },
  };
}

/** Writes the headers that are different for each request. */
function writeRequestHeaders(headers: Headers, id: string, rateLimit: RateLimitState | undefined): void {
  headers.set('X-Request-Id', id);
  headers.set('X-Trace-ID', id);
  if (rateLimit !== undefined) writeRateLimitHeaders(headers, rateLimit);
}
