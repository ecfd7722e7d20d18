import { exceededLimit } from '../../lib/jsonLimits.ts';
import { done, type Outcome, refuse } from '../../lib/outcome.ts';
import type { WaitForTick } from '../../lib/tickLimiter.ts';
import type { Clock } from '../../lib/time.ts';
import { keyActor, type UserActor } from '../../model/actor.ts';
import type { Principal } from '../../model/apiKey.ts';
import type { Problem } from '../../model/problems.ts';
import type { KeyProblem, ReadKey, RequireKey } from '../apiKeyGuard.ts';
import type { Bodies } from '../body.ts';
import { type Deprecation, isOver, writeDeprecation } from '../deprecation.ts';
import { type Pagination, type Rejection, refusal, success } from '../envelope.ts';
import { isKnownTag, weakTagOf } from '../etag.ts';
import { queryOf } from '../query.ts';
import { writeStanding } from '../rateLimit.ts';
import type { RequestContext } from '../requestContext.ts';
import type { Parsed } from './jsonObject.ts';

export type OperationDeps = {
  /** Keys of scope `portal`. */
  readonly requireKey: RequireKey;
  /** The same without its rate, for the second look. */
  readonly readKey: ReadKey;
  readonly bodies: Bodies;
  readonly requestContext: RequestContext;
  readonly isInMaintenance: () => boolean;
  /** Keeps a crowd of these requests from delaying puzzles and verifications. */
  readonly waitForTick: WaitForTick;
  readonly clock: Clock;
};

/** What the checks before an operation are. */
export type OperationKind = {
  /** Reading, which a read-only key may and maintenance allows, or writing. */
  readonly access: 'read' | 'write';
  /** Bytes of a JSON body at most; undefined for an operation without body. */
  readonly bodyLimit?: number;
  readonly deprecation?: Deprecation;
};

/** One request to an operation, as far as the checks let it come. */
export type Call = {
  readonly actor: UserActor;
  /** Parsed JSON; undefined for an operation without body. */
  readonly body: unknown;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
};

/** How an operation ended. */
export type Answer =
  | { readonly ok: true; readonly data: unknown; readonly pagination?: Pagination }
  | (Rejection & { readonly ok: false; readonly data?: unknown });

export type Operation = (call: Call) => Promise<Answer>;

/** What Elysia hands to a route. */
type RouteContext = { readonly request: Request; readonly params?: Readonly<Record<string, string>> };

/** Seconds after which a refusal of the moment may be over. */
const RETRY_AFTER: Partial<Record<Problem, string>> = {
  unavailable: '1',
  'task-queue-full': '5',
  maintenance: '60',
};

const SLOW = 'the body took longer than 30 seconds';
/** Seven times what a full batch with all members of its items has; only a batch that is too large has more. */
const JSON_LIMITS = { tokens: 32_768, depth: 32 } as const;
const EXCESSES = {
  depth: { problem: 'json-malformed', detail: 'arrays and objects are nested deeper than 32 levels' },
  tokens: { problem: 'batch-too-large', detail: 'the body has too many values' },
} as const;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/**
 * Routes of the Platform API: key (401), scope and read-only (403), maintenance (503), content type and size (415,
 * 413), JSON (400), then the operation; its ending becomes an envelope. A body may take its time: key and maintenance are
 * looked at again behind it.
 */
export function createOperations(deps: OperationDeps) {
  return (kind: OperationKind, operation: Operation) =>
    async ({ request, params = {} }: RouteContext): Promise<Response> => {
      const headers = new Headers({ Vary: 'X-API-Key' });
      const id = deps.requestContext.idOf(request);
      const { deprecation } = kind;
      if (deprecation !== undefined) writeDeprecation(headers, deprecation);
      if (deprecation !== undefined && isOver(deprecation, deps.clock())) {
        return refusal('operation-sunset', id, headers);
      }
      const answer = await admitAndRun(deps, kind, operation, { request, params, headers });
      if (!answer.ok) return refused(id, answer, headers);
      return kind.access === 'read'
        ? revalidated(request, id, answer, headers)
        : uncached(id, answer, headers);
    };
}

type Admission = Required<RouteContext> & { readonly headers: Headers };

async function admitAndRun(
  deps: OperationDeps,
  kind: OperationKind,
  operation: Operation,
  { request, params, headers }: Admission,
): Promise<Answer> {
  const actor = await admit(deps, kind, request, headers);
  if (!actor.ok) return actor;
  await deps.waitForTick();
  const query = queryOf(request.url);
  if (kind.bodyLimit === undefined) return operation({ actor: actor.value, body: undefined, params, query });
  const body = await readJson(deps.bodies, request, kind.bodyLimit);
  if (!body.ok) return body;
  const still = await deps.readKey(keyIn(request));
  const hindrance = still.ok ? hindranceOf(deps, kind, still.value) : ofKey(still.problem);
  if (hindrance !== undefined) return { ok: false, problem: hindrance };
  return operation({ actor: actor.value, body: body.value, params, query });
}

function keyIn(request: Request): string | null {
  return request.headers.get('x-api-key');
}

function ofKey(problem: KeyProblem): Problem {
  return problem === 'key-unreadable' ? 'unavailable' : problem;
}

/** What forbids the operation to this key now. */
function hindranceOf(
  { isInMaintenance }: OperationDeps,
  { access }: OperationKind,
  { isReadOnly }: Pick<Principal, 'isReadOnly'>,
): Problem | undefined {
  if (access === 'read') return undefined;
  if (isReadOnly) return 'key-read-only';
  return isInMaintenance() ? 'maintenance' : undefined;
}

async function admit(
  deps: OperationDeps,
  kind: OperationKind,
  request: Request,
  headers: Headers,
): Promise<Outcome<UserActor, Problem>> {
  const admitted = await deps.requireKey(keyIn(request), request);
  if (!admitted.ok) return refuse(ofKey(admitted.problem));
  const { principal, standing } = admitted.value;
  writeStanding(headers, standing);
  if (!standing.isAllowed) {
    headers.set('Retry-After', String(standing.retryAfterSeconds));
    return refuse('key-rate-limited');
  }
  const hindrance = hindranceOf(deps, kind, principal);
  if (hindrance !== undefined) return refuse(hindrance);
  return done(keyActor(principal, deps.requestContext.addressOf(request)));
}

async function readJson(bodies: Bodies, request: Request, limit: number): Promise<Parsed<unknown>> {
  const { headers } = request;
  if (!JSON_TYPE.test(headers.get('content-type') ?? ''))
    return { ok: false, problem: 'media-type-unsupported' };
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    return { ok: false, problem: 'media-type-unsupported', detail: 'compressed bodies are not taken' };
  }
  const read = await bodies.bytes(request, limit);
  if (!read.ok) {
    return read.problem === 'body-too-large'
      ? { ok: false, problem: 'body-too-large', detail: `at most ${limit} bytes` }
      : { ok: false, problem: 'request-malformed', detail: SLOW };
  }
  const excess = exceededLimit(read.value, JSON_LIMITS);
  if (excess !== undefined) return { ok: false, ...EXCESSES[excess] };
  try {
    return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(read.value)) };
  } catch {
    return { ok: false, problem: 'json-malformed' };
  }
}

function refused(id: string, answer: Extract<Answer, { readonly ok: false }>, headers: Headers): Response {
  const retryAfter = RETRY_AFTER[answer.problem];
  // The rest of the body is not waited for.
  if (answer.detail === SLOW) headers.set('Connection', 'close');
  if (retryAfter !== undefined) headers.set('Retry-After', retryAfter);
  return refusal(answer, id, headers, answer.data);
}

type Success = Extract<Answer, { readonly ok: true }>;

function uncached(id: string, { data, pagination }: Success, headers: Headers): Response {
  headers.set('Cache-Control', 'no-store');
  return success(id, data, pagination, headers);
}

/** The tag is of what was asked for: request ids differ every time, so it is a weak one. */
function revalidated(request: Request, id: string, answer: Success, headers: Headers): Response {
  const { data, pagination } = answer;
  const tag = weakTagOf(JSON.stringify([data, pagination ?? null]));
  headers.set('Cache-Control', 'private, no-cache');
  headers.set('ETag', tag);
  const known = request.headers.get('if-none-match');
  if (known !== null && isKnownTag(known, tag)) return new Response(null, { status: 304, headers });
  return success(id, data, pagination, headers);
}
