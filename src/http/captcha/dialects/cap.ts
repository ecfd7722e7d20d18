import { capShapeOf, parseCapSolution, parseCapToken, solvesCap } from '../../../captcha/dialects/cap.ts';
import { type SignedText, toSolvedToken } from '../../../captcha/dialects/signedText.ts';
import type { WorkCheck } from '../../../captcha/dialects/workCheck.ts';
import type { Hmac } from '../../../captcha/signature.ts';
import { type Clock, HOUR, instantFromSeconds } from '../../../lib/time.ts';
import { parseSitekey } from '../../../model/property.ts';
import type { Params, Route } from '../../router.ts';
import { payloadIn } from '../siteverify/form.ts';
import {
  createVerifier,
  posternMembers,
  type Reply,
  readVendorForm,
  type SiteverifyRoutesDeps,
  toResponse,
} from '../siteverify/siteverify.ts';
import type { Result } from '../siteverify/vendors.ts';
import type { PageRequests, SolutionProblem } from './pageRequests.ts';

export type CapRoutesDeps = SiteverifyRoutesDeps & {
  readonly pages: PageRequests;
  readonly work: WorkCheck;
  readonly hmac: Hmac;
  readonly clock: Clock;
};

/** The widget rejects tokens that expire in 24 hours or later. It requests a new one after this time; the server accepts the old one. */
const WIDGET_MAX_MS = 23 * HOUR;

/**
 * Creates the routes for the widgets and backends of Cap. A challenge and a token need no state: both contain the signed puzzle. A solution
 * is claimed by `siteverify` and not by `redeem`, so that a claim is the last and only write, and that a visitor whose form is never sent
 * writes nothing. `redeem` returns the same token for each solution of a puzzle, and the claim of the puzzle spends it.
 */
export function capRoutes(deps: CapRoutesDeps): readonly Route[] {
  const { pages, work, hmac, clock } = deps;
  const verify = createSiteverify(deps);

  function expirationOf({ puzzle: { expiresAtSeconds } }: SignedText): number {
    const latest = clock() + WIDGET_MAX_MS;
    // The puzzle of the test property has no expiration.
    return expiresAtSeconds === 0 ? latest : Math.min(instantFromSeconds(expiresAtSeconds), latest);
  }

  const challenge = (request: Request, { sitekey = '' }: Params) =>
    pages.challenge(request, sitekey, (signed) => ({
      challenge: capShapeOf(signed.puzzle.difficulty),
      token: signed.text,
      expires: expirationOf(signed),
    }));

  async function redeem(request: Request, { sitekey = '' }: Params): Promise<Response> {
    const reject = (problem: SolutionProblem) =>
      pages.rejectSolution(request, problem, (error) => ({ success: false, error }));
    const body = await pages.solution(request);
    if (!body.ok) return reject(body.problem);
    const solution = parseCapSolution(body.value);
    if (solution === undefined) return reject('solution-bad-format');
    const { signed } = solution;
    const expected = parseSitekey(sitekey);
    if (!expected.ok || expected.value !== signed.puzzle.propertyId.toHex())
      return reject('property-invalid');
    const checked = work.check(signed, () => solvesCap(solution));
    if (!checked.ok) return reject(checked.problem);
    const token = toSolvedToken('cap', hmac, checked.value.secret, signed);
    return pages.respond(request, { success: true, token, expires: expirationOf(signed) });
  }

  return [
    { method: 'POST', path: '/cap/:sitekey/challenge', handle: challenge },
    { method: 'OPTIONS', path: '/cap/:sitekey/challenge', handle: pages.preflight('POST, OPTIONS') },
    { method: 'POST', path: '/cap/:sitekey/redeem', handle: redeem },
    { method: 'OPTIONS', path: '/cap/:sitekey/redeem', handle: pages.preflight('POST, OPTIONS') },
    {
      method: 'POST',
      path: '/cap/:sitekey/siteverify',
      handle: async (request, { sitekey = '' }) =>
        toResponse(toBody, await verify(request, sitekey), request),
    },
  ];
}

/** Creates the verification by a backend. The path names the expected sitekey, so the test property needs no other safeguard. */
function createSiteverify(deps: CapRoutesDeps) {
  const verifier = createVerifier(deps);
  return async (request: Request, sitekey: string): Promise<Reply> => {
    const read = await readVendorForm(deps, request);
    if (!read.ok) return read.reply;
    const { form } = read;
    const admission = await verifier.admitForm(form, request);
    if (!admission.ok) return admission.reply;
    // Postern's own widget at /cap/widget.js fills the field with its own format.
    const solution = parseCapToken(payloadIn(form.response ?? ''), deps.hmac);
    return verifier.verify({ ...form, sitekey }, admission.admitted, true, solution);
  };
}

/** Backends for reCAPTCHA read `error-codes`, and those for Cap read `error`. A success has neither, because some treat any as a failure. */
function toBody(result: Result, request: Request): string {
  const { 'error-codes': codes, ...members } = posternMembers(result, request);
  return JSON.stringify(result.success ? members : { ...members, 'error-codes': codes, error: codes[0] });
}
