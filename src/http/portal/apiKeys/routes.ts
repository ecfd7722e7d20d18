import { ALWAYS, type Route, route, SENSITIVE } from '../kit/route.ts';
import { createKey, showNewKey } from './keyCreate.tsx';
import { changeKey, revokeKey, rotateKey, showKey } from './keyDetails.tsx';
import { showKeys } from './keyList.tsx';

// biome-ignore format: a table reads best with a row on a line
export const API_KEY_ROUTES: readonly Route[] = [
  route('GET', '/portal/settings/api-keys', 'session', showKeys),
  route('GET', '/portal/settings/api-keys/new', 'session', showNewKey, SENSITIVE),
  route('POST', '/portal/settings/api-keys/new', 'session', createKey, SENSITIVE),
  route('GET', '/portal/settings/api-keys/:key', 'key', showKey),
  route('POST', '/portal/settings/api-keys/:key', 'key', changeKey),
  route('POST', '/portal/settings/api-keys/:key/rotate', 'key', rotateKey, SENSITIVE),
  route('POST', '/portal/settings/api-keys/:key/revoke', 'key', revokeKey, { ...SENSITIVE, ...ALWAYS }),
];
