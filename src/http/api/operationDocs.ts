import type { Problem } from '../../model/problems.ts';
import { OK_CODE, OK_SENTENCE } from '../envelope.ts';
import {
  EXAMPLE_REQUEST_ID,
  errorResponses,
  IF_NONE_MATCH,
  json,
  type jsonBody,
  NOT_MODIFIED,
  type Operation,
  type Parameter,
  RATE_HEADERS,
  type Response,
  schema,
} from '../operationDocs.ts';
import type { OperationChecks } from './operation.ts';

/** An operation of the Platform API: its route, the checks before it, and its description. */
export type PlatformOperation = OperationChecks & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path of the route, with placeholders such as `:org_id`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Parameters of the query. */
  readonly query?: readonly Parameter[];
  /** The request body, or its name in the components. */
  readonly body?: ReturnType<typeof jsonBody> | string;
  /** The success response, or its name in the components. */
  readonly response: Response | string;
  /** Problems in addition to those of the checks. */
  readonly problems: readonly Problem[];
};

export const EXAMPLE_IDS = {
  org_id: 'Q65MmmLtTR8IlCTsKbP3Aw',
  property_id: 'S7T0_MqDpoCqi49RMMT1CQ',
  rule_id: '6f1c2a90b7e4d358',
  id: '6a09e667f3bcc908b2fb1366ea957d3e',
} as const;

/** The placeholders in paths. */
const DESCRIPTION_OF_ID: Readonly<Record<string, string>> = {
  org_id: 'The id of the organization.',
  property_id: 'The id of the property.',
  rule_id: 'The id of the rule.',
  id: 'The id in the response to the batch.',
} satisfies Record<keyof typeof EXAMPLE_IDS, string>;

/** Problems of a path with the id of an organization. */
export const IN_ORGANIZATION: readonly Problem[] = [
  'organization-id-malformed',
  'organization-unknown',
  'organization-not-yours',
  'key-organization-only',
];

/** Problems of a path with the ids of an organization and a property. */
export const IN_PROPERTY: readonly Problem[] = [...IN_ORGANIZATION, 'property-id-malformed', 'property-gone'];

/** Problems of a body that must be an object with certain members. */
export const OBJECT_PROBLEMS: readonly Problem[] = ['field-mistyped', 'field-unknown'];

/** @returns the operation for the document: the checks before it determine its security, its errors, and 304 */
export function describe(operationId: string, operation: PlatformOperation): Operation {
  const { tag, summary, description, path, query = [], body, acceptsAnyScope } = operation;
  const isRevalidated = hasTag(operation);
  const parameters = [...pathParameters(path), ...query, ...(isRevalidated ? [IF_NONE_MATCH] : [])];
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: acceptsAnyScope ? [{ PortalKey: [] }, { VerifyKey: [] }] : [{ PortalKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: bodyOf(body, operation) }),
    responses: {
      200: successOf(operation),
      ...(isRevalidated && { 304: NOT_MODIFIED }),
      ...errorResponses([...new Set([...problemsOfChecks(operation), ...operation.problems])]),
    },
  };
}

function bodyOf(body: NonNullable<PlatformOperation['body']>, { isBodyOptional }: OperationChecks) {
  if (typeof body === 'string') return { $ref: `#/components/requestBodies/${body}` };
  return { ...body, required: !isBodyOptional };
}

/** @returns whether the response of an operation has an `ETag` */
export function hasTag({ access, isUncached }: OperationChecks): boolean {
  return access === 'read' && isUncached !== true;
}

function successOf(operation: PlatformOperation) {
  const { response } = operation;
  return typeof response === 'string' ? { $ref: `#/components/responses/${response}` } : response;
}

/** The parameters of paths by their names. */
export const PATH_PARAMETERS: Readonly<Record<string, Parameter>> = Object.fromEntries(
  Object.entries(EXAMPLE_IDS).map(([name, example]) => {
    const description = DESCRIPTION_OF_ID[name] ?? '';
    return [name, { name, in: 'path', required: true, description, schema: { type: 'string' }, example }];
  }),
);

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].flatMap(([, name = '']) => PATH_PARAMETERS[name] ?? []);
}

function problemsOfChecks({ access, bodyLimit, acceptsAnyScope }: OperationChecks): readonly Problem[] {
  const ofKey = ['key-not-accepted', 'key-rate-limited', 'internal-error', 'unavailable'] as const;
  const ofBody = ['body-too-large', 'media-type-unsupported', 'json-malformed'] as const;
  return [
    ...ofKey,
    ...(acceptsAnyScope ? [] : ['scope-not-enough' as const]),
    ...(access === 'write' ? (['key-read-only', 'maintenance'] as const) : []),
    ...(bodyLimit === undefined ? [] : ofBody),
  ];
}

/** `pagination` is a member of lists. */
type Example = { readonly data: unknown; readonly pagination?: unknown };

type Examples = Readonly<Record<string, Example>>;

const OK_META = { code: OK_CODE, description: OK_SENTENCE, request_id: EXAMPLE_REQUEST_ID };

/** @returns the success response of an operation that writes */
export function written(description: string, schemaName: string, examples: Examples): Response {
  return success(description, schemaName, examples, RATE_HEADERS);
}

/** @returns the success response of an operation that reads */
export function read(description: string, schemaName: string, examples: Examples): Response {
  return success(description, schemaName, examples, ['ETag', ...RATE_HEADERS]);
}

function success(description: string, name: string, examples: Examples, headers: readonly string[]) {
  const envelopes = Object.entries(examples).map(([of, value]) => [of, { meta: OK_META, ...value }]);
  return json(description, schema(name), Object.fromEntries(envelopes), headers);
}
