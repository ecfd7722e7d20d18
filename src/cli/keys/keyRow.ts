import { COMMAND_LINE } from '../../model/actor.ts';
import { type ApiKey, ownerOf, type SecretHint } from '../../model/apiKey.ts';
import type { Services } from '../../server/services.ts';
import type { Row } from '../output.ts';
import { isoOrNull, loadEmails } from '../withServices.ts';

/** Converts a key to the fields that commands print. @param secret null except directly after creation or rotation */
export type ToKeyRow = (key: ApiKey, secret?: string | null) => Row;

/** Loads the names of users and organizations. */
export async function loadToKeyRow(services: Services): Promise<ToKeyRow> {
  const { ids } = services;
  const emailOf = await loadEmails(services);
  const organizations = await services.organizations.list(COMMAND_LINE);
  const names = new Map(organizations.map(({ id, name }) => [id, name]));
  return (key, secret = null) => {
    const { organizationId, oldSecret } = key;
    const owner = ownerOf(key);
    const isUser = 'accountId' in owner;
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
      user: emailOf(key.accountId),
      owner_kind: isUser ? 'user' : 'organization',
      owner: isUser ? emailOf(owner.accountId) : (names.get(owner.organizationId) ?? ''),
      created_at: isoOrNull(key.createdAt),
      revoked_at: isoOrNull(key.revokedAt),
      last_used_at: isoOrNull(key.lastUsedAt),
      prefix: key.hint?.prefix ?? null,
      last_four: key.hint?.lastFour ?? null,
      secret: toText(key.hint),
      rotated_at: isoOrNull(key.rotatedAt),
      old_secret: toText(oldSecret?.hint),
      old_secret_until: isoOrNull(oldSecret?.worksUntil),
      old_secret_last_used_at: isoOrNull(oldSecret?.lastUsedAt),
    };
  };
}

function toText(hint: SecretHint | undefined): string | null {
  return hint === undefined ? null : `${hint.prefix}…${hint.lastFour}`;
}
