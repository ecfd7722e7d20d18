import type { ApiKeyId } from '../../../model/apiKey.ts';
import type { OpaqueIds } from '../../../platform/opaqueId.ts';

export const KEYS_PATH = '/portal/settings/api-keys';

export function keyPath({ ids }: { readonly ids: OpaqueIds }, id: ApiKeyId): string {
  return `${KEYS_PATH}/${ids.seal('api-key', id)}`;
}
