import { Elysia } from 'elysia';
import type { Verdict, VerdictName } from '../../captcha/verdict.ts';
import type { VerifySolution } from '../../captcha/verify.ts';
import { isoOf } from '../../lib/time.ts';
import type { Admitted, KeyProblem, RequireKey } from '../apiKeyGuard.ts';
import { BODY_STATUS, type Bodies, type BodyProblem, endSlow } from '../body.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import type { RequestContext } from '../requestContext.ts';

export type SiteverifyRoutesDeps = {
  readonly verify: VerifySolution;
  readonly requireKey: RequireKey;
  readonly bodies: Bodies;
  readonly requestContext: RequestContext;
};

const SITEVERIFY_BODY_LIMIT = 64 * 1024;

/** reCAPTCHA v3's score of a visitor who did the work: proof of work knows no shades. */
const SCORE = 0.9;

/** What went wrong with the request itself, in reCAPTCHA's words. */
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

type Gate =
  | { readonly ok: true; readonly admitted: Admitted }
  | { readonly ok: false; readonly response: Response };

type Early = { readonly key: string; readonly gate: Gate };

/**
 * `POST /siteverify` in the format of reCAPTCHA. Always 200, except for 408, 413, 429, and 503: legacy clients treat a 4xx as an
 * outage. A key in `X-API-Key` is checked before the body is read.
 */
export function siteverifyRoutes(deps: SiteverifyRoutesDeps) {
  async function answer(request: Request): Promise<Response> {
    const header = request.headers.get('x-api-key') || undefined;
    if (header === undefined) return read(request, undefined);
    const gate = await admit(header, request);
    return gate.ok ? read(request, { key: header, gate }) : gate.response;
  }

  /** @param early the key of the header, when it was accepted */
  async function read(request: Request, early: Early | undefined): Promise<Response> {
    const { bytes, anonymous } = deps.bodies;
    const body = await (early === undefined ? anonymous : bytes)(request, SITEVERIFY_BODY_LIMIT);
    if (!body.ok) return refuseBody(request, body.problem);
    const form = await parseForm(body.value, request);
    if (form === undefined) return refuse(request, 'bad-request');
    const gate =
      early !== undefined && early.key === form.secret ? early.gate : await admitForm(form, request);
    return gate.ok ? present(form, gate.admitted, request) : gate.response;
  }

  async function present(form: Form, { principal }: Admitted, request: Request): Promise<Response> {
    if (!form.response) return refuse(request, 'missing-input-response');
    const presentation = { payload: payloadIn(form.response), principal, expectedSitekey: form.sitekey };
    return judged(await deps.verify(presentation), form, request);
  }

  async function admitForm({ secret }: Form, request: Request): Promise<Gate> {
    if (!secret) return { ok: false, response: refuse(request, 'missing-input-secret') };
    return admit(secret, request);
  }

  /** Takes one request from the key's rate. */
  async function admit(key: string, request: Request): Promise<Gate> {
    const admitted = await deps.requireKey(key, request);
    if (!admitted.ok) return { ok: false, response: refuse(request, KEY_ERROR[admitted.problem]) };
    const { isAllowed, retryAfterSeconds } = admitted.value.standing;
    if (isAllowed) return { ok: true, admitted: admitted.value };
    const headers = { 'Retry-After': String(retryAfterSeconds) };
    return { ok: false, response: refuse(request, 'error-other', 429, headers) };
  }

  return new Elysia().post('/siteverify', ({ request }) => answer(request), {
    parse: 'none',
    detail: OPERATIONS.siteverify,
  });
}

function refuseBody(request: Request, problem: BodyProblem): Response {
  const isBusy = problem === 'bodies-too-many';
  const headers = isBusy ? { 'Retry-After': '1' } : undefined;
  const error = isBusy ? 'error-other' : 'bad-request';
  return endSlow(problem, refuse(request, error, BODY_STATUS[problem], headers));
}

/** Keeps a byte-order mark: with one, the text is no payload. */
const RAW = new TextDecoder('utf-8', { ignoreBOM: true });

/** A form that was put together by hand has blanks where the payload has plus signs; a payload has no blanks. */
function payloadIn(response: string): string {
  return withoutBreaks(response).replaceAll(' ', '+');
}

/** Without the white space of ASCII around it. `trim()` would also take a byte-order mark. */
function withoutBreaks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBreak(text.charCodeAt(start))) start++;
  while (end > start && isBreak(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBreak(code: number): boolean {
  return code === 0x09 || code === 0x0a || code === 0x0d;
}

/** What it answers where the appliance itself failed. */
export function siteverifyFailure(request: Request): Response {
  return refuse(request, 'error-other');
}

function judged(verdict: Verdict, form: Form, request: Request): Response {
  // Callers look at `success` alone, so the test property passes only for those who say that they test.
  const isSurprise = verdict.name === 'property-test' && form.sitekey === undefined;
  const success = verdict.success && !isSurprise;
  const { issuedAt } = verdict;
  const facts = {
    success,
    // Left out where it is not known: strict clients fail over an empty date.
    ...(issuedAt === undefined ? {} : { challenge_ts: isoOf(issuedAt) }),
    hostname: verdict.origin,
  };
  return reply(request, facts, verdict.name === 'no-error' ? [] : [verdict.name]);
}

function refuse(
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
  const grade = isV3 ? { score: facts.success ? SCORE : 0, action: '' } : {};
  const response = Response.json({ ...facts, ...grade, 'error-codes': errors }, { status, headers });
  response.headers.set('Cache-Control', 'no-store');
  return response;
}

/**
 * Form, multipart or JSON; with the key in `X-API-Key`, a body of any other type is the response itself.
 *
 * @returns undefined for a body that is not what its type says
 */
async function parseForm(body: Uint8Array, request: Request): Promise<Form | undefined> {
  const header = request.headers.get('x-api-key');
  const type = request.headers.get('content-type') ?? '';
  // As `/verify` takes it: an expectation that was ignored would err on the unsafe side.
  const named = request.headers.get('x-pc-sitekey') || request.headers.get('x-sitekey') || undefined;
  const read = fieldReader(body, type);
  if (read === undefined) {
    // Nothing at all is not ill-formed, it only lacks a secret.
    return header === null && body.length > 0
      ? undefined
      : { secret: header, response: RAW.decode(body), sitekey: named };
  }
  try {
    const fields = await read();
    // curl says that any body is a form: where no field of a form is there, it is the response itself.
    const isRaw = header !== null && fields('secret') === null && fields('response') === null;
    return {
      secret: fields('secret') ?? header,
      response: isRaw && !type.includes('json') ? RAW.decode(body) : fields('response'),
      sitekey: fields('sitekey') || named,
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
