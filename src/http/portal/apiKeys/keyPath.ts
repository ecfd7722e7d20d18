import type { ApiKey } from '../../../model/apiKey.ts';
import type { OpaqueIds } from '../../../platform/opaqueId.ts';

export const KEYS_PATH = '/portal/settings/api-keys';

/** The path of the page of a key: below its organization if the organization owns it. */
export function keyPath(
  { ids }: { readonly ids: OpaqueIds },
  { id, isOrganizationOwned, organizationId }: Pick<ApiKey, 'id' | 'isOrganizationOwned' | 'organizationId'>,
): string {
  const keysPath =
    isOrganizationOwned && organizationId !== undefined
      ? `/portal/orgs/${ids.seal('organization', organizationId)}/api-keys`
      : KEYS_PATH;
  return `${keysPath}/${ids.seal('api-key', id)}`;
}
