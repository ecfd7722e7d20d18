import type { ApiKey } from '../../model/apiKey.ts';
import type { Services } from '../../server/services.ts';
import type { Row } from '../output.ts';
import { isoOrNull } from '../withServices.ts';

/** The fields that commands print for an API key. @param secret null except directly after creation or rotation */
export function toKeyRow({ ids }: Services, key: ApiKey, user: string, secret: string | null = null): Row {
  const { organizationId } = key;
  return {
    id: ids.seal('api-key', key.id),
    key: secret,
    name: key.name,
    scope: key.scope,
    org_id: organizationId === undefined ? null : ids.seal('organization', organizationId),
    read_only: key.isReadOnly,
    expires_at: isoOrNull(key.expiresAt),
    rate: key.rate ?? null,
    burst: key.burst ?? null,
    user,
    created_at: isoOrNull(key.createdAt),
    revoked_at: isoOrNull(key.revokedAt),
    last_used_at: isoOrNull(key.lastUsedAt),
  };
}
