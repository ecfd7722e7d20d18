import { Elysia } from 'elysia';
import type { IssuedPuzzle, IssuePuzzle } from '../../captcha/issue.ts';
import { ORIGIN_MAX_LENGTH, parsePageHost } from '../../captcha/origin.ts';
import { type Awaitable, chain } from '../../lib/awaitable.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { parseSitekey } from '../../model/property.ts';
import { refusal } from '../envelope.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import { type RateLimit, type Standing, writeStanding } from '../rateLimit.ts';
import type { RequestContext } from '../requestContext.ts';

export type PuzzleRoutesDeps = {
  readonly issue: IssuePuzzle;
  readonly requestContext: RequestContext;
  readonly limit: RateLimit;
  /** Makes an address unrecognizable before it is kept in memory. */
  readonly blind: (address: string) => number;
  readonly commonHeaders: Readonly<Record<string, string>>;
};

/** Request headers that widgets send, so that browsers let them. */
const ALLOWED_HEADERS = 'x-pc-captcha-version, accept, content-type, x-requested-with';
const EXPOSED_HEADERS =
  'Date, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Trace-ID';
const PREFLIGHT_SECONDS = '86400';
/** The test puzzle never changes, but may be switched off. */
const TEST_PUZZLE_CACHE = 'public, max-age=300';

const NOT_FOR_OTHERS = [
  'X-Request-Id',
  'X-Trace-ID',
  'Vary',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** The origin of the page that asks, as it was sent; undefined where none is known. */
type Page = string | undefined;

/** `GET /puzzle` and its preflight. */
export function puzzleRoutes(deps: PuzzleRoutesDeps) {
  const answer = createAnswer(deps);

  function ask({ request }: { readonly request: Request }): Awaitable<Response> {
    const sitekey = parseSitekey(sitekeyOf(request.url));
    if (!sitekey.ok) return answer.refuse(sitekey.problem, request, pageOf(request));
    // A connection that closed meanwhile has no address; nobody reads the answer.
    const client = deps.blind(deps.requestContext.clientOf(request) ?? '');
    const standing = deps.limit.take(client);
    const page = pageOf(request);
    if (!standing.isAllowed) return answer.refuse('rate-limited', request, page, standing);
    return chain(deps.issue({ sitekey: sitekey.value, origin: page, client }), (outcome) =>
      outcome.ok
        ? answer.issue(outcome.value, request, page, standing)
        : answer.refuse(outcome.problem, request, page, standing),
    );
  }

  return (
    new Elysia()
      // Elysia reads a handler's source to guess whether it is async, and awaits this one; a bound function has no
      // source, and Elysia then looks at what it returns. Saves a promise and its turn on every puzzle.
      .get('/puzzle', ask.bind(undefined), { detail: OPERATIONS.getPuzzle })
      .options('/puzzle', ({ request }) => preflight(request.headers.get('origin')), {
        detail: OPERATIONS.preflightPuzzle,
      })
  );
}

/** The sitekey parameter, "" where there is none. */
function sitekeyOf(url: string): string {
  const at = url.indexOf('?sitekey=');
  // What every widget asks: the sitekey, plainly, and nothing after it.
  if (at > 0 && url.length === at + 41) return url.slice(at + 9);
  const found = /[?&]sitekey=([^&#]*)/.exec(url)?.[1];
  if (found === undefined) return '';
  if (!/[%+]/.test(found)) return found;
  return new URLSearchParams(`sitekey=${found}`).get('sitekey') ?? '';
}

/**
 * The page that asks: its `Origin`. Browsers send none with a GET to the page's own host; there the `Referer` stands
 * in, if the browser says that the request is same-origin, or, where a plain-http page has no `Sec-Fetch-Site`, if the
 * referring page is on the very host that is asked. A `Referer` of more than 300 characters counts as none; the widget sends
 * the origin alone.
 */
function pageOf(request: Request): Page {
  const origin = request.headers.get('origin');
  if (origin) return origin;
  const referer = request.headers.get('referer');
  if (referer === null || referer.length > ORIGIN_MAX_LENGTH) return undefined;
  const own = URL.parse(referer);
  if (own === null) return undefined;
  const site = request.headers.get('sec-fetch-site');
  const isOwn = site === null ? own.host === request.headers.get('host') : site === 'same-origin';
  return isOwn ? own.origin : undefined;
}

/** Only what is one origin is told to CORS, not two of them; `null` where it is refused, so that a sandboxed page may read why. */
function isOrigin(text: string | null | undefined): text is string {
  return typeof text === 'string' && parsePageHost(text) !== undefined;
}

function preflight(origin: string | null): Response {
  const headers = new Headers({
    'Access-Control-Allow-Methods': 'GET, OPTIONS',
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    Vary: 'Origin',
  });
  if (isOrigin(origin) || origin === 'null') headers.set('Access-Control-Allow-Origin', origin);
  return new Response(null, { status: 204, headers });
}

function createAnswer({ requestContext, limit, commonHeaders }: PuzzleRoutesDeps) {
  // One object for all answers: the five headers that vary are set right before `new Response` copies it, in one
  // go without an await between. Building fourteen headers anew takes twice as long (0.7 against 1.3 µs).
  const shared = new Headers({
    ...commonHeaders,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    Vary: 'Origin',
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    'X-RateLimit-Limit': String(limit.burst),
  });

  return {
    issue(issued: IssuedPuzzle, request: Request, page: Page, standing: Standing): Response {
      if (issued.isTest) return answerTest(issued.text);
      const id = requestContext.freshIdOf(request);
      shared.set('Access-Control-Allow-Origin', page ?? '');
      shared.set('X-RateLimit-Remaining', String(standing.remaining));
      shared.set('X-RateLimit-Reset', String(standing.resetSeconds));
      shared.set('X-Request-Id', id);
      shared.set('X-Trace-ID', id);
      return new Response(issued.text, { headers: shared });
    },
    refuse(problem: Problem, request: Request, page: Page, standing?: Standing): Response {
      const headers = new Headers({ Vary: 'Origin', 'Access-Control-Expose-Headers': EXPOSED_HEADERS });
      // The page may read why, also where it gets no puzzle: nothing here is a secret.
      if (isOrigin(page) || page === 'null') headers.set('Access-Control-Allow-Origin', page);
      if (standing !== undefined) writeStanding(headers, standing);
      const { status } = PROBLEMS[problem];
      if (status === 429) headers.set('Retry-After', String(standing?.retryAfterSeconds));
      if (status === 503) headers.set('Retry-After', '1');
      return refusal(problem, requestContext.idOf(request), headers);
    },
  };

  function answerTest(text: string): Response {
    const headers = new Headers(shared);
    headers.set('Access-Control-Allow-Origin', '*');
    headers.set('Cache-Control', TEST_PUZZLE_CACHE);
    // The server writes this request's own ids; those in the shared object are another's.
    // A shared cache hands this to others, whose standing is theirs.
    for (const name of NOT_FOR_OTHERS) headers.delete(name);
    return new Response(text, { headers });
  }
}
