import { PROBLEMS, type Problem, type ProblemRow } from '../../model/problems.ts';
import { EXAMPLE_REQUEST_ID, json, type Responses, type Schema, schema } from './parts.ts';

/** What any path may answer, whatever is there; the introduction of the document tells of them. */
export const GENERAL_PROBLEMS: readonly Problem[] = [
  'path-unknown',
  'method-not-allowed',
  'request-malformed',
  'operation-sunset',
];

/** How somebody stands with a rate. */
export const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

type RefusalOptions = {
  /** Problems that are found in items of a batch: `data.errors` tells in which. */
  readonly ofItems?: readonly Problem[];
  /** Names of headers beside those of every answer. */
  readonly more?: readonly string[];
};

/** The refusals in the envelope that these problems are, by status, each problem with what it really answers. */
export function refusals(
  problems: readonly Problem[],
  { ofItems = [], more = [] }: RefusalOptions = {},
): Responses {
  const all = [...problems, ...ofItems];
  const statuses = [...new Set(all.map((problem) => rowOf(problem).status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const found = all.filter((problem) => rowOf(problem).status === status);
      const examples = Object.fromEntries(
        found.map((problem) => [problem, refusedWith(problem, ofItems.includes(problem))]),
      );
      return [status, json(describe(found), refusalSchema(found), examples, headersOf(status, more))];
    }),
  );
}

function headersOf(status: number, more: readonly string[]): readonly string[] {
  // Whose key is not accepted stands nowhere.
  if (status === 401) return [];
  return status === 429 || status === 503 ? ['Retry-After', ...more] : more;
}

function rowOf(problem: Problem): ProblemRow {
  return PROBLEMS[problem];
}

function refusedWith(problem: Problem, isOfItem: boolean): unknown {
  const { code, sentence: description } = rowOf(problem);
  const meta = { code, description, request_id: EXAMPLE_REQUEST_ID };
  return { meta, data: isOfItem ? { errors: [{ index: 0, code, description }] } : null };
}

function describe(problems: readonly Problem[]): string {
  return problems.map((problem) => `- ${rowOf(problem).code}: ${rowOf(problem).sentence}`).join('\n');
}

/** A refusal whose code is one of these. */
function refusalSchema(problems: readonly Problem[]): Schema {
  const codes = [...new Set(problems.map((problem) => rowOf(problem).code))].sort((a, b) => a - b);
  const meta: Schema = { type: 'object', properties: { code: { type: 'integer', enum: codes } } };
  return { allOf: [schema('Refusal'), { type: 'object', properties: { meta } }] };
}
