import { toIso } from '../../lib/time.ts';
import { DEFAULT_KEEP_OLD, KEEP_OLD_SECONDS } from '../../model/apiKey.ts';
import { API_KEY_FIELDS, KEEP_OLD_FIELD } from '../../model/apiKeyFields.ts';
import type { ApiKeys } from '../../platform/apiKeys/apiKeys.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import { jsonBody, schema } from '../operationDocs.ts';
import type { Route } from '../router.ts';
import { type CreateHandler, operationRoutes, withBody } from './operation.ts';
import { OBJECT_PROBLEMS, type PlatformOperation, written } from './operationDocs.ts';
import { createParseObject } from './parsing.ts';
import { envelope, type Members, request, response, schemaOf, text, time } from './schemas.ts';

export type ApiKeyRoutesDeps = {
  readonly apiKeys: Pick<ApiKeys, 'rotateOwn' | 'endOldSecret'>;
  readonly ids: OpaqueIds;
  /** Creates handlers that accept keys of both scopes. */
  readonly operation: CreateHandler;
};

const ROTATION = { keepOld: KEEP_OLD_FIELD };

export const API_KEY_SCHEMAS: Members = {
  ApiKeyRotation: request(ROTATION, 'Options of a rotation.'),
  RotatedApiKey: response({
    id: text('The opaque id of the API key. It does not change.'),
    name: schemaOf(API_KEY_FIELDS.name),
    scope: schemaOf(API_KEY_FIELDS.scope, ''),
    secret: text('The new secret. It cannot be shown again.'),
    expires_at: {
      ...time('When the API key expires; null if it does not. A rotation does not change it.'),
      nullable: true,
    },
    old_secret_works_until: {
      ...time('When the old secret stops working; null if it stopped immediately.'),
      nullable: true,
    },
  }),
  RotatedApiKeyEnvelope: envelope(schema('RotatedApiKey')),
};

const WRITE = { tag: 'API keys', access: 'write', acceptsAnyScope: true } as const;

const OPERATIONS = {
  rotateApiKey: {
    ...WRITE,
    method: 'POST',
    path: '/apikey/rotate',
    bodyLimit: 1024,
    isBodyOptional: true,
    summary: 'Rotate the API key',
    description:
      'Replaces the secret of the API key that authenticates the request, whatever its scope. Name, scope, limits, and expiry do not change. The response contains the new secret, which cannot be shown again. The old secret keeps working for `keep_old_seconds`; an even older secret stops working immediately. Only the current secret can rotate the key, and read-only keys cannot rotate themselves. Each key can send 10 requests at once, and one every 10 seconds.',
    body: jsonBody('How long the old secret keeps working. Optional.', schema('ApiKeyRotation'), {
      rotation: { keep_old_seconds: KEEP_OLD_SECONDS[DEFAULT_KEEP_OLD] },
    }),
    response: written('The new secret.', 'RotatedApiKeyEnvelope', {
      rotated: {
        data: {
          id: 'uh9oHGplm-X-4BBsvXbX1g',
          name: 'Shop backend',
          scope: 'verify',
          secret: 'postern_verify_ExampleExampleExampleExampleExampleExample0123456',
          expires_at: null,
          old_secret_works_until: '2026-11-24T09:30:00.000Z',
        },
      },
    }),
    problems: [...OBJECT_PROBLEMS, 'key-secret-replaced', 'keep-old-malformed'],
  },
  endOldSecret: {
    ...WRITE,
    method: 'DELETE',
    path: '/apikey/old-secret',
    summary: 'End the old secret of the API key',
    description:
      'Ends the secret that the last rotation replaced, before its time is over. The request must use the current secret.',
    response: written('The old secret no longer works.', 'EmptyEnvelope', { ended: { data: null } }),
    problems: ['key-secret-replaced', 'key-old-secret-ended'],
  },
} as const satisfies Record<string, PlatformOperation>;

/** The routes of `/apikey`. */
export function apiKeyRoutes({ apiKeys, ids, operation }: ApiKeyRoutesDeps): readonly Route[] {
  return operationRoutes(operation, OPERATIONS, {
    rotateApiKey: withBody(createParseObject(ROTATION), async ({ keepOld }, { actor, secret }) => {
      const rotated = await apiKeys.rotateOwn(actor, secret.text, keepOld ?? DEFAULT_KEEP_OLD);
      if (!rotated.ok) return rotated;
      const { key, secret: created } = rotated.value;
      const { rotatedAt, oldSecret, expiresAt } = key;
      const isKept = rotatedAt !== undefined && oldSecret !== undefined && oldSecret.worksUntil > rotatedAt;
      return {
        ok: true,
        data: {
          id: ids.seal('api-key', key.id),
          name: key.name,
          scope: key.scope,
          secret: created,
          expires_at: expiresAt === undefined ? null : toIso(expiresAt),
          old_secret_works_until: isKept ? toIso(oldSecret.worksUntil) : null,
        },
      };
    }),
    async endOldSecret({ actor, secret }) {
      const { keyId } = actor.limits;
      if (secret.isReplaced) return { ok: false, problem: 'key-secret-replaced' };
      if (keyId === undefined) return { ok: false, problem: 'key-unknown' };
      const ended = await apiKeys.endOldSecret(actor, keyId);
      return ended.ok ? { ok: true, data: null } : ended;
    },
  });
}
