import { describe, expect, test } from 'bun:test';
import { DAY, HOUR, type Instant, later, MINUTE } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { KeyOrder } from '../../src/model/ports/apiKey.ts';
import { expectOk } from '../support/server.ts';
import { addAccount, addOrganization, KEYS_MAX, newKey, now, type OpenWorld, rotation } from './world.ts';

const hash = (digit: string) => digit.repeat(64);
const inAnHour = later(now, HOUR);

async function openKey(open: OpenWorld, change: Parameters<typeof newKey>[1] = {}) {
  const world = await open();
  const account = await addAccount(world);
  const given = newKey(account, { keyHash: hash('a'), ...change });
  const key = expectOk(await world.apiKeys.create(given, KEYS_MAX, now));
  const stored = async () => (await world.apiKeys.byId(key.id))?.oldSecret;
  return { world, account, key, stored };
}

/** The contract of the rotation of API keys. */
export function describeKeyRotation(name: string, open: OpenWorld): void {
  describe(`rotation of API keys (${name})`, () => {
    test('keeps the old secret until its time, and changes nothing else', async () => {
      const { world, key } = await openKey(open);
      const rotated = expectOk(await world.apiKeys.rotate(key.id, rotation(hash('b'), inAnHour)));
      expect(rotated).toEqual({
        ...key,
        hint: rotation('').hint,
        rotatedAt: now,
        oldSecret: { worksUntil: inAnHour, lastUsedAt: undefined, hint: key.hint },
      });
      expect(await world.apiKeys.byId(key.id)).toEqual(rotated);
      const current = await world.apiKeys.byKeyHash(hash('b'));
      expect(current).toMatchObject({ keyId: key.id, expiresAt: undefined, replacedAt: undefined });
      const old = await world.apiKeys.byKeyHash(hash('a'));
      expect(old).toEqual({ ...current, expiresAt: inAnHour, replacedAt: now } as typeof current);
    });

    test('does not extend the life of an old secret beyond the expiry of the key', async () => {
      const { world, key } = await openKey(open, { expiresAt: later(now, MINUTE) });
      expectOk(await world.apiKeys.rotate(key.id, rotation(hash('b'), inAnHour)));
      expect((await world.apiKeys.byKeyHash(hash('a')))?.expiresAt).toBe(later(now, MINUTE));
      expect((await world.apiKeys.byKeyHash(hash('b')))?.expiresAt).toBe(later(now, MINUTE));
    });

    test('without keeping the old secret ends it, regardless of the clock', async () => {
      const { world, key } = await openKey(open);
      expectOk(await world.apiKeys.rotate(key.id, rotation(hash('b'))));
      expect(await world.apiKeys.byKeyHash(hash('a'))).toBeUndefined();
      expect(await world.apiKeys.byKeyHash(hash('b'))).toMatchObject({ keyId: key.id });
    });

    test('keeps only one old secret', async () => {
      const { world, key, stored } = await openKey(open);
      expectOk(await world.apiKeys.rotate(key.id, rotation(hash('b'), inAnHour)));
      const use = { id: key.id, at: now, old: { at: now, replacedAt: now } };
      await world.apiKeys.recordUses([use]);
      expect((await stored())?.lastUsedAt).toBe(now);
      const again = { ...rotation(hash('c'), later(now, DAY)), at: later(now, 1) };
      expectOk(await world.apiKeys.rotate(key.id, again));
      expect(await world.apiKeys.byKeyHash(hash('a'))).toBeUndefined();
      expect(await world.apiKeys.byKeyHash(hash('b'))).toMatchObject({ expiresAt: later(now, DAY) });
      expect(await stored()).toMatchObject({ worksUntil: later(now, DAY), lastUsedAt: undefined });
      // A use of the first secret that is written late.
      await world.apiKeys.recordUses([use]);
      expect((await stored())?.lastUsedAt).toBeUndefined();
    });

    test('is rejected if the caller does not know the current secret', async () => {
      const { world, key } = await openKey(open);
      const first = { ...rotation(hash('b'), inAnHour), expectedHash: hash('a') };
      const second = { ...rotation(hash('c'), inAnHour), expectedHash: hash('a') };
      const outcomes = await Promise.all([
        world.apiKeys.rotate(key.id, first),
        world.apiKeys.rotate(key.id, second),
      ]);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      expect(outcomes).toContainEqual({ ok: false, problem: 'key-secret-replaced' });
      const works = await Promise.all(['a', 'b', 'c'].map((digit) => world.apiKeys.byKeyHash(hash(digit))));
      expect(works.filter((principal) => principal !== undefined)).toHaveLength(2);
    });

    test('can be completed early: the old secret ends, also if the clocks of nodes differ', async () => {
      const { world, key, stored } = await openKey(open);
      const end = (at: Instant) => world.apiKeys.endOldSecret(key.id, at);
      expect(await end(now)).toEqual({ ok: false, problem: 'key-old-secret-ended' });
      expectOk(await world.apiKeys.rotate(key.id, rotation(hash('b'), inAnHour)));
      expect(await end(inAnHour)).toEqual({ ok: false, problem: 'key-old-secret-ended' });
      expectOk(await end(later(now, MINUTE)));
      expect(await world.apiKeys.byKeyHash(hash('a'))).toBeUndefined();
      expect(await world.apiKeys.byKeyHash(hash('b'))).toMatchObject({ keyId: key.id });
      expect(await stored()).toMatchObject({ worksUntil: now });
      expect(await end(later(now, MINUTE))).toEqual({ ok: false, problem: 'key-old-secret-ended' });
      expect(await world.apiKeys.endOldSecret(999 as ApiKeyId, now)).toEqual({
        ok: false,
        problem: 'key-unknown',
      });
    });

    test('ends with a revocation: neither secret works', async () => {
      const { world, key } = await openKey(open);
      expectOk(await world.apiKeys.rotate(key.id, rotation(hash('b'), inAnHour)));
      expectOk(await world.apiKeys.revoke(key.id, now));
      expect(await world.apiKeys.byKeyHash(hash('a'))).toBeUndefined();
      expect(await world.apiKeys.byKeyHash(hash('b'))).toBeUndefined();
      expect(await world.apiKeys.endOldSecret(key.id, now)).toEqual({ ok: false, problem: 'key-revoked' });
    });

    test('does not allow anyone to create a key with the first or the previous secret', async () => {
      const { world, account, key } = await openKey(open);
      const create = async (keyHash: string) =>
        world.apiKeys.create(newKey(account, { keyHash }), KEYS_MAX, now);
      expectOk(await world.apiKeys.rotate(key.id, rotation(hash('b'))));
      expectOk(await world.apiKeys.rotate(key.id, { ...rotation(hash('c')), at: later(now, 1) }));
      for (const digit of ['a', 'b', 'c']) {
        expect(await create(hash(digit))).toEqual({ ok: false, problem: 'key-taken' });
      }
      expect(await world.apiKeys.list()).toHaveLength(1);
    });

    test('records the last use of the old secret, and keeps a later time', async () => {
      const { world, key, stored } = await openKey(open);
      expectOk(await world.apiKeys.rotate(key.id, rotation(hash('b'), inAnHour)));
      const useAt = (minutes: number) => {
        const at = later(now, minutes * MINUTE);
        return { id: key.id, at, old: { at, replacedAt: now } };
      };
      await world.apiKeys.recordUses([{ id: key.id, at: later(now, 3 * MINUTE) }, useAt(2)]);
      await world.apiKeys.recordUses([useAt(1)]);
      expect((await stored())?.lastUsedAt).toBe(later(now, 2 * MINUTE));
      expect((await world.apiKeys.byId(key.id))?.lastUsedAt).toBe(later(now, 3 * MINUTE));
    });
  });
}

async function openOrganizationKey(open: OpenWorld) {
  const world = await open();
  const owner = await addAccount(world);
  const { id: organizationId } = await addOrganization(world, owner);
  const create = async (digit: string, by: Account = owner, limit = KEYS_MAX) => {
    const change = { keyHash: hash(digit), organizationId, isOrganizationOwned: true };
    return world.apiKeys.create(newKey(by, change), limit, now);
  };
  return { world, owner, organizationId, create };
}

/** The contract of API keys that belong to an organization. */
export function describeOrganizationKeys(name: string, open: OpenWorld): void {
  describe(`API keys of organizations (${name})`, () => {
    test('can access only their organization, and do not depend on a user', async () => {
      const { world, owner, organizationId, create } = await openOrganizationKey(open);
      await addOrganization(world, owner);
      const key = expectOk(await create('a'));
      const principal = {
        keyId: key.id,
        accountId: undefined,
        organizationId,
        memberOf: new Set([organizationId]),
      };
      expect(await world.apiKeys.byKeyHash(hash('a'))).toMatchObject(principal);
      const heir = await addAccount(world);
      await world.organizations.addMember(organizationId, heir.id, now);
      expectOk(await world.organizations.transfer(organizationId, owner.id, heir.id));
      await world.organizations.removeMember(organizationId, owner.id);
      expectOk(await world.accounts.setDisabled(owner.id, now));
      expect(await world.apiKeys.byKeyHash(hash('a'))).toMatchObject(principal);
    });

    test('stop working when the organization is deleted', async () => {
      const { world, organizationId, create } = await openOrganizationKey(open);
      expectOk(await create('a'));
      expectOk(await world.organizations.remove(organizationId, now));
      expect(await world.apiKeys.byKeyHash(hash('a'))).toBeUndefined();
      await world.properties.purge(later(now, 1));
      expect(await world.apiKeys.list()).toEqual([]);
    });

    test('count for the organization, not for the user who creates them', async () => {
      const { world, owner, organizationId, create } = await openOrganizationKey(open);
      expectOk(await create('a', owner, 1));
      expect(await create('b', owner, 1)).toEqual({ ok: false, problem: 'keys-limit' });
      const own = expectOk(await world.apiKeys.create(newKey(owner), 1, now));
      const limited = expectOk(await world.apiKeys.create(newKey(owner, { organizationId }), 2, now));
      const ids = async (keyOwner: Parameters<typeof world.apiKeys.list>[0]) =>
        (await world.apiKeys.list(keyOwner)).map(({ id }) => id);
      expect(await ids({ accountId: owner.id })).toEqual([own.id, limited.id]);
      expect(await ids({ organizationId })).toHaveLength(1);
      expect(await ids(undefined)).toHaveLength(3);
    });

    test('are listed in pages: revoked keys separately, newest first', async () => {
      const { world, organizationId, create } = await openOrganizationKey(open);
      const keys = [];
      for (const digit of 'abcde') keys.push(expectOk(await create(digit)));
      const [first, second] = keys;
      expectOk(await world.apiKeys.revoke(first?.id as ApiKeyId, later(now, 2)));
      expectOk(await world.apiKeys.revoke(second?.id as ApiKeyId, later(now, 1)));
      const page = async (isRevoked: boolean, offset: number, limit: number) => {
        const slice = { isRevoked, offset, limit };
        return (await world.apiKeys.page({ organizationId }, slice)).map(({ id }) => id);
      };
      const [a, b, c, d, e] = keys.map(({ id }) => id) as ApiKeyId[];
      expect(await page(false, 0, 2)).toEqual([e, d] as ApiKeyId[]);
      expect(await page(false, 2, 2)).toEqual([c] as ApiKeyId[]);
      expect(await page(true, 0, 9)).toEqual([a, b] as ApiKeyId[]);
    });

    test('are listed in each order, with keys that were never used or never expire at one end', async () => {
      const { world, owner, organizationId } = await openOrganizationKey(open);
      const add = async (name: string, expiresAt: Instant | undefined, lastUsedAt: Instant | undefined) => {
        const change = { name, organizationId, isOrganizationOwned: true, expiresAt };
        const { id } = expectOk(await world.apiKeys.create(newKey(owner, change), KEYS_MAX, now));
        if (lastUsedAt !== undefined) await world.apiKeys.recordUses([{ id, at: lastUsedAt }]);
      };
      await add('bravo', later(now, DAY), later(now, 2));
      await add('Alpha', undefined, later(now, 1));
      await add('charlie', later(now, 2 * DAY), undefined);
      const names = async (order: KeyOrder, offset = 0, limit = 9) => {
        const slice = { isRevoked: false, order, offset, limit };
        return (await world.apiKeys.page({ organizationId }, slice)).map(({ name }) => name).join(' ');
      };
      expect(await names('name_asc')).toBe('Alpha bravo charlie');
      expect(await names('used_desc')).toBe('bravo Alpha charlie');
      expect(await names('expires_asc')).toBe('bravo charlie Alpha');
      expect(await names('created_asc')).toBe('bravo Alpha charlie');
      for (const column of ['name', 'used', 'expires', 'created'] as const) {
        const reversed = (await names(`${column}_asc`)).split(' ').toReversed().join(' ');
        expect(await names(`${column}_desc`)).toBe(reversed);
        const parts = [await names(`${column}_asc`, 0, 2), await names(`${column}_asc`, 2, 2)];
        expect(parts.join(' ')).toBe(await names(`${column}_asc`));
      }
    });

    test('that expire are listed for the owner of the organization, also if the creator is disabled', async () => {
      const { world, owner, organizationId } = await openOrganizationKey(open);
      const change = { organizationId, isOrganizationOwned: true, expiresAt: later(now, DAY) };
      const key = expectOk(await world.apiKeys.create(newKey(owner, change), KEYS_MAX, now));
      const heir = await addAccount(world);
      await world.organizations.addMember(organizationId, heir.id, now);
      expect(await world.apiKeys.expiring(heir.id, now, later(now, DAY))).toEqual([]);
      expectOk(await world.organizations.transfer(organizationId, owner.id, heir.id));
      expectOk(await world.accounts.setDisabled(owner.id, now));
      expect(await world.apiKeys.expiring(heir.id, now, later(now, DAY))).toEqual([key]);
      expect(await world.apiKeys.expiring(owner.id, now, later(now, DAY))).toEqual([]);
      expect((await world.apiKeys.markExpiring(now)).map(({ key: { id } }) => id)).toEqual([key.id]);
    });
  });
}
