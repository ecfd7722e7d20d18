import { type AltchaDeps, toAltcha1, toAltcha2, toServerPayload } from '../../../captcha/dialects/altcha.ts';
import {
  type AltchaSolution,
  parseAltchaPayload,
  parseAltchaSolution,
} from '../../../captcha/dialects/altchaSolution.ts';
import { type SignedText, toDialectPayload } from '../../../captcha/dialects/signedText.ts';
import type { WorkCheck } from '../../../captcha/dialects/workCheck.ts';
import type { IssuedPuzzle } from '../../../captcha/issue.ts';
import { toBase64 } from '../../../lib/bytes.ts';
import { isObject } from '../../../lib/json.ts';
import { parameterOf } from '../../../lib/target.ts';
import { type Clock, HOUR, later, toIso, toSeconds } from '../../../lib/time.ts';
import type { Route } from '../../router.ts';
import { payloadIn } from '../siteverify/form.ts';
import {
  bodyReply,
  createVerifier,
  type Reply,
  type SiteverifyRoutesDeps,
  toResponse,
} from '../siteverify/siteverify.ts';
import { type Result, toRejection } from '../siteverify/vendors.ts';
import { type PageRequests, readJson, type SolutionProblem } from './pageRequests.ts';

export type AltchaRoutesDeps = SiteverifyRoutesDeps &
  AltchaDeps & { readonly pages: PageRequests; readonly work: WorkCheck; readonly clock: Clock };

/** The prefixes of the paths. Clients of ALTCHA Sentinel have a base URL without a path. */
const PREFIXES = ['/altcha', ''] as const;

/**
 * Creates the routes for the widgets and backends of ALTCHA. The widget sends its solution to `/altcha/v1/verify`, which checks the work
 * and stores nothing. `/v1/verify/signature` claims the puzzle.
 */
export function altchaRoutes(deps: AltchaRoutesDeps): readonly Route[] {
  const { pages } = deps;
  const challenge = createChallenge(deps);
  const verify = createWidgetVerify(deps);
  const signature = createSignatureVerify(deps);
  return PREFIXES.flatMap((prefix): readonly Route[] => [
    { method: 'GET', path: `${prefix}/v1/challenge`, handle: challenge },
    { method: 'OPTIONS', path: `${prefix}/v1/challenge`, handle: pages.preflight('GET, HEAD, OPTIONS') },
    { method: 'POST', path: `${prefix}/v1/verify`, handle: verify },
    { method: 'OPTIONS', path: `${prefix}/v1/verify`, handle: pages.preflight('POST, OPTIONS') },
    { method: 'POST', path: `${prefix}/v1/verify/signature`, handle: signature },
  ]);
}

/** Makes the widget send its solution to `/altcha/v1/verify`, and replace the value of its field with the response. */
const SERVER_VERIFICATION = {
  'x-altcha-config': JSON.stringify({ verifyurl: '/altcha/v1/verify' }),
  'Access-Control-Expose-Headers': 'x-altcha-config',
};

/**
 * The parameters are `apiKey` (the sitekey), `version` (1 by default, or 2), and `verify`: with `offline`, the field keeps the value that
 * the library of ALTCHA verifies.
 */
function createChallenge({ pages, work, clock, ...deps }: AltchaRoutesDeps) {
  return (request: Request) => {
    const toChallenge = parameterOf(request, 'version') === '2' ? toAltcha2 : toAltcha1;
    const headers = parameterOf(request, 'verify') === 'offline' ? {} : SERVER_VERIFICATION;
    const write = (signed: SignedText, { offlineRotations: rotations }: IssuedPuzzle) => {
      const origin = work.originOf(signed);
      if (origin === undefined) throw new Error('the signing key was deleted');
      const options = { expires: expirationOf(signed, clock), rotations };
      return toChallenge(deps, origin.secret, signed, options).challenge;
    };
    return pages.challenge(request, parameterOf(request, 'apiKey') ?? '', write, headers);
  };
}

/** @returns Unix seconds. The puzzle of the test property has no expiration */
function expirationOf({ puzzle: { expiresAtSeconds } }: SignedText, clock: Clock): number {
  return expiresAtSeconds === 0 ? toSeconds(later(clock(), HOUR)) : expiresAtSeconds;
}

function createWidgetVerify({ pages, work, clock, ...deps }: AltchaRoutesDeps) {
  return async (request: Request): Promise<Response> => {
    const reject = (problem: SolutionProblem) =>
      pages.rejectSolution(request, problem, (reason) => ({ verified: false, reason }));
    const body = await pages.solution(request);
    if (!body.ok) return reject(body.problem);
    const solution = isObject(body.value) ? readSolution(body.value.payload) : undefined;
    if (solution === undefined) return reject('solution-bad-format');
    const { signed, rotations } = solution;
    const checked = work.check(signed, (key) => solution.isSolved(deps, key));
    if (!checked.ok) return reject(checked.problem);
    const { secret, host, issuedAtSeconds } = checked.value;
    const expires = expirationOf(signed, clock);
    const payload = toServerPayload(deps, secret, signed, { host, issuedAtSeconds, expires, rotations });
    const text = toBase64(new TextEncoder().encode(JSON.stringify(payload)));
    return pages.respond(request, { ...payload, payload: text });
  };
}

/** @param payload the value of the form's field, or the object in it */
function readSolution(payload: unknown): AltchaSolution | undefined {
  return typeof payload === 'string' ? parseAltchaPayload(payloadIn(payload)) : parseAltchaSolution(payload);
}

/**
 * Verifies a payload for a backend. The status is 400 if the request can never succeed, because clients repeat a request after any other
 * error.
 */
function createSignatureVerify(deps: AltchaRoutesDeps) {
  const verifier = createVerifier(deps);

  async function verify(request: Request): Promise<Reply> {
    const body = await readJson(deps.bodies, request);
    if (!body.ok)
      return body.problem === 'bad-request' ? BAD_REQUEST : { status: 400, ...bodyReply(body.problem) };
    const parsed = parseRequest(body.value, request);
    if (parsed === undefined) return BAD_REQUEST;
    const admission = await verifier.admitForm(parsed, request);
    if (!admission.ok) return { status: 400, ...admission.reply };
    const solution = readSolution(parsed.payload);
    const dialect = solution && toDialectPayload(solution.signed, (key) => solution.isSolved(deps, key));
    // Postern's own widget at /altcha/altcha.js fills the field with its own format.
    const response = typeof parsed.payload === 'string' ? parsed.payload : '{}';
    const { secret, sitekey } = parsed;
    const form = { secret, response, sitekey, idempotencyKey: '' };
    // Many callers check only `verified`, so a test solution succeeds only if the request contains the test sitekey.
    return verifier.verify(form, admission.admitted, sitekey !== undefined, dialect);
  }

  return async (request: Request) => {
    const reply = await verify(request);
    const retry = reply.isUnavailable ? { status: 503, headers: { 'Retry-After': '1' } } : {};
    return toResponse(toBody, { ...reply, ...retry }, request);
  };
}

const BAD_REQUEST: Reply = { result: toRejection('bad-request'), status: 400 };

/** The members of a request by a backend. */
type SignatureRequest = {
  readonly secret: string | null;
  /** The value of the form's field, or the object in it. */
  readonly payload: unknown;
  /** The expected sitekey. */
  readonly sitekey: string | undefined;
};

/** @param value any JSON value @returns undefined if a member has the wrong type */
function parseRequest(value: unknown, { headers }: Request): SignatureRequest | undefined {
  if (!isObject(value)) return undefined;
  const { payload, secret = headers.get('x-api-key'), apiKey = '' } = value;
  if ((secret !== null && typeof secret !== 'string') || typeof apiKey !== 'string') return undefined;
  if (payload === undefined) return undefined;
  const sitekey = apiKey || headers.get('x-pc-sitekey') || headers.get('x-sitekey') || undefined;
  return { secret, payload, sitekey };
}

/** @returns `error` if the request was not processed, otherwise `reason` for a payload that is not accepted */
function toBody({ success, name, issuedAt, hostname }: Result): string {
  const time = issuedAt === undefined ? {} : { challenge_ts: toIso(issuedAt) };
  const failure = success ? {} : { reason: name, error: name };
  return JSON.stringify({ verified: success, ...failure, ...time, hostname });
}
