import { expect } from 'bun:test';
import { mapMethods } from '../../src/storage/methods.ts';
import type { RawDatabase } from '../support/rawDatabase.ts';
import { CHECKED_CALLS } from './checkInvalidation.ts';
import type { World } from './world.ts';

/** What nodes cache: properties, API keys with the organizations of their users, signing keys, and maintenance mode. */
const CACHED = `SELECT md5(concat(
  (SELECT json_agg(p ORDER BY p.id) FROM properties p JOIN organizations o ON o.id = p.organization_id
    WHERE p.deleted_at IS NULL AND o.deleted_at IS NULL),
  (SELECT json_agg(to_jsonb(k) - 'last_used_at' - 'previous_used_at' - 'expiry_warned_days' ORDER BY k.id) FROM api_keys k),
  (SELECT json_agg(json_build_array(id, disabled_at) ORDER BY id) FROM accounts WHERE disabled_at IS NOT NULL),
  (SELECT json_agg(json_build_array(id, owner_id) ORDER BY id) FROM organizations WHERE deleted_at IS NULL),
  (SELECT json_agg(m ORDER BY organization_id, account_id) FROM members m JOIN organizations o ON o.id = organization_id
    WHERE o.deleted_at IS NULL),
  (SELECT json_agg(s ORDER BY s.number) FROM signing_keys s),
  (SELECT coalesce(max(get_byte(value, 0)), 0) FROM installation WHERE name = 'maintenance')
)) AS hash`;

/** `setup` creates an organization, but its owner is a new account, which has no API keys. */
const UNCHECKED: readonly string[] = ['credentials.setup', 'installation.changeVersion'];

/** Checks that every method that changes what nodes cache also raises the version that they read. */
export function checkAnnouncements(stores: World, { query }: RawDatabase): World {
  const { changeVersion } = stores.installation;
  const hashOfCached = async () => (await query<{ hash: string }>(CACHED))[0]?.hash;
  return mapMethods(stores, ({ store, name, kind, method }) => {
    if (kind === 'read' || UNCHECKED.includes(`${store}.${name}`)) return method;
    let calls = 0;
    return async (...args) => {
      if (++calls > CHECKED_CALLS) return method(...args);
      const version = await changeVersion();
      const hash = await hashOfCached();
      try {
        return await method(...args);
      } finally {
        const isChanged = (await hashOfCached()) !== hash;
        const isAnnounced = (await changeVersion()) > version;
        expect({ method: `${store}.${name}`, isMissed: isChanged && !isAnnounced }).toMatchObject({
          isMissed: false,
        });
      }
    };
  });
}
