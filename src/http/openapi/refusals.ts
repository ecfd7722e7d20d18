import { PROBLEMS, type Problem, type ProblemRow } from '../../model/problems.ts';
import { EXAMPLE_REQUEST_ID, json, type Responses, type Schema, schema } from './parts.ts';

/** What any path or operation may answer, whatever it does; the introduction of the document tells of them. */
export const GENERAL_PROBLEMS: readonly Problem[] = [
  'path-unknown',
  'method-not-allowed',
  'request-malformed',
  'operation-sunset',
];

type RefusalOptions = {
  /** Problems that are found in items of a batch: `data.errors` tells in which. */
  readonly ofItems?: readonly Problem[];
  /** Headers that these statuses have beside those of every answer. */
  readonly headersOf?: Readonly<Record<number, readonly string[]>>;
};

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const HEADERS: Readonly<Record<number, readonly string[]>> = {
  429: ['Retry-After', ...RATE_HEADERS],
  503: ['Retry-After'],
};

/** The refusals in the envelope that these problems are, by status, each problem with what it really answers. */
export function refusals(
  problems: readonly Problem[],
  { ofItems = [], headersOf = {} }: RefusalOptions = {},
): Responses {
  const all = [...problems, ...ofItems];
  const statuses = [...new Set(all.map((problem) => rowOf(problem).status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const found = all.filter((problem) => rowOf(problem).status === status);
      const more = [...(HEADERS[status] ?? []), ...(headersOf[status] ?? [])];
      const examples = Object.fromEntries(
        found.map((problem) => [problem, refusedWith(problem, ofItems.includes(problem))]),
      );
      return [status, json(describe(found), refusalSchema(found), examples, more)];
    }),
  );
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
  return problems.map((problem) => `${rowOf(problem).code}: ${rowOf(problem).sentence}`).join('\n\n');
}

/** A refusal whose code is one of these. */
function refusalSchema(problems: readonly Problem[]): Schema {
  const codes = [...new Set(problems.map((problem) => rowOf(problem).code))].sort((a, b) => a - b);
  const meta: Schema = { type: 'object', properties: { code: { type: 'integer', enum: codes } } };
  return { allOf: [schema('Refusal'), { type: 'object', properties: { meta } }] };
}
