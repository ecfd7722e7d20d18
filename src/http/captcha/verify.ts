import { VERDICT_CODES, type Verdict } from '../../captcha/verdict.ts';
import type { VerifySolution } from '../../captcha/verify.ts';
import { type Awaitable, chain } from '../../lib/awaitable.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { type Clock, toIso } from '../../lib/time.ts';
import type { Principal } from '../../model/apiKey.ts';
import type { Admitted, KeyGuard, KeyProblem } from '../apiKeyGuard.ts';
import { type Bodies, bodyOwnerOf } from '../body.ts';
import { BODY_STATUS } from '../bodyArrival.ts';
import type { Handle } from '../dispatcher.ts';
import type { RateLimitState } from '../rateLimit.ts';
import type { RequestContext } from '../requestContext.ts';
import { closeConnection } from '../unreadBody.ts';

export type VerifyRoutesDeps = {
  readonly verify: VerifySolution;
  readonly requireKey: KeyGuard['requireKey'];
  readonly countOutcome: KeyGuard['countOutcome'];
  readonly bodies: Bodies;
  readonly requestContext: RequestContext;
  readonly clock: Clock;
  readonly commonHeaders: Readonly<Record<string, string>>;
};

const VERIFY_BODY_LIMIT = 64 * 1024;

/** The disk or the database may work again soon, or fewer argon2id solutions may be waiting. */
const TRY_AGAIN = { 'Retry-After': '1' };

const KEY_STATUS: Record<KeyProblem, number> = {
  'key-not-accepted': 401,
  'scope-not-enough': 403,
  'key-unreadable': 503,
};

/** Creates the handler of `POST /verify`. All responses, including errors, are verdicts. */
export function createVerifyHandler(deps: VerifyRoutesDeps): Handle {
  const responses = createVerifyResponses(deps);

  function handle(request: Request): Awaitable<Response> {
    const key = request.headers.get('x-api-key');
    return chain(deps.requireKey(key, request), (admitted) => admit(admitted, request));
  }

  function admit(admitted: Outcome<Admitted, KeyProblem>, request: Request): Awaitable<Response> {
    if (!admitted.ok) return responses.reject(KEY_STATUS[admitted.problem], request);
    const { principal, rateLimit } = admitted.value;
    if (!rateLimit.isAllowed) return responses.reject(429, request, rateLimit);
    return deps.bodies.ascii(request, VERIFY_BODY_LIMIT, bodyOwnerOf(principal)).then((read) => {
      if (read.ok) return verify(read.value, principal, request);
      deps.countOutcome(principal, false);
      return closeConnection(responses.reject(BODY_STATUS[read.problem], request));
    });
  }

  function verify(text: string, principal: Principal, request: Request): Awaitable<Response> {
    const { headers } = request;
    const expectedSitekey = headers.get('x-pc-sitekey') || headers.get('x-sitekey') || undefined;
    const payload = trimLineBreaks(text);
    return chain(deps.verify({ payload, principal, expectedSitekey }), (verdict) => {
      deps.countOutcome(principal, verdict.success);
      return responses.verdict(verdict, request);
    });
  }

  return handle;
}

/** Form fields and files often end with a line break. */
function trimLineBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--;
  return text.slice(0, end);
}

/** Creates the responses of `/verify`, including those for failures outside of its handler. */
export function createVerifyResponses({
  requestContext,
  clock,
  commonHeaders,
}: Omit<VerifyRoutesDeps, 'verify' | 'requireKey' | 'countOutcome' | 'bodies'>) {
  // One object for all responses. The ids are set right before `new Response` copies it, without an await in between.
  const shared = new Headers({
    ...commonHeaders,
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
  });

  function send(
    body: string,
    status: number,
    request: Request,
    extra: Record<string, string> = {},
  ): Response {
    const id = requestContext.uncachedIdOf(request);
    shared.set('X-Request-Id', id);
    shared.set('X-Trace-ID', id);
    const response = new Response(body, { status, headers: shared });
    for (const [name, value] of Object.entries(extra)) response.headers.set(name, value);
    return response;
  }

  return {
    verdict(verdict: Verdict, request: Request): Response {
      const extra = verdict.isUnavailable || verdict.isBusy ? TRY_AGAIN : {};
      return send(bodyOf(verdict), statusOf(verdict), request, extra);
    },
    /** The response if nothing was verified: code 1. */
    reject(status: number, request: Request, rateLimit?: RateLimitState): Response {
      const verdict = { success: false, name: 'error-other', origin: '', verifiedAt: clock() } as const;
      const wait = rateLimit?.retryAfterSeconds;
      const limited = wait === undefined ? {} : { 'Retry-After': String(wait) };
      return send(bodyOf(verdict), status, request, status === 503 ? TRY_AGAIN : limited);
    },
  };
}

function bodyOf({
  success,
  name,
  origin,
  verifiedAt,
}: Pick<Verdict, 'success' | 'name' | 'origin' | 'verifiedAt'>) {
  return JSON.stringify({ success, code: VERDICT_CODES[name], timestamp: toIso(verifiedAt), origin });
}

function statusOf(verdict: Verdict): number {
  if (verdict.isUnavailable) return 503;
  if (verdict.isBusy) return 429;
  return verdict.name === 'solution-bad-format' ? 400 : 200;
}
