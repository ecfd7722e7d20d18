import type { Problem } from '../../model/problems.ts';
import { OK_CODE, OK_SENTENCE } from '../envelope.ts';
import { EXAMPLE_REQUEST_ID, headers, json, type Responses, schema } from './parts.ts';
import { RATE_HEADERS, refusals } from './refusals.ts';

/** What the operations of the Platform API have in common. */

/** A key of scope `portal` in `X-API-Key`. */
export const PORTAL_KEY = [{ PortalKey: [] }];

/** What each of them may answer. */
export const PLATFORM_PROBLEMS: readonly Problem[] = [
  'key-not-accepted',
  'scope-not-enough',
  'key-rate-limited',
  'internal-error',
  'unavailable',
];

/** What each that takes a body may answer. */
export const WRITING_PROBLEMS: readonly Problem[] = [
  ...PLATFORM_PROBLEMS,
  'key-read-only',
  'body-too-large',
  'media-type-unsupported',
  'json-malformed',
  'maintenance',
];

const OK_META = { code: OK_CODE, description: OK_SENTENCE, request_id: EXAMPLE_REQUEST_ID };

/** A member `data`, and beside it `pagination` where the answer is a list. */
type Example = { readonly data: unknown; readonly pagination?: unknown };

type Values = Readonly<Record<string, Example>>;

/** The good answer of an operation that writes. */
export function written(description: string, schemaName: string, values: Values): Responses {
  return { 200: json(description, schema(schemaName), wrapped(values), RATE_HEADERS) };
}

/** The good answers of an operation that reads. */
export function read(description: string, schemaName: string, values: Values): Responses {
  const more = ['ETag', ...RATE_HEADERS];
  return {
    200: json(description, schema(schemaName), wrapped(values), more),
    304: { description: 'Nothing has changed since.', headers: headers(...more) },
  };
}

/** @see refusals */
export function platformRefusals(problems: readonly Problem[], ofItems: readonly Problem[] = []): Responses {
  return refusals(problems, { ofItems, more: RATE_HEADERS });
}

function wrapped(values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { meta: OK_META, ...value }]),
  );
}
