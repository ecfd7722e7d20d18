import type { DocumentDecoration } from 'elysia';

/** An operation of the document: the `detail` of a route. */
export type Operation = DocumentDecoration & { readonly operationId: string };

export type Responses = NonNullable<DocumentDecoration['responses']>;
export type Response = Exclude<Responses[string], { $ref: string }>;
type Media = NonNullable<Response['content']>[string];
export type Schema = NonNullable<Media['schema']>;
export type Examples = NonNullable<Media['examples']>;
export type Headers = NonNullable<Response['headers']>;
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
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
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
