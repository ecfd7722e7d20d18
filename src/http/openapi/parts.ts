import type { DocumentDecoration } from 'elysia';

/** One operation of the document, as a route's `detail` takes it. */
export type Operation = DocumentDecoration & { readonly operationId: string };

export type Responses = NonNullable<DocumentDecoration['responses']>;
type Response = Exclude<Responses[string], { $ref: string }>;
type Media = NonNullable<Response['content']>[string];
export type Schema = NonNullable<Media['schema']>;
export type Examples = NonNullable<Media['examples']>;
export type Headers = NonNullable<Response['headers']>;
export type Parameter = Exclude<NonNullable<DocumentDecoration['parameters']>[number], { $ref: string }>;
type Body = NonNullable<DocumentDecoration['requestBody']>;

/** The request id of every example. */
export const EXAMPLE_REQUEST_ID = '8f14e45fceea-000000001';

/** The parameter of operations that answer 304. */
export const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier answer; where nothing has changed since, the status is 304.',
  schema: { type: 'string' },
};

/** A schema of the components, by its name. */
export function schema(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Headers of the components, by their names; every answer has the first two. */
export function headers(...names: readonly string[]): Headers {
  const all = ['X-Request-Id', 'X-Trace-ID', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Values as named examples. */
export function examplesOf(values: Readonly<Record<string, unknown>>): Examples {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

/** An answer in JSON. @param more names of headers beside those of every answer */
export function json(
  description: string,
  of: Schema,
  values: Readonly<Record<string, unknown>>,
  more: readonly string[] = [],
): Response {
  const content = { 'application/json': { schema: of, examples: examplesOf(values) } };
  return { description, headers: headers(...more), content };
}

/** A body in JSON, which must be there. */
export function jsonBody(
  description: string,
  of: Schema,
  values: Readonly<Record<string, unknown>>,
): Exclude<Body, { $ref: string }> {
  const content = { 'application/json': { schema: of, examples: examplesOf(values) } };
  return { description, required: true, content };
}
