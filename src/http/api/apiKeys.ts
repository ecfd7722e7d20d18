import { Elysia } from 'elysia';
import { toIso } from '../../lib/time.ts';
import { DEFAULT_KEEP_OLD } from '../../model/apiKey.ts';
import { KEEP_OLD_FIELD } from '../../model/apiKeyFields.ts';
import type { ApiKeys } from '../../platform/apiKeys/apiKeys.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import { createParseObject } from './jsonObject.ts';
import type { Call, createOperations, OperationResult } from './operation.ts';

export type ApiKeyRoutesDeps = {
  readonly apiKeys: Pick<ApiKeys, 'rotateOwn' | 'endOldSecret'>;
  readonly ids: OpaqueIds;
  /** Creates handlers that accept keys of both scopes. */
  readonly operation: ReturnType<typeof createOperations>;
};

/** Maximum size of the body in bytes. */
const BODY_LIMIT = 1024;

/** Routes of the API key that authenticates the request. */
export function apiKeyRoutes({ apiKeys, ids, operation }: ApiKeyRoutesDeps) {
  const parseRotation = createParseObject({ keepOld: KEEP_OLD_FIELD });

  async function rotate({ actor, body, secret }: Call): Promise<OperationResult> {
    const given = parseRotation(body);
    if (!given.ok) return given;
    const rotated = await apiKeys.rotateOwn(actor, secret.text, given.value.keepOld ?? DEFAULT_KEEP_OLD);
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
  }

  async function endOldSecret({ actor, secret }: Call): Promise<OperationResult> {
    const { keyId } = actor.limits;
    if (secret.isReplaced) return { ok: false, problem: 'key-secret-replaced' };
    if (keyId === undefined) return { ok: false, problem: 'key-unknown' };
    const ended = await apiKeys.endOldSecret(actor, keyId);
    return ended.ok ? { ok: true, data: null } : ended;
  }

  const rotation = { access: 'write', bodyLimit: BODY_LIMIT, isBodyOptional: true } as const;
  return new Elysia()
    .post('/apikey/rotate', operation(rotation, rotate), { parse: 'none', detail: OPERATIONS.rotateApiKey })
    .delete('/apikey/old-secret', operation({ access: 'write' }, endOldSecret), {
      parse: 'none',
      detail: OPERATIONS.endOldSecret,
    });
}
