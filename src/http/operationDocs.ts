import type { DocumentDecoration } from 'elysia';
import { PROBLEMS, type Problem, type ProblemRow } from '../model/problems.ts';

/** An operation of the document: the `detail` of a route. */
export type Operation = DocumentDecoration & { readonly operationId: string };

export type Responses = NonNullable<DocumentDecoration['responses']>;
export type Response = Exclude<Responses[string], { $ref: string }>;
type Media = NonNullable<Response['content']>[string];
export type Schema = NonNullable<Media['schema']>;
type Examples = NonNullable<Media['examples']>;
type Headers = NonNullable<Response['headers']>;
export type Parameter = Exclude<NonNullable<DocumentDecoration['parameters']>[number], { $ref: string }>;
type Body = Exclude<NonNullable<DocumentDecoration['requestBody']>, { $ref: string }>;

/** The request id of all examples. */
export const EXAMPLE_REQUEST_ID = '8f14e45fceea-000000001';

/** The parameter of operations that can respond with 304. */
export const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier response. If nothing has changed, the status is 304.',
  schema: { type: 'string' },
};

/** The response to a request with a current `If-None-Match`. */
export const NOT_MODIFIED = { $ref: '#/components/responses/NotModified' };

/** The headers of a rate limit. */
export const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** @returns a reference to a schema in the components */
export function schema(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** @returns references to headers in the components; every response except a puzzle has `X-Request-Id` */
export function headers(...names: readonly string[]): Headers {
  return headersWithoutId('X-Request-Id', ...names);
}

/** @returns references to headers in the components */
export function headersWithoutId(...names: readonly string[]): Headers {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${headerComponent(name)}` }]),
  );
}

/** @returns the name of a header in the components, which is short, because every response refers to it */
export function headerComponent(name: string): string {
  return name.replace(/^X-(?:RateLimit-)?/, '');
}

/** @returns values as named examples */
export function examplesOf(values: Readonly<Record<string, unknown>>): Examples {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

/** @returns a response in JSON @param more names of headers in addition to those of every response */
export function json(
  description: string,
  of: Schema,
  values: Readonly<Record<string, unknown>>,
  more: readonly string[] = [],
): Response {
  const content = { 'application/json': { schema: of, examples: examplesOf(values) } };
  return { description, headers: headers(...more), content };
}

/** @returns a required request body in JSON */
export function jsonBody(description: string, of: Schema, values: Readonly<Record<string, unknown>>): Body {
  const content = { 'application/json': { schema: of, examples: examplesOf(values) } };
  return { description, required: true, content };
}

/** @returns an operation that returns a file @param isPublic whether pages of other origins may load it */
export function fileOperation(
  texts: Pick<Operation, 'operationId' | 'tags' | 'summary' | 'description'>,
  description: string,
  type: string,
  { of = { type: 'string' }, isPublic = false }: { readonly of?: Schema; readonly isPublic?: boolean } = {},
): Operation {
  const names = ['ETag', ...(isPublic ? ['Access-Control-Allow-Origin'] : [])];
  const content = { [type]: { schema: of } };
  const responses = { 200: { description, headers: headers(...names), content }, 304: NOT_MODIFIED };
  return { ...texts, security: [], parameters: [IF_NONE_MATCH], responses };
}

const OF_RULE: readonly Problem[] = ['json-malformed', 'field-unknown', 'field-mistyped'];
const OF_PROPERTY: readonly Problem[] = [
  'organization-id-malformed',
  'property-id-malformed',
  'property-gone',
];

/** Error responses that several operations share, by their names in the components. All problems of a response have the same status. */
const SHARED: Readonly<Record<string, readonly Problem[]>> = {
  Unauthorized: ['key-not-accepted'],
  ReadForbidden: ['scope-not-enough'],
  OrganizationReadForbidden: ['scope-not-enough', 'organization-not-yours', 'key-organization-only'],
  OrganizationWriteForbidden: [
    'scope-not-enough',
    'key-read-only',
    'organization-not-owned',
    'key-organization-only',
  ],
  PropertyWriteForbidden: ['scope-not-enough', 'key-read-only'],
  PropertyMalformed: OF_PROPERTY,
  PropertyQueryMalformed: [...OF_PROPERTY, 'query-malformed'],
  OrganizationMalformed: ['organization-id-malformed'],
  QueryMalformed: ['query-malformed'],
  OrganizationQueryMalformed: ['organization-id-malformed', 'query-malformed'],
  KeyWriteForbidden: ['key-read-only', 'key-secret-replaced'],
  OrganizationNotFound: ['organization-unknown'],
  OrganizationNameTaken: ['organization-name-taken'],
  BodyTooLarge: ['body-too-large'],
  UnsupportedMediaType: ['media-type-unsupported'],
  TooManyRequests: ['key-rate-limited'],
  TooManyRequestsOrTasks: ['key-rate-limited', 'task-queue-full'],
  InternalError: ['internal-error'],
  Unavailable: ['unavailable'],
  RuleMalformed: [...OF_RULE, ...OF_PROPERTY, 'rules-invalid', 'rules-number-malformed'],
  RuleChangeMalformed: [...OF_RULE, ...OF_PROPERTY, 'rules-number-malformed'],
  AllRulesMalformed: [...OF_RULE, 'rules-invalid', 'rules-number-malformed'],
  AllRulesChangeMalformed: [...OF_RULE, 'rules-number-malformed'],
  RuleForbidden: ['scope-not-enough', 'organization-not-yours', 'key-organization-only', 'key-read-only'],
  AllRulesForbidden: ['scope-not-enough', 'admin-only', 'key-read-only'],
  AllRulesReadForbidden: ['scope-not-enough', 'admin-only'],
  RulesChangedMeanwhile: ['rules-changed-meanwhile'],
  RuleNotFound: ['rule-unknown'],
  RuleOrOrganizationNotFound: ['organization-unknown', 'rule-unknown'],
  UnavailableOrMaintenance: ['unavailable', 'maintenance'],
};

/** @returns the problems of an operation as error responses by status */
export function errorResponses(problems: readonly Problem[]): Responses {
  const byStatus = Object.groupBy(problems, (problem) => PROBLEMS[problem].status);
  const responses = Object.entries(byStatus).map(([status, found = []]) => {
    const shared = Object.entries(SHARED).find(([, members]) => isSameSet(members, found))?.[0];
    return [status, shared === undefined ? responseOf(found) : { $ref: `#/components/responses/${shared}` }];
  });
  return Object.fromEntries(responses);
}

/** The error responses that several operations share, by name. */
export function sharedErrorResponses(): Record<string, Response> {
  return Object.fromEntries(Object.entries(SHARED).map(([name, problems]) => [name, responseOf(problems)]));
}

/** @returns the problems that the error responses in a part of the document list */
export function problemsIn(part: unknown): ReadonlySet<string> {
  const json = JSON.stringify([part, sharedErrorResponses()]);
  return new Set(json.match(/(?<=- \d{4} `)[a-z-]+(?=`: )/g));
}

function isSameSet(one: readonly Problem[], other: readonly Problem[]): boolean {
  return one.length === other.length && one.every((problem) => other.includes(problem));
}

/** A response that lists problems of the same status. The schema of the envelope has an example. */
function responseOf(problems: readonly Problem[]): Response {
  const lines = problems.map((problem) => {
    const { code, sentence }: ProblemRow = PROBLEMS[problem];
    return `- ${code} \`${problem}\`: ${sentence}`;
  });
  const more = problems.slice(0, 1).flatMap((problem) => headersOf(PROBLEMS[problem].status));
  const name = problems.includes('rules-invalid') ? 'RuleErrorEnvelope' : 'ErrorEnvelope';
  const content = { 'application/json': { schema: schema(name) } };
  return { description: lines.join('\n'), headers: headers(...more), content };
}

function headersOf(status: number): readonly string[] {
  // Requests without a valid key have no rate limit.
  if (status === 401) return [];
  return status === 429 || status === 503 ? ['Retry-After', ...RATE_HEADERS] : RATE_HEADERS;
}
