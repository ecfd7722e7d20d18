import type { ApiKeyId } from '../../../model/apiKey.ts';
import type { OpaqueIds } from '../../../platform/opaqueId.ts';

export const KEYS_PATH = '/portal/settings/api-keys';

/** @returns the path of a key's page */
export function keyPath({ ids }: { readonly ids: OpaqueIds }, id: ApiKeyId): string {
  return `${KEYS_PATH}/${ids.seal('api-key', id)}`;
}
