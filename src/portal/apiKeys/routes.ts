import { ALWAYS, DESTRUCTIVE, type Route, route, SENSITIVE } from '../kit/route.ts';
import { createKey, showNewKey } from './keyCreate.tsx';
import { changeKey, endOldSecret, revokeKey, rotateKey, showKey } from './keyDetails.tsx';
import { showKeys, showOrganizationKeys } from './keyList.tsx';

// biome-ignore format: a table reads best with a row on a line
export const API_KEY_ROUTES: readonly Route[] = [
  route('GET', '/portal/settings/api-keys', 'session', showKeys),
  route('GET', '/portal/settings/api-keys/new', 'session', showNewKey, SENSITIVE),
  route('POST', '/portal/settings/api-keys/new', 'session', createKey, SENSITIVE),
  route('GET', '/portal/settings/api-keys/:key', 'key', showKey),
  route('POST', '/portal/settings/api-keys/:key', 'key', changeKey),
  route('POST', '/portal/settings/api-keys/:key/rotate', 'key', rotateKey, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('POST', '/portal/settings/api-keys/:key/revoke', 'key', revokeKey, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
  route('POST', '/portal/settings/api-keys/:key/end-old', 'key', endOldSecret, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
  route('GET', '/portal/orgs/:org/api-keys', 'organization', showOrganizationKeys),
  route('GET', '/portal/orgs/:org/api-keys/new', 'owner', showNewKey, SENSITIVE),
  route('POST', '/portal/orgs/:org/api-keys/new', 'owner', createKey, SENSITIVE),
  route('GET', '/portal/orgs/:org/api-keys/:orgKey', 'organizationKey', showKey),
  route('POST', '/portal/orgs/:org/api-keys/:orgKey', 'ownedKey', changeKey),
  route('POST', '/portal/orgs/:org/api-keys/:orgKey/rotate', 'ownedKey', rotateKey, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('POST', '/portal/orgs/:org/api-keys/:orgKey/revoke', 'ownedKey', revokeKey, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
  route('POST', '/portal/orgs/:org/api-keys/:orgKey/end-old', 'ownedKey', endOldSecret, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
];
