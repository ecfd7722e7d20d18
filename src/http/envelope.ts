import { PROBLEMS, type Problem, type ProblemRow } from '../model/problems.ts';

/** The format of all responses except those of `/verify` and `/siteverify`, and puzzles. */
export type Envelope = {
  readonly meta: { readonly code: number; readonly description: string; readonly request_id: string };
  readonly data: unknown;
  readonly pagination?: Pagination;
};

/** The position of a page in a list. Pages are numbered from 0. */
export type Pagination = {
  readonly page: number;
  readonly per_page: number;
  readonly has_more: boolean;
};

/** `meta.code` of a successful request. */
export const OK_CODE = 1000;
/** `meta.description` of a successful request. */
export const OK_SENTENCE = 'The operation succeeded.';

/** The reason for a rejection. `detail` adds what the problem's sentence does not contain, such as the name of a field. */
export type Rejection = { readonly problem: Problem; readonly detail?: string };

/** @returns the response to a successful request */
export function successResponse(
  requestId: string,
  data: unknown,
  pagination: Pagination | undefined,
  headers: Headers,
): Response {
  const meta = { code: OK_CODE, description: OK_SENTENCE, request_id: requestId };
  const envelope: Envelope = { meta, data, ...(pagination === undefined ? {} : { pagination }) };
  return Response.json(envelope, { headers });
}

/** @returns the response to a rejected request, with the HTTP status of the problem */
export function errorResponse(
  fault: Problem | Rejection,
  requestId: string,
  headers: Headers | Record<string, string> = {},
  data: unknown = null,
): Response {
  const { status } = PROBLEMS[typeof fault === 'string' ? fault : fault.problem];
  const response = Response.json(toErrorEnvelope(fault, requestId, data), { status, headers });
  response.headers.set('Cache-Control', 'no-store');
  return response;
}

/** @returns the body of the response to a rejected request */
export function toErrorEnvelope(
  fault: Problem | Rejection,
  requestId: string,
  data: unknown = null,
): Envelope {
  const { problem, detail } = typeof fault === 'string' ? { problem: fault } : fault;
  const { code }: ProblemRow = PROBLEMS[problem];
  const description = sentenceOf({ problem, ...(detail && { detail }) });
  return { meta: { code, description, request_id: requestId }, data };
}

/** @returns the problem's sentence, with the detail in parentheses before its period */
export function sentenceOf({ problem, detail }: Rejection): string {
  const { sentence } = PROBLEMS[problem];
  return detail === undefined ? sentence : `${sentence.slice(0, -1)} (${detail}).`;
}
