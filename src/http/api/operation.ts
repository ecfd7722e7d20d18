import { exceededLimit, REQUEST_LIMITS } from '../../lib/json.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { queryOf } from '../../lib/target.ts';
import type { WaitForTick } from '../../lib/tickLimiter.ts';
import { type Clock, type Instant, toSeconds } from '../../lib/time.ts';
import { keyActor, type TenantActor } from '../../model/actor.ts';
import type { Principal } from '../../model/apiKey.ts';
import type { Problem } from '../../model/problems.ts';
import type { KeyGuard, KeyProblem } from '../apiKeyGuard.ts';
import { type Bodies, type BodyOwner, bodyOwnerOf } from '../body.ts';
import type { BodyProblem } from '../bodyArrival.ts';
import { errorResponse, type Pagination, type Rejection, successResponse } from '../envelope.ts';
import { isKnownTag, weakTagOf } from '../etag.ts';
import { writeRateLimitHeaders } from '../rateLimit.ts';
import type { RequestContext } from '../requestContext.ts';
import type { Params, Route } from '../router.ts';
import { closeConnection } from '../unreadBody.ts';
import { describe, hasTag, type PlatformOperation } from './operationDocs.ts';
import type { Parsed } from './parsing.ts';

export type OperationDeps = {
  /** Determines the scopes that the operations accept. */
  readonly requireKey: KeyGuard['requireKey'];
  /** The same without rate limit, for the second check. */
  readonly readKey: KeyGuard['readKey'];
  readonly countOutcome: KeyGuard['countOutcome'];
  readonly bodies: Bodies;
  readonly requestContext: RequestContext;
  readonly isInMaintenance: () => boolean;
  /** Prevents many of these requests from delaying puzzles and verifications. */
  readonly waitForTick: WaitForTick;
  readonly clock: Clock;
};

/** The announced end of an operation. */
export type Deprecation = {
  /** When the operation became deprecated. */
  readonly since: Instant;
  /** When it starts to respond with 410 and code 1004. */
  readonly sunset: Instant;
  /** URL of a page that describes the replacement. */
  readonly documentation?: string;
};

/** The checks before an operation. */
export type OperationChecks = {
  /** Read-only keys and maintenance mode allow only `read`. */
  readonly access: 'read' | 'write';
  /** Maximum size of the JSON body in bytes; undefined for an operation without a body. */
  readonly bodyLimit?: number;
  /** Whether a request without a body is like one with an empty object. */
  readonly isBodyOptional?: boolean;
  /** Whether the response of a read operation has no `ETag`, because it depends on the body. */
  readonly isUncached?: boolean;
  /** Whether keys of the scope `verify` are accepted, too. */
  readonly acceptsAnyScope?: boolean;
  readonly deprecation?: Deprecation;
};

/** A request that passed the checks. */
export type Call = {
  readonly actor: TenantActor;
  /** Parsed JSON; undefined for an operation without a body. */
  readonly body: unknown;
  readonly params: Params;
  readonly query: URLSearchParams;
  /** The secret that authenticated the request, and whether a rotation has replaced it. */
  readonly secret: { readonly text: string; readonly isReplaced: boolean };
};

/** The data of the response, or the problem that it reports. */
export type OperationResult =
  | { readonly ok: true; readonly data: unknown; readonly pagination?: Pagination }
  | (Rejection & {
      readonly ok: false;
      readonly data?: unknown;
      /** Whether the body was not read to its end, so that the connection cannot be used for another request. */
      readonly isUnread?: true;
    });

export type Operation = (call: Call) => Promise<OperationResult>;

/** `Retry-After` of temporary problems, in seconds. */
const RETRY_AFTER: Partial<Record<Problem, string>> = {
  unavailable: '1',
  'task-queue-full': '5',
  maintenance: '60',
};

/** Why a body was not read to its end. */
const UNREAD: Readonly<Record<BodyProblem, { readonly problem: Problem; readonly detail?: string }>> = {
  'body-too-large': { problem: 'body-too-large' },
  'body-too-slow': { problem: 'request-malformed', detail: 'the body arrived too slowly' },
  'bodies-too-many': { problem: 'unavailable', detail: 'too many bodies are arriving at the same time' },
};
const EXCESSES = {
  depth: { problem: 'json-malformed', detail: 'arrays and objects are nested deeper than 32 levels' },
  tokens: { problem: 'batch-too-large', detail: 'the body has too many values' },
} as const;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/**
 * Creates handlers for routes of the Platform API. They check the key (401), its scope and read-only flag (403), maintenance (503),
 * content type and size (415, 413), and JSON (400), run the operation, and wrap its result in an envelope. Key and maintenance are
 * checked again after the body has arrived.
 */
export function createOperations(deps: OperationDeps) {
  return (checks: OperationChecks, operation: Operation) =>
    async (request: Request, params: Params = {}): Promise<Response> => {
      const headers = new Headers({ Vary: 'X-API-Key' });
      const id = deps.requestContext.idOf(request);
      const { deprecation } = checks;
      if (deprecation !== undefined) {
        writeDeprecation(headers, deprecation);
        if (deps.clock() >= deprecation.sunset) return errorResponse('operation-sunset', id, headers);
      }
      const result = await admitAndRun(deps, checks, operation, { request, params, headers });
      if (!result.ok) return rejected(id, result, headers);
      return hasTag(checks) ? revalidated(request, id, result, headers) : uncached(id, result, headers);
    };
}

/** @returns an operation that parses the body, and runs with its value */
export function withBody<T>(
  parse: (body: unknown) => Parsed<T>,
  run: (given: T, call: Call) => Promise<OperationResult>,
): Operation {
  return async (call) => {
    const given = parse(call.body);
    return given.ok ? run(given.value, call) : given;
  };
}

/** @see createOperations */
export type CreateHandler = ReturnType<typeof createOperations>;

/** @param run the function of each operation @returns the routes of the operations */
export function operationRoutes<Id extends string>(
  createHandler: CreateHandler,
  operations: Readonly<Record<Id, PlatformOperation>>,
  run: Readonly<Record<Id, Operation>>,
): readonly Route[] {
  return (Object.keys(operations) as Id[]).map((id) => {
    const operation = operations[id];
    const { method, path } = operation;
    return { method, path, handle: createHandler(operation, run[id]), operation: describe(id, operation) };
  });
}

/**
 * Sets `Deprecation` (RFC 9745: a structured date), `Sunset` (RFC 8594: an HTTP date), and, if there is a page, `Link` with the
 * relation `deprecation` (RFC 9745, section 3).
 */
function writeDeprecation(headers: Headers, { since, sunset, documentation }: Deprecation): void {
  headers.set('Deprecation', `@${toSeconds(since)}`);
  headers.set('Sunset', new Date(sunset).toUTCString());
  if (documentation !== undefined) headers.append('Link', `<${documentation}>; rel="deprecation"`);
}

type Admission = { readonly request: Request; readonly params: Params; readonly headers: Headers };

async function admitAndRun(
  deps: OperationDeps,
  checks: OperationChecks,
  operation: Operation,
  { request, params, headers }: Admission,
): Promise<OperationResult> {
  const principal = await authenticate(deps, request, headers);
  if (!principal.ok) return principal;
  let isAccepted = false;
  try {
    const result = await run(deps, checks, operation, { request, params, principal: principal.value });
    isAccepted = result.ok;
    return result;
  } finally {
    deps.countOutcome(principal.value, isAccepted);
  }
}

async function run(
  deps: OperationDeps,
  checks: OperationChecks,
  operation: Operation,
  { request, params, principal }: Omit<Admission, 'headers'> & { readonly principal: Principal },
): Promise<OperationResult> {
  const admitted = admit(deps, checks, request, principal);
  if (!admitted.ok) return admitted;
  await deps.waitForTick();
  const { owner, ...call } = admitted.value;
  const given = { ...call, params, query: queryOf(request) };
  if (checks.bodyLimit === undefined) return operation({ ...given, body: undefined });
  if (checks.isBodyOptional && !hasBody(request)) return operation({ ...given, body: {} });
  const body = await readJson(deps.bodies, request, checks.bodyLimit, owner);
  if (!body.ok) return body;
  const current = await deps.readKey(apiKeyOf(request));
  const problem = current.ok ? writeProblemOf(deps, checks, current.value) : toProblem(current.problem);
  if (problem !== undefined) return { ok: false, problem };
  return operation({ ...given, body: body.value });
}

function hasBody({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0';
}

function apiKeyOf(request: Request): string | null {
  return request.headers.get('x-api-key');
}

function toProblem(problem: KeyProblem): Problem {
  return problem === 'key-unreadable' ? 'unavailable' : problem;
}

/** @returns the problem that prevents the key from writing; undefined if it can write or if the operation only reads */
function writeProblemOf(
  { isInMaintenance }: OperationDeps,
  { access }: OperationChecks,
  { isReadOnly }: Pick<Principal, 'isReadOnly'>,
): Problem | undefined {
  if (access === 'read') return undefined;
  if (isReadOnly) return 'key-read-only';
  return isInMaintenance() ? 'maintenance' : undefined;
}

async function authenticate(
  deps: OperationDeps,
  request: Request,
  headers: Headers,
): Promise<Outcome<Principal, Problem>> {
  const admitted = await deps.requireKey(apiKeyOf(request), request);
  if (!admitted.ok) return reject(toProblem(admitted.problem));
  const { principal, rateLimit } = admitted.value;
  writeRateLimitHeaders(headers, rateLimit);
  if (!rateLimit.isAllowed) {
    headers.set('Retry-After', String(rateLimit.retryAfterSeconds));
    return reject('key-rate-limited');
  }
  return done(principal);
}

function admit(
  deps: OperationDeps,
  checks: OperationChecks,
  request: Request,
  principal: Principal,
): Outcome<Pick<Call, 'actor' | 'secret'> & { readonly owner: BodyOwner }, Problem> {
  const problem = writeProblemOf(deps, checks, principal);
  if (problem !== undefined) return reject(problem);
  const actor = keyActor(principal, deps.requestContext.addressOf(request));
  const isReplaced = principal.replacedAt !== undefined;
  const secret = { text: apiKeyOf(request) ?? '', isReplaced };
  return done({ actor, secret, owner: bodyOwnerOf(principal) });
}

async function readJson(
  bodies: Bodies,
  request: Request,
  limit: number,
  owner: BodyOwner,
): Promise<
  Extract<OperationResult, { readonly ok: false }> | Extract<Parsed<unknown>, { readonly ok: true }>
> {
  const { headers } = request;
  if (!JSON_TYPE.test(headers.get('content-type') ?? ''))
    return { ok: false, problem: 'media-type-unsupported' };
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    return { ok: false, problem: 'media-type-unsupported', detail: 'compressed bodies are not accepted' };
  }
  const read = await bodies.bytes(request, limit, owner);
  if (!read.ok) {
    const detail = read.problem === 'body-too-large' ? { detail: `at most ${limit} bytes` } : {};
    return { ok: false, ...UNREAD[read.problem], ...detail, isUnread: true };
  }
  const excess = exceededLimit(read.value, REQUEST_LIMITS);
  if (excess !== undefined) return { ok: false, ...EXCESSES[excess] };
  try {
    return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(read.value)) };
  } catch {
    return { ok: false, problem: 'json-malformed' };
  }
}

function rejected(id: string, result: Extract<OperationResult, { readonly ok: false }>, headers: Headers) {
  const retryAfter = RETRY_AFTER[result.problem];
  if (retryAfter !== undefined) headers.set('Retry-After', retryAfter);
  const response = errorResponse(result, id, headers, result.data);
  return result.isUnread ? closeConnection(response) : response;
}

type Success = Extract<OperationResult, { readonly ok: true }>;

function uncached(id: string, { data, pagination }: Success, headers: Headers): Response {
  headers.set('Cache-Control', 'no-store');
  return successResponse(id, data, pagination, headers);
}

/** Responds with an ETag of the data. It is weak because the request id differs in every response. */
function revalidated(request: Request, id: string, result: Success, headers: Headers): Response {
  const { data, pagination } = result;
  const tag = weakTagOf(JSON.stringify([data, pagination ?? null]));
  headers.set('Cache-Control', 'private, no-cache');
  headers.set('ETag', tag);
  const known = request.headers.get('if-none-match');
  if (known !== null && isKnownTag(known, tag)) return new Response(null, { status: 304, headers });
  return successResponse(id, data, pagination, headers);
}
