import { expect } from 'bun:test';
import type { Account } from '../../src/model/account.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { mapMethods } from '../../src/storage/methods.ts';
import type { RawDatabase } from '../support/rawDatabase.ts';
import type { World } from './world.ts';

/** The number of calls of each method of a world that are checked, because a check takes longer than the call. */
export const CHECKED_CALLS = 50;

/** Checks that only writes of the kind `invalidate` change what servers cache. @see MethodKind */
export function checkInvalidation(stores: World, { query }: RawDatabase): World {
  async function cachedFor(accounts: readonly Account[]): Promise<object> {
    const sitekeys = await query<{ sitekey: Sitekey }>('SELECT sitekey FROM properties ORDER BY id');
    const keyHashes = await query<{ hash: string }>('SELECT key_hash AS hash FROM api_keys ORDER BY id');
    // What the principal of an API key would be, also for accounts without keys.
    const access = accounts.map(async ({ id }) => [
      (await stores.accounts.byId(id))?.disabledAt,
      (await stores.organizations.list(id)).map((organization) => organization.id),
    ]);
    return {
      properties: await Promise.all(sitekeys.map(({ sitekey }) => stores.properties.bySitekey(sitekey))),
      principals: await Promise.all(keyHashes.map(({ hash }) => stores.apiKeys.byKeyHash(hash))),
      access: await Promise.all(access),
      signingKeys: await stores.signingKeys.list(),
      rules: await stores.rules.stored('installation'),
    };
  }
  const invalidations = { started: 0, running: 0 };

  async function invalidate(work: () => unknown): Promise<unknown> {
    invalidations.started++;
    invalidations.running++;
    try {
      return await work();
    } finally {
      invalidations.running--;
    }
  }

  /** Compares nothing if other calls invalidated caches at the same time. */
  async function check(call: string, work: () => unknown): Promise<unknown> {
    const { started, running } = invalidations;
    const accounts = await stores.accounts.list();
    const before = await cachedFor(accounts);
    const result = await work();
    const after = await cachedFor(accounts);
    if (running === 0 && started === invalidations.started) expect([call, after]).toEqual([call, before]);
    return result;
  }

  return mapMethods(stores, ({ store, name, kind, method }) => {
    if (kind === 'read') return method;
    let calls = 0;
    return (...args) => {
      const work = () => method(...args);
      if (kind !== 'write') return invalidate(work);
      return ++calls > CHECKED_CALLS ? work() : check(`${store}.${name}`, work);
    };
  });
}
