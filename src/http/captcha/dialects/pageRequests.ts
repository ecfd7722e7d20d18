import { type SignedText, toSignedText } from '../../../captcha/dialects/signedText.ts';
import type { IssuedPuzzle } from '../../../captcha/issue.ts';
import type { VerdictName } from '../../../captcha/verdict.ts';
import { type Awaitable, chain } from '../../../lib/awaitable.ts';
import { exceededLimit } from '../../../lib/json.ts';
import { type Outcome, reject } from '../../../lib/outcome.ts';
import { PROBLEMS, type Problem } from '../../../model/problems.ts';
import type { Bodies } from '../../body.ts';
import { BODY_STATUS, type BodyProblem } from '../../bodyArrival.ts';
import type { Handle } from '../../dispatcher.ts';
import { sentenceOf, toErrorEnvelope } from '../../envelope.ts';
import { isOrigin, preflightResponse } from '../../preflight.ts';
import { type Page, pageOf } from '../../puzzleRequest.ts';
import type { RateLimitState } from '../../rateLimit.ts';
import type { RequestContext } from '../../requestContext.ts';
import { closeConnection } from '../../unreadBody.ts';
import type { IssueToPage } from '../puzzle.ts';

/** The requests that the widgets of other products send from pages of all origins. */

export type PageRequestsDeps = {
  readonly issueToPage: IssueToPage;
  /** Counts a request against the rate limit of its client address, which is that of `/puzzle`. */
  readonly takeClient: (request: Request) => RateLimitState;
  readonly bodies: Pick<Bodies, 'anonymous'>;
  readonly requestContext: RequestContext;
};

/** Four times the largest solution of a widget that sends nothing else. */
const BODY_LIMIT = 16 * 1024;
const JSON_LIMITS = { tokens: 2048, depth: 8 };

/** Why a request with a solution is rejected before or by the check of the work. */
export type SolutionProblem = VerdictName | BodyProblem | 'bad-request' | 'rate-limited';

const PROBLEM_STATUS: Readonly<Partial<Record<SolutionProblem, number>>> = {
  ...BODY_STATUS,
  'bad-request': 400,
  'solution-bad-format': 400,
  'rate-limited': 429,
};

/** @see createPageRequests */
export type PageRequests = ReturnType<typeof createPageRequests>;

/** Creates the functions that read these requests and respond to them. */
export function createPageRequests({ issueToPage, takeClient, bodies, requestContext }: PageRequestsDeps) {
  /** Rejects a request for a challenge. Both products show the member `error`. */
  function rejectChallenge(problem: Problem, request: Request, page: Page, limit?: RateLimitState): Response {
    const { status } = PROBLEMS[problem];
    const body = {
      ...toErrorEnvelope(problem, requestContext.idOf(request)),
      error: sentenceOf({ problem }),
    };
    const response = respond(page, body, status);
    if (status === 429) response.headers.set('Retry-After', String(limit?.retryAfterSeconds));
    if (status === 503) response.headers.set('Retry-After', '1');
    return response;
  }

  return {
    /** Issues a puzzle with the checks of `/puzzle`. @param toChallenge converts it to a product's format */
    challenge: (
      request: Request,
      sitekey: string,
      toChallenge: (signed: SignedText, issued: IssuedPuzzle) => object,
      headers: Readonly<Record<string, string>> = {},
    ): Awaitable<Response> =>
      // Version 1, because no other widget can solve argon2id.
      chain(issueToPage(request, sitekey, 1), ({ outcome, page, rateLimit }) =>
        outcome.ok
          ? respond(page, toChallenge(toSignedText(outcome.value.text), outcome.value), 200, headers)
          : rejectChallenge(outcome.problem, request, page, rateLimit),
      ),
    /** Reads a JSON body of at most 16 KiB, after the rate limit of the client address. */
    async solution(request: Request): Promise<Outcome<unknown, SolutionProblem>> {
      if (!takeClient(request).isAllowed) return reject('rate-limited');
      return readJson(bodies, request);
    },
    /** Responds to a request with a solution. */
    respond: (request: Request, body: object): Response => respond(pageOf(request), body, 200),
    /** @param toBody writes the name of the problem in the format of a product */
    rejectSolution(request: Request, problem: SolutionProblem, toBody: (name: string) => object): Response {
      const response = respond(pageOf(request), toBody(problem), PROBLEM_STATUS[problem] ?? 200);
      if (response.status === 429 || response.status === 503) response.headers.set('Retry-After', '1');
      return problem in BODY_STATUS ? closeConnection(response) : response;
    },
    preflight:
      (methods: string): Handle =>
      (request) =>
        preflightResponse(request, requestContext, methods),
  };
}

/** Reads a JSON body of at most 16 KiB. */
export async function readJson(
  bodies: Pick<Bodies, 'anonymous'>,
  request: Request,
): Promise<Outcome<unknown, BodyProblem | 'bad-request'>> {
  const body = await bodies.anonymous(request, BODY_LIMIT);
  if (!body.ok) return body;
  if (exceededLimit(body.value, JSON_LIMITS) !== undefined) return reject('bad-request');
  try {
    return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.value)) };
  } catch {
    return reject('bad-request');
  }
}

/** @returns a response that the page can read */
function respond(page: Page, body: object, status: number, headers: Record<string, string> = {}): Response {
  const response = Response.json(body, { status, headers });
  response.headers.set('Cache-Control', 'no-store');
  response.headers.set('Vary', 'Origin');
  response.headers.append('Access-Control-Expose-Headers', 'Date, Retry-After, X-Request-Id');
  if (isOrigin(page) || page === 'null') response.headers.set('Access-Control-Allow-Origin', page);
  return response;
}
