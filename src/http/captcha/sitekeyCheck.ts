import type { IssuePuzzle } from '../../captcha/issue.ts';
import { type Awaitable, chain } from '../../lib/awaitable.ts';
import { queryOf } from '../../lib/target.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { parseSitekey, TEST_SITEKEY } from '../../model/property.ts';
import type { Handle } from '../dispatcher.ts';
import type { RateLimit } from '../rateLimit.ts';
import type { RequestContext } from '../requestContext.ts';
import { HCAPTCHA_TEST_SITEKEY } from './siteverify/vendors.ts';

export const SITEKEY_CHECK_PATH = '/checksiteconfig';

export type SitekeyCheckDeps = {
  /** Issues puzzles without counting them. */
  readonly issue: IssuePuzzle;
  /** The limit of requests for puzzles. */
  readonly limit: Pick<RateLimit, 'take'>;
  /** Replaces an address with a keyed hash before it is stored in memory. */
  readonly hashAddress: (address: string) => number;
  readonly requestContext: Pick<RequestContext, 'clientOf'>;
};

/**
 * Creates the handler of `POST /checksiteconfig`, with which hCaptcha's plugins check their settings. A sitekey passes if a page of the
 * host gets a puzzle, regardless of the rules. Nothing is counted or recorded.
 */
export function createSitekeyCheckHandler(deps: SitekeyCheckDeps): Handle {
  return (request): Awaitable<Response> => {
    const client = deps.hashAddress(deps.requestContext.clientOf(request) ?? '');
    const { isAllowed, retryAfterSeconds } = deps.limit.take(client);
    if (!isAllowed) return respond('rate-limited', 429, { 'Retry-After': String(retryAfterSeconds) });
    const query = queryOf(request);
    const given = query.get('sitekey') ?? '';
    const sitekey = parseSitekey(given === HCAPTCHA_TEST_SITEKEY ? TEST_SITEKEY : given);
    if (!sitekey.ok) return respond(sitekey.problem);
    const origin = `https://${query.get('host') ?? ''}`;
    return chain(deps.issue({ sitekey: sitekey.value, origin, client, version: 1 }), (outcome) =>
      respond(outcome.ok ? undefined : outcome.problem),
    );
  };
}

/** @param status by default 200, because existing clients treat other statuses as an outage */
function respond(
  problem: Problem | undefined,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body =
    problem === undefined ? { pass: true, features: {} } : { pass: false, error: PROBLEMS[problem].sentence };
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store', ...headers } });
}
