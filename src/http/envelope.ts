import { PROBLEMS, type Problem, type ProblemRow } from '../model/problems.ts';

/** The shape of every answer but `/verify`'s, `/siteverify`'s and the puzzle itself. */
export type Envelope = {
  readonly meta: { readonly code: number; readonly description: string; readonly request_id: string };
  readonly data: unknown;
  readonly pagination?: Pagination;
};

/** Where a list's page stands; pages count from 0. */
export type Pagination = {
  readonly page: number;
  readonly per_page: number;
  readonly has_more: boolean;
};

/** `meta.code` where all went well. */
export const OK_CODE = 1000;
/** What `meta.description` says then. */
export const OK_SENTENCE = 'All went well.';

/** Why a request was rejected. `detail` is a clause about what the problem's sentence cannot name. */
export type Rejection = { readonly problem: Problem; readonly detail?: string };

/** A good ending. */
export function success(
  requestId: string,
  data: unknown,
  pagination: Pagination | undefined,
  headers: Headers,
): Response {
  const meta = { code: OK_CODE, description: OK_SENTENCE, request_id: requestId };
  const envelope: Envelope = { meta, data, ...(pagination === undefined ? {} : { pagination }) };
  return Response.json(envelope, { headers });
}

/** A refusal, with the status that its code stands for. @param data null where there is nothing more to say */
export function refusal(
  fault: Problem | Rejection,
  requestId: string,
  headers: Headers | Record<string, string> = {},
  data: unknown = null,
): Response {
  const { problem, detail } = typeof fault === 'string' ? { problem: fault } : fault;
  const { code, status }: ProblemRow = PROBLEMS[problem];
  const meta = {
    code,
    description: sentenceOf({ problem, ...(detail && { detail }) }),
    request_id: requestId,
  };
  const envelope: Envelope = { meta, data };
  const response = Response.json(envelope, { status, headers });
  response.headers.set('Cache-Control', 'no-store');
  return response;
}

/** The problem's sentence, and the detail in brackets before its full stop. */
export function sentenceOf({ problem, detail }: Rejection): string {
  const { sentence } = PROBLEMS[problem];
  return detail === undefined ? sentence : `${sentence.slice(0, -1)} (${detail}).`;
}
