import type { Problem } from '../../model/problems.ts';
import { OK_CODE, OK_SENTENCE } from '../envelope.ts';
import {
  EXAMPLE_REQUEST_ID,
  json,
  NOT_MODIFIED,
  RATE_HEADERS,
  type Response,
  type Responses,
  schema,
} from './builders.ts';

/** Parts that the operations of the Platform API share. */

/** A key with the `portal` scope in `X-API-Key`. */
export const PORTAL_KEY = [{ PortalKey: [] }];

/** Problems of every operation. */
export const PLATFORM_PROBLEMS: readonly Problem[] = [
  'key-not-accepted',
  'scope-not-enough',
  'key-rate-limited',
  'internal-error',
  'unavailable',
];

/** Problems of every operation with a body. */
export const WRITING_PROBLEMS: readonly Problem[] = [
  ...PLATFORM_PROBLEMS,
  'key-read-only',
  'body-too-large',
  'media-type-unsupported',
  'json-malformed',
  'maintenance',
];

const OK_META = { code: OK_CODE, description: OK_SENTENCE, request_id: EXAMPLE_REQUEST_ID };

/** `pagination` is a member of lists. */
type Example = { readonly data: unknown; readonly pagination?: unknown };

type Values = Readonly<Record<string, Example>>;

/** @returns the success response of an operation that writes */
export function written(description: string, schemaName: string, values: Values): Response {
  return json(description, schema(schemaName), envelopesOf(values), RATE_HEADERS);
}

/** @returns the success responses of an operation that reads */
export function read(description: string, schemaName: string, values: Values): Responses {
  return {
    200: json(description, schema(schemaName), envelopesOf(values), ['ETag', ...RATE_HEADERS]),
    304: NOT_MODIFIED,
  };
}

function envelopesOf(values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { meta: OK_META, ...value }]),
  );
}
