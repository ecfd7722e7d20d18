import type { ApiKeyId } from '../../../model/apiKey.ts';
import type { PortalDeps } from '../kit/route.ts';

export const KEYS_PATH = '/portal/settings/api-keys';

/** @returns the path of a key's page */
export function keyPath({ ids }: Pick<PortalDeps, 'ids'>, id: ApiKeyId): string {
  return `${KEYS_PATH}/${ids.seal('api-key', id)}`;
}
