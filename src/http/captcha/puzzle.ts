import type { IssuedPuzzle, IssuePuzzle, PuzzleRequest } from '../../captcha/issue.ts';
import { type PageHost, parsePageHost } from '../../captcha/origin.ts';
import type { RequestSource } from '../../captcha/rules/requestFacts.ts';
import { type Awaitable, chain } from '../../lib/awaitable.ts';
import { type Outcome, reject } from '../../lib/outcome.ts';
import { parameterOf } from '../../lib/target.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { parseSitekey, type Sitekey } from '../../model/property.ts';
import type { PuzzleRejection } from '../../model/traffic.ts';
import { toErrorEnvelope } from '../envelope.ts';
import { isOrigin, preflightResponse } from '../preflight.ts';
import { announcedVersion, type Page, pageOf, sourceOf } from '../puzzleRequest.ts';
import { type RateLimit, type RateLimitState, writeRateLimitHeaders } from '../rateLimit.ts';
import type { RequestContext } from '../requestContext.ts';

export type PuzzleRoutesDeps = {
  readonly issue: IssuePuzzle;
  readonly requestContext: RequestContext;
  readonly limit: RateLimit;
  /** Replaces an address with a keyed hash before it is stored in memory. */
  readonly hashAddress: (address: string) => number;
  /** Records a rejection before the property was looked up; undefined if rejections are not recorded. */
  readonly onEarlyRejection?: OnEarlyRejection | undefined;
  readonly commonHeaders: Readonly<Record<string, string>>;
};

export type OnEarlyRejection = (
  sitekey: Sitekey,
  reason: Extract<PuzzleRejection, 'rate-limited' | 'origin-missing'>,
  request: { readonly host: PageHost | undefined; readonly source: () => RequestSource },
) => void;

const EXPOSED_HEADERS =
  'Date, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Trace-ID';
/** The test puzzle never changes, but the operator can turn it off. */
const TEST_PUZZLE_CACHE = 'public, max-age=300';

/** The result of a request for a puzzle. */
type Issue = {
  readonly outcome: Outcome<IssuedPuzzle, Problem>;
  readonly page: Page;
  /** Undefined if the sitekey is invalid. */
  readonly rateLimit?: RateLimitState;
};

/** @see createIssueToPage */
export type IssueToPage = ReturnType<typeof createIssueToPage>;

/**
 * Creates the function that checks the rate limit of the client address and the page of a request, and issues a puzzle.
 *
 * @param hostOf the host of an origin, if it is known; see KnownPages
 */
export function createIssueToPage(
  deps: Omit<PuzzleRoutesDeps, 'commonHeaders'>,
  hostOf: KnownPages['hostOf'] = () => undefined,
) {
  return (request: Request, sitekeyText: string, version: PuzzleRequest['version']): Awaitable<Issue> => {
    const sitekey = parseSitekey(sitekeyText);
    if (!sitekey.ok) return { outcome: sitekey, page: pageOf(request) };
    // A closed connection has no address; its response is never read.
    const client = deps.hashAddress(deps.requestContext.clientOf(request) ?? '');
    const rateLimit = deps.limit.take(client);
    const page = pageOf(request);
    const source = () => sourceOf(request, deps.requestContext);
    const host = page === undefined ? undefined : hostOf(page);
    if (!rateLimit.isAllowed) {
      deps.onEarlyRejection?.(sitekey.value, 'rate-limited', { host, source });
      return { outcome: reject('rate-limited'), page, rateLimit };
    }
    if (page === undefined) deps.onEarlyRejection?.(sitekey.value, 'origin-missing', { host, source });
    return chain(
      deps.issue({ sitekey: sitekey.value, origin: page, host, client, version, source }),
      (outcome) => ({ outcome, page, rateLimit }),
    );
  };
}

/** Creates the handlers of `GET /puzzle` and its preflight. */
export function createPuzzleHandlers(deps: PuzzleRoutesDeps) {
  const responses = createResponses(deps);
  const issueToPage = createIssueToPage(deps, responses.hostOf);
  const handle = (request: Request): Awaitable<Response> =>
    chain(
      issueToPage(request, parameterOf(request, 'sitekey') ?? '', announcedVersion(request)),
      ({ outcome, page, rateLimit }) =>
        outcome.ok
          ? responses.puzzle(outcome.value, request, page, rateLimit)
          : responses.error(outcome.problem, request, page, rateLimit),
    );
  return { handle, preflight: (request: Request) => preflightResponse(request, deps.requestContext) };
}

/**
 * The origins of pages that received puzzles, with everything that does not change from request to request. Bun sends an unchanged
 * `Headers` object at almost no cost, whereas five headers per response cost as much as issuing the puzzle.
 */
export type KnownPages = {
  /** @returns the host of an origin that received a puzzle; undefined for all others */
  readonly hostOf: (origin: string) => PageHost | undefined;
  /** Returns the headers of a response to a page of this origin. Must not be changed. */
  readonly headersFor: (origin: string) => Headers;
};

type KnownPage = { readonly host: PageHost | undefined; readonly headers: Headers };

/** Maximum number of origins, about 1 kB each. The oldest one is evicted, which costs only time. */
const CAPACITY = 1000;

/** @param common the headers of all responses, except for `Access-Control-Allow-Origin` @see KnownPages */
export function createKnownPages(common: Readonly<Record<string, string>>): KnownPages {
  const pages = new Map<string, KnownPage>();

  function add(origin: string): KnownPage {
    const [oldest] = pages.keys();
    if (pages.size >= CAPACITY && oldest !== undefined) pages.delete(oldest);
    const headers = new Headers({ ...common, 'Access-Control-Allow-Origin': origin });
    const page = { host: parsePageHost(origin), headers };
    pages.set(origin, page);
    return page;
  }

  return {
    hostOf: (origin) => pages.get(origin)?.host,
    headersFor: (origin) => (pages.get(origin) ?? add(origin)).headers,
  };
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
    puzzle(
      issued: IssuedPuzzle,
      request: Request,
      page: Page,
      rateLimit: RateLimitState | undefined,
    ): Response {
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
