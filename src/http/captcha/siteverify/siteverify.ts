import { readPageData } from '../../../captcha/unsignedPuzzles.ts';
import type { DialectPayload } from '../../../captcha/verdicts.ts';
import type { VerifySolution } from '../../../captcha/verify.ts';
import { queryOf } from '../../../lib/target.ts';
import { type Clock, toIso } from '../../../lib/time.ts';
import type { Principal } from '../../../model/apiKey.ts';
import { sha256 } from '../../../sha256.ts';
import type { Admitted, KeyGuard, KeyProblem } from '../../apiKeyGuard.ts';
import { type Bodies, bodyOwnerOf } from '../../body.ts';
import type { BodyProblem } from '../../bodyArrival.ts';
import type { Handle } from '../../dispatcher.ts';
import { closeConnection } from '../../unreadBody.ts';
import { type Form, parseForm, parseVendorForm, payloadIn } from './form.ts';
import {
  type ErrorName,
  type Result,
  SCORE,
  scoreFields,
  toRejection,
  toResult,
  VENDORS,
  type Vendor,
  vendorBody,
} from './vendors.ts';

export type SiteverifyRoutesDeps = {
  readonly verify: VerifySolution;
  readonly requireKey: KeyGuard['requireKey'];
  readonly countOutcome: KeyGuard['countOutcome'];
  readonly bodies: Bodies;
  readonly clock: Clock;
  /** Whether the vendors' test secrets are accepted. */
  readonly hasTestProperty: boolean;
};

const SITEVERIFY_PATH = '/siteverify';
/** In bytes. */
const SITEVERIFY_BODY_LIMIT = 64 * 1024;
/** Maximum number of characters. Turnstile requires a UUID; Postern accepts any text. */
const IDEMPOTENCY_KEY_LIMIT = 128;

const KEY_ERROR: Record<KeyProblem, ErrorName> = {
  'key-not-accepted': 'invalid-input-secret',
  'scope-not-enough': 'invalid-input-secret',
  'key-unreadable': 'error-other',
};

/** The bodies of other requests or the verifications of other solutions fill the memory for them. */
const TRY_AGAIN = { status: 429, headers: { 'Retry-After': '1' } } as const;

/** A result with the status and headers of its response. */
export type Reply = {
  readonly result: Result;
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Why the body was not read completely. */
  readonly bodyProblem?: BodyProblem;
  /** Whether the caller should try again later. */
  readonly isUnavailable?: boolean;
};

/** An accepted key, or the response that rejects it. */
type Admission =
  | { readonly ok: true; readonly admitted: Admitted }
  | { readonly ok: false; readonly reply: Reply };

/** A key that was accepted before the body was read. */
type HeaderKey = { readonly key: string; readonly admission: Extract<Admission, { readonly ok: true }> };

/** Returns the methods and paths of the routes. `vendor` is undefined for `/siteverify`. */
export function siteverifyPaths() {
  const vendors = VENDORS.flatMap((vendor) => {
    const { path, allowsQuery } = vendor;
    const post = { method: 'POST', path, vendor } as const;
    return allowsQuery ? [post, { method: 'GET', path, vendor } as const] : [post];
  });
  return [{ method: 'POST', path: SITEVERIFY_PATH, vendor: undefined } as const, ...vendors];
}

/** A handler and its route. */
export type SiteverifyRoute = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: Handle;
};

/**
 * Creates the handlers of `POST /siteverify`, the first route, and of the other vendors' paths. The status is 200 except for 413 and 429,
 * because existing clients treat other statuses as an outage.
 */
export function createSiteverifyRoutes(deps: SiteverifyRoutesDeps): readonly SiteverifyRoute[] {
  const verifier = createVerifier(deps);
  return siteverifyPaths().map(({ method, path, vendor }) => ({
    method,
    path,
    handle: async (request) =>
      vendor === undefined
        ? toResponse(posternBody, await verifyPostern(request), request)
        : toResponse((result) => vendorBody(vendor, result), await verifyVendor(vendor, request), request),
  }));

  /** A key in `X-API-Key` is checked before the body is read. */
  async function verifyPostern(request: Request): Promise<Reply> {
    const key = request.headers.get('x-api-key') || undefined;
    if (key === undefined) return readPostern(request, undefined);
    const admission = await verifier.admit(key, request);
    return admission.ok ? readPostern(request, { key, admission }) : admission.reply;
  }

  function readBody(request: Request, principal: Principal | undefined) {
    const { bytes, anonymous } = deps.bodies;
    return principal === undefined
      ? anonymous(request, SITEVERIFY_BODY_LIMIT)
      : bytes(request, SITEVERIFY_BODY_LIMIT, bodyOwnerOf(principal));
  }

  async function readPostern(request: Request, headerKey: HeaderKey | undefined): Promise<Reply> {
    const principal = headerKey?.admission.admitted.principal;
    const body = await readBody(request, principal);
    const form = body.ok ? await parseForm(body.value, request) : undefined;
    const isAdmitted = headerKey !== undefined && headerKey.key === form?.secret;
    if (principal !== undefined && !isAdmitted) deps.countOutcome(principal, false);
    if (!body.ok) return bodyReply(body.problem);
    if (form === undefined) return { result: toRejection('bad-request') };
    const admission = isAdmitted ? headerKey.admission : await verifier.admitForm(form, request);
    if (!admission.ok) return admission.reply;
    // Many callers check only `success`, so a test solution succeeds only if the request contains the test sitekey.
    return verifier.verify(form, admission.admitted, form.sitekey !== undefined);
  }

  async function verifyVendor(vendor: Vendor, request: Request): Promise<Reply> {
    const read = await readVendorForm(deps, request, vendor.allowsQuery ? queryOf(request) : undefined);
    if (!read.ok) return read.reply;
    const { form } = read;
    const testResult = deps.hasTestProperty ? verifyWithTestSecret(vendor, form, deps.clock) : undefined;
    if (testResult !== undefined) return { result: testResult };
    const admission = await verifier.admitForm(form, request);
    if (!admission.ok) return admission.reply;
    return verifier.verify(form, admission.admitted, false);
  }
}

/** Reads a request to a path in a vendor's format. @param query supplies the fields that the body lacks */
export async function readVendorForm(
  { bodies }: Pick<SiteverifyRoutesDeps, 'bodies'>,
  request: Request,
  query = new URLSearchParams(),
): Promise<{ readonly ok: true; readonly form: Form } | { readonly ok: false; readonly reply: Reply }> {
  const body = await bodies.anonymous(request, SITEVERIFY_BODY_LIMIT);
  if (!body.ok) return { ok: false, reply: bodyReply(body.problem) };
  const form = await parseVendorForm(body.value, request.headers.get('content-type'), query);
  return form === undefined || form.idempotencyKey.length > IDEMPOTENCY_KEY_LIMIT
    ? { ok: false, reply: { result: toRejection('bad-request') } }
    : { ok: true, form };
}

/** Creates the check of a secret in the body, and the verification with an accepted one. */
export function createVerifier({ verify, requireKey, countOutcome }: SiteverifyRoutesDeps) {
  /** Counts one request against the key's rate limit. */
  async function admit(key: string, request: Request): Promise<Admission> {
    const admitted = await requireKey(key, request);
    if (!admitted.ok) {
      const isUnavailable = admitted.problem === 'key-unreadable';
      return { ok: false, reply: { result: toRejection(KEY_ERROR[admitted.problem]), isUnavailable } };
    }
    const { isAllowed, retryAfterSeconds } = admitted.value.rateLimit;
    if (isAllowed) return { ok: true, admitted: admitted.value };
    const headers = { 'Retry-After': String(retryAfterSeconds) };
    return { ok: false, reply: { result: toRejection('error-other'), status: 429, headers } };
  }

  async function check(
    form: Form,
    { principal }: Admitted,
    solution: DialectPayload | undefined,
  ): Promise<Reply> {
    if (!form.response) return { result: toRejection('missing-input-response') };
    const payload = payloadIn(form.response);
    const { idempotencyKey } = form;
    const expectedSitekey = form.sitekey;
    const repeat =
      idempotencyKey && JSON.stringify([principal.keyId, idempotencyKey, payload, expectedSitekey]);
    const repeatHash = repeat ? { repeatHash: sha256(new TextEncoder().encode(repeat)) } : {};
    const verdict = await verify({ payload: solution ?? payload, principal, expectedSitekey, ...repeatHash });
    const { isBusy, isUnavailable } = verdict;
    const result = toResult(verdict);
    return isBusy ? { result, ...TRY_AGAIN } : { result, isUnavailable };
  }

  return {
    admit,
    async admitForm({ secret }: Pick<Form, 'secret'>, request: Request): Promise<Admission> {
      if (!secret) return { ok: false, reply: { result: toRejection('missing-input-secret') } };
      return admit(secret, request);
    },
    /**
     * @param acceptsTest whether a test solution succeeds
     * @param solution what `response` contains, if it has the format of another product
     */
    async verify(
      form: Form,
      admitted: Admitted,
      acceptsTest: boolean,
      solution?: DialectPayload,
    ): Promise<Reply> {
      const reply = await check(form, admitted, solution);
      const { result } = reply;
      const isUnexpectedTest = result.name === 'property-test' && !acceptsTest;
      countOutcome(admitted.principal, result.success && !isUnexpectedTest);
      return isUnexpectedTest ? { ...reply, result: { ...result, success: false } } : reply;
    },
  };
}

/** @returns undefined if the secret is not one of the vendor's test secrets */
function verifyWithTestSecret({ testKeys }: Vendor, form: Form, clock: Clock): Result | undefined {
  const { secret, response } = form;
  if (!secret || !Object.hasOwn(testKeys.secrets, secret)) return undefined;
  if (!response) return toRejection('missing-input-response');
  const error = testKeys.secrets[secret]?.(response);
  if (error !== undefined) return toRejection(error);
  const pageData = readPageData(payloadIn(response));
  const { hostname, sitekey } = testKeys;
  return { success: true, name: undefined, issuedAt: clock(), hostname, sitekey, pageData };
}

/** @returns the response to a body that was not read completely */
export function bodyReply(problem: BodyProblem): Reply {
  switch (problem) {
    case 'body-too-large':
      return { result: toRejection('bad-request'), status: 413, bodyProblem: problem };
    case 'body-too-slow':
      return { result: toRejection('bad-request'), bodyProblem: problem };
    case 'bodies-too-many':
      return { result: toRejection('error-other'), ...TRY_AGAIN, bodyProblem: problem };
  }
}

const posternBody = (result: Result, request: Request) => JSON.stringify(posternMembers(result, request));

/** The format of `/siteverify`: reCAPTCHA's, with Postern's error names. */
export function posternMembers(result: Result, request: Request) {
  const { success, name, issuedAt, hostname } = result;
  const isV3 = request.headers.get('x-captcha-compat-version')?.toLowerCase() === 'rcv3';
  const v3Fields = isV3
    ? { score: success ? SCORE : 0, action: result.pageData.action ?? '' }
    : scoreFields(result);
  // Omitted if it is unknown, because strict clients fail to parse an empty date.
  const time = issuedAt === undefined ? {} : { challenge_ts: toIso(issuedAt) };
  const codes = name === undefined ? [] : [name];
  return { success, ...time, hostname, ...v3Fields, 'error-codes': codes };
}

/** @returns the response for an internal error; undefined for paths that do not belong to this module */
export function siteverifyErrorResponse(path: string, request: Request): Response | undefined {
  const reply = { result: toRejection('error-other') };
  if (path === SITEVERIFY_PATH) return toResponse(posternBody, reply, request);
  const vendor = VENDORS.find((candidate) => candidate.path === path);
  return vendor && toResponse((result) => vendorBody(vendor, result), reply, request);
}

/** @param toBody writes the result in the format of the path */
export function toResponse(
  toBody: (result: Result, request: Request) => string,
  { result, status = 200, headers = {}, bodyProblem }: Reply,
  request: Request,
): Response {
  const type = { 'Content-Type': 'application/json;charset=utf-8', 'Cache-Control': 'no-store' };
  const response = new Response(toBody(result, request), { status, headers: { ...type, ...headers } });
  return bodyProblem === undefined ? response : closeConnection(response);
}
