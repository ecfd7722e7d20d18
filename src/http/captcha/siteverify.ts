import { Elysia } from 'elysia';
import type { Verdict, VerdictName } from '../../captcha/verdict.ts';
import type { VerifySolution } from '../../captcha/verify.ts';
import { toIso } from '../../lib/time.ts';
import type { Admitted, KeyProblem, RequireKey } from '../apiKeyGuard.ts';
import { BODY_STATUS, type Bodies, type BodyProblem, closeIfTooSlow } from '../body.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import type { RequestContext } from '../requestContext.ts';

export type SiteverifyRoutesDeps = {
  readonly verify: VerifySolution;
  readonly requireKey: RequireKey;
  readonly bodies: Bodies;
  readonly requestContext: RequestContext;
};

const SITEVERIFY_BODY_LIMIT = 64 * 1024;

/** The reCAPTCHA v3 score of every accepted solution; proof of work has no gradation. */
const SCORE = 0.9;

/** reCAPTCHA's error codes for invalid requests. */
type RequestError =
  | 'missing-input-secret'
  | 'invalid-input-secret'
  | 'missing-input-response'
  | 'bad-request';

type Facts = { readonly success: boolean; readonly challenge_ts?: string; readonly hostname: string };

type Form = {
  readonly secret: string | null;
  readonly response: string | null;
  readonly sitekey: string | undefined;
};

const KEY_ERROR: Record<KeyProblem, RequestError | VerdictName> = {
  'key-not-accepted': 'invalid-input-secret',
  'scope-not-enough': 'invalid-input-secret',
  'key-unreadable': 'error-other',
};

/** An accepted key, or the response that rejects it. */
type Admission =
  | { readonly ok: true; readonly admitted: Admitted }
  | { readonly ok: false; readonly response: Response };

/** A key that was accepted before the body was read. */
type HeaderKey = { readonly key: string; readonly admission: Admission };

/**
 * The route of `POST /siteverify`, in the format of reCAPTCHA. The status is 200 except for 408, 413, 429, and 503, because legacy
 * clients treat a 4xx as an outage. A key in `X-API-Key` is checked before the body is read.
 */
export function siteverifyRoutes(deps: SiteverifyRoutesDeps) {
  async function handle(request: Request): Promise<Response> {
    const header = request.headers.get('x-api-key') || undefined;
    if (header === undefined) return read(request, undefined);
    const admission = await admit(header, request);
    return admission.ok ? read(request, { key: header, admission }) : admission.response;
  }

  /** @param headerKey undefined if there is none */
  async function read(request: Request, headerKey: HeaderKey | undefined): Promise<Response> {
    const { bytes, anonymous } = deps.bodies;
    const body = await (headerKey === undefined ? anonymous : bytes)(request, SITEVERIFY_BODY_LIMIT);
    if (!body.ok) return rejectBody(request, body.problem);
    const form = await parseForm(body.value, request);
    if (form === undefined) return reject(request, 'bad-request');
    const admission =
      headerKey !== undefined && headerKey.key === form.secret
        ? headerKey.admission
        : await admitForm(form, request);
    return admission.ok ? verify(form, admission.admitted, request) : admission.response;
  }

  async function verify(form: Form, { principal }: Admitted, request: Request): Promise<Response> {
    if (!form.response) return reject(request, 'missing-input-response');
    const payload = payloadIn(form.response);
    const verdict = await deps.verify({ payload, principal, expectedSitekey: form.sitekey });
    return verdictResponse(verdict, form, request);
  }

  async function admitForm({ secret }: Form, request: Request): Promise<Admission> {
    if (!secret) return { ok: false, response: reject(request, 'missing-input-secret') };
    return admit(secret, request);
  }

  /** Counts one request against the key's rate limit. */
  async function admit(key: string, request: Request): Promise<Admission> {
    const admitted = await deps.requireKey(key, request);
    if (!admitted.ok) return { ok: false, response: reject(request, KEY_ERROR[admitted.problem]) };
    const { isAllowed, retryAfterSeconds } = admitted.value.rateLimit;
    if (isAllowed) return { ok: true, admitted: admitted.value };
    const headers = { 'Retry-After': String(retryAfterSeconds) };
    return { ok: false, response: reject(request, 'error-other', 429, headers) };
  }

  return new Elysia().post('/siteverify', ({ request }) => handle(request), {
    parse: 'none',
    detail: OPERATIONS.siteverify,
  });
}

function rejectBody(request: Request, problem: BodyProblem): Response {
  const isBusy = problem === 'bodies-too-many';
  const headers = isBusy ? { 'Retry-After': '1' } : undefined;
  const error = isBusy ? 'error-other' : 'bad-request';
  return closeIfTooSlow(problem, reject(request, error, BODY_STATUS[problem], headers));
}

/** Keeps a byte order mark, so that text with such a mark is not a valid payload. */
const RAW = new TextDecoder('utf-8', { ignoreBOM: true });

/** A form that was encoded incorrectly has spaces instead of the payload's plus signs. A payload has no spaces. */
function payloadIn(response: string): string {
  return trimLineBreaks(response).replaceAll(' ', '+');
}

/** Removes tabs and line breaks around a text. `trim()` would also remove a byte order mark. */
function trimLineBreaks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBreak(text.charCodeAt(start))) start++;
  while (end > start && isBreak(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBreak(code: number): boolean {
  return code === 0x09 || code === 0x0a || code === 0x0d;
}

/** @returns the response to an internal failure */
export function siteverifyErrorResponse(request: Request): Response {
  return reject(request, 'error-other');
}

function verdictResponse(verdict: Verdict, form: Form, request: Request): Response {
  // Many callers check only `success`, so a test solution succeeds only if the request contains the test sitekey.
  const isUnexpectedTest = verdict.name === 'property-test' && form.sitekey === undefined;
  const success = verdict.success && !isUnexpectedTest;
  const { issuedAt } = verdict;
  const facts = {
    success,
    // Left out if it is unknown, because strict clients fail to parse an empty date.
    ...(issuedAt === undefined ? {} : { challenge_ts: toIso(issuedAt) }),
    hostname: verdict.origin,
  };
  return reply(request, facts, verdict.name === 'no-error' ? [] : [verdict.name]);
}

function reject(
  request: Request,
  error: RequestError | VerdictName,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return reply(request, { success: false, hostname: '' }, [error], status, headers);
}

function reply(
  request: Request,
  facts: Facts,
  errors: readonly string[],
  status = 200,
  headers: Record<string, string> = {},
): Response {
  const isV3 = request.headers.get('x-captcha-compat-version')?.toLowerCase() === 'rcv3';
  const v3Fields = isV3 ? { score: facts.success ? SCORE : 0, action: '' } : {};
  const response = Response.json({ ...facts, ...v3Fields, 'error-codes': errors }, { status, headers });
  response.headers.set('Cache-Control', 'no-store');
  return response;
}

/**
 * Parses a form, multipart, or JSON body. If the key is in `X-API-Key`, a body of any other type is the solution.
 *
 * @returns undefined if the body is invalid for its type
 */
async function parseForm(body: Uint8Array, request: Request): Promise<Form | undefined> {
  const header = request.headers.get('x-api-key');
  const type = request.headers.get('content-type') ?? '';
  // The same headers as `/verify`: ignoring an expected sitekey would be unsafe.
  const headerSitekey = request.headers.get('x-pc-sitekey') || request.headers.get('x-sitekey') || undefined;
  const read = fieldReader(body, type);
  if (read === undefined) {
    // An empty body is valid, but has no secret.
    return header === null && body.length > 0
      ? undefined
      : { secret: header, response: RAW.decode(body), sitekey: headerSitekey };
  }
  try {
    const fields = await read();
    // curl sends any body as a form. A form without known fields is the solution.
    const isRaw = header !== null && fields('secret') === null && fields('response') === null;
    return {
      secret: fields('secret') ?? header,
      response: isRaw && !type.includes('json') ? RAW.decode(body) : fields('response'),
      sitekey: fields('sitekey') || headerSitekey,
    };
  } catch {
    return undefined;
  }
}

type Fields = (name: string) => string | null;

function fieldReader(body: Uint8Array, type: string): (() => Promise<Fields>) | undefined {
  if (/^application\/json\b|\+json\b/i.test(type))
    return async () => jsonFields(JSON.parse(new TextDecoder().decode(body)));
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
    const parameters = new URLSearchParams(new TextDecoder().decode(body));
    return async () => (name) => parameters.get(name);
  }
  if (!/^multipart\/form-data\b/i.test(type)) return undefined;
  return async () => {
    const form = await new Response(body as Uint8Array<ArrayBuffer>, {
      headers: { 'Content-Type': type },
    }).formData();
    return (name) => {
      const value = form.get(name);
      return typeof value === 'string' ? value : null;
    };
  };
}

function jsonFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('not an object');
  const object = value as Readonly<Record<string, unknown>>;
  return (name) => {
    const field = Object.hasOwn(object, name) ? (object[name] ?? null) : null;
    if (field !== null && typeof field !== 'string') throw new TypeError(`${name} is not a string`);
    return field;
  };
}
