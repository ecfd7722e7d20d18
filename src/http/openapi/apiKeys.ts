import { KEEP_OLD_SECONDS, SCOPES } from '../../model/apiKey.ts';
import type { Problem } from '../../model/problems.ts';
import { jsonBody, type Operation, type Schema, schema } from './builders.ts';
import { errorResponses } from './errorResponses.ts';
import { written } from './platform.ts';

const tags = ['API keys'];

/** A key of either scope. */
const ANY_KEY = [{ PortalKey: [] }, { VerifyKey: [] }];

const PROBLEMS: readonly Problem[] = [
  'key-not-accepted',
  'key-rate-limited',
  'key-read-only',
  'key-secret-replaced',
  'internal-error',
  'unavailable',
  'maintenance',
];

const SECRET = 'postern_verify_ExampleExampleExampleExampleExampleExample0123456';

const INSTANT = { type: 'string', format: 'date-time' } as const;

/** The schemas of these operations. */
export const API_KEY_SCHEMAS = {
  ApiKeyRotation: {
    type: 'object',
    description: 'Options of a rotation.',
    properties: {
      keep_old_seconds: {
        type: 'integer',
        enum: Object.values(KEEP_OLD_SECONDS),
        description: 'The number of seconds for which the old secret keeps working. Default: 86400.',
      },
    },
    additionalProperties: false,
  },
  RotatedApiKey: {
    type: 'object',
    required: ['id', 'name', 'scope', 'secret', 'expires_at', 'old_secret_works_until'],
    properties: {
      id: { type: 'string', description: 'The opaque id of the API key. It does not change.' },
      name: { type: 'string' },
      scope: { type: 'string', enum: [...SCOPES] },
      secret: { type: 'string', description: 'The new secret. It cannot be shown again.' },
      expires_at: {
        ...INSTANT,
        nullable: true,
        description: 'When the API key expires; null if it does not. A rotation does not change it.',
      },
      old_secret_works_until: {
        ...INSTANT,
        nullable: true,
        description: 'When the old secret stops working; null if it stopped immediately.',
      },
    },
  },
} satisfies Record<string, Schema>;

export const API_KEY_OPERATIONS = {
  rotateApiKey: {
    operationId: 'rotateApiKey',
    tags,
    summary: 'Rotate the API key',
    description:
      'Replaces the secret of the API key that authenticates the request, whatever its scope. Name, scope, limits, and expiry do not change. The response contains the new secret, which cannot be shown again. The old secret keeps working for `keep_old_seconds`; an even older secret stops working immediately. Only the current secret can rotate the key, and read-only keys cannot rotate themselves. Each key can send 10 requests at once, and one every 10 seconds.',
    security: ANY_KEY,
    requestBody: {
      ...jsonBody('How long the old secret keeps working. Optional.', schema('ApiKeyRotation'), {
        rotation: { keep_old_seconds: 86_400 },
      }),
      required: false,
    },
    responses: {
      200: written('The new secret.', 'RotatedApiKeyEnvelope', {
        rotated: {
          data: {
            id: 'uh9oHGplm-X-4BBsvXbX1g',
            name: 'Shop backend',
            scope: 'verify',
            secret: SECRET,
            expires_at: null,
            old_secret_works_until: '2026-11-24T09:30:00.000Z',
          },
        },
      }),
      ...errorResponses([
        ...PROBLEMS,
        'body-too-large',
        'media-type-unsupported',
        'json-malformed',
        'field-mistyped',
        'field-unknown',
        'keep-old-malformed',
      ]),
    },
  },
  endOldSecret: {
    operationId: 'endOldSecret',
    tags,
    summary: 'End the old secret of the API key',
    description:
      'Ends the secret that the last rotation replaced, before its time is over. The request must use the current secret.',
    security: ANY_KEY,
    responses: {
      200: written('The old secret no longer works.', 'EmptyEnvelope', { ended: { data: null } }),
      ...errorResponses([...PROBLEMS, 'key-old-secret-ended']),
    },
  },
} satisfies Record<string, Operation>;
