import type { ApiKeyId } from '../../model/apiKey.ts';
import type { PortalDeps } from './route.ts';

export const KEYS_PATH = '/portal/settings/api-keys';

/** Where a key has its page. */
export function keyPath({ ids }: Pick<PortalDeps, 'ids'>, id: ApiKeyId): string {
  return `${KEYS_PATH}/${ids.seal('api-key', id)}`;
}
