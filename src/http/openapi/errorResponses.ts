import { PROBLEMS, type Problem, type ProblemRow } from '../../model/problems.ts';
import { headers, RATE_HEADERS, type Response, type Responses, schema } from './builders.ts';

/** Problems that any path can respond with; the introduction of the document describes them. */
export const GENERAL_PROBLEMS: readonly Problem[] = [
  'path-unknown',
  'method-not-allowed',
  'request-malformed',
  'operation-sunset',
];

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
