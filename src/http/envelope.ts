import { PROBLEMS, type Problem, type ProblemRow } from '../model/problems.ts';

/** The shape of every answer but `/verify`'s, `/siteverify`'s and the puzzle itself. */
export type Envelope = {
  readonly meta: { readonly code: number; readonly description: string; readonly request_id: string };
  readonly data: unknown;
};

/** A refusal, with the status that its code stands for. */
export function refusal(
  problem: Problem,
  requestId: string,
  headers: Headers | Record<string, string> = {},
): Response {
  const { code, status, sentence }: ProblemRow = PROBLEMS[problem];
  const envelope: Envelope = { meta: { code, description: sentence, request_id: requestId }, data: null };
  const response = Response.json(envelope, { status, headers });
  response.headers.set('Cache-Control', 'no-store');
  return response;
}
