import { describe, expect, test } from 'bun:test';
import { DAY, later } from '../../src/lib/time.ts';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { KeyChange } from '../../src/model/ports/apiKey.ts';
import { expectOk } from '../support/server.ts';
import { addAccount, addOrganization, KEYS_MAX, newKey, now, type OpenWorld, rotation } from './world.ts';

const hash = (digit: string) => digit.repeat(64);

/** The contract of ApiKeyStore and PrincipalLookup. */
export function describeApiKeyStore(name: string, open: OpenWorld): void {
  describe(`API key store (${name})`, () => {
    test('does not exceed the limit of active keys of a user, even in parallel', async () => {
      const world = await open();
      const anna = await addAccount(world);
      const expired = newKey(anna, { expiresAt: later(now, -1) });
      expectOk(await world.apiKeys.create(expired, 3, now));
      const revoked = expectOk(await world.apiKeys.create(newKey(anna), 3, now));
      expectOk(await world.apiKeys.revoke(revoked.id, now));
      const created = await Promise.all(
        Array.from({ length: 10 }, () => world.apiKeys.create(newKey(anna), 3, now)),
      );
      expect(created.filter(({ ok }) => ok)).toHaveLength(3);
      expect(created.filter((one) => !one.ok && one.problem === 'keys-limit')).toHaveLength(7);
      // Each user has a separate limit.
      expectOk(await world.apiKeys.create(newKey(await addAccount(world)), 3, now));
    });

    test('stores a key, and never returns its hash', async () => {
      const world = await open();
      const account = await addAccount(world);
      const { id: organizationId } = await addOrganization(world, account);
      const change = {
        scope: 'portal',
        organizationId,
        isReadOnly: true,
        expiresAt: later(now, DAY),
      } as const;
      const { keyHash, ...given } = newKey(account, change);
      const created = expectOk(await world.apiKeys.create({ ...given, keyHash }, KEYS_MAX, now));
      expect(created).toEqual({
        ...given,
        id: created.id,
        revokedAt: undefined,
        createdAt: now,
        lastUsedAt: undefined,
        rotatedAt: undefined,
        oldSecret: undefined,
      });
      expect(await world.apiKeys.list()).toEqual([created]);
      expect(await world.apiKeys.byId(created.id)).toEqual(created);
      expect(await world.apiKeys.byId((created.id + 1) as ApiKeyId)).toBeUndefined();
    });

    test('marks a key once for each warning, and lists expiring keys soonest first', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const in20 = newKey(ann, { expiresAt: later(now, 20 * DAY) });
      const in5 = newKey(ann, { expiresAt: later(now, 5 * DAY) });
      const late = expectOk(await world.apiKeys.create(in20, KEYS_MAX, now));
      const early = expectOk(await world.apiKeys.create(in5, KEYS_MAX, now));
      expectOk(await world.apiKeys.create(newKey(ann), KEYS_MAX, now));
      const revoked = expectOk(
        await world.apiKeys.create(newKey(ann, { expiresAt: later(now, DAY) }), KEYS_MAX, now),
      );
      expectOk(await world.apiKeys.revoke(revoked.id, now));
      expectOk(await world.apiKeys.create(newKey(ben, { expiresAt: later(now, 3 * DAY) }), KEYS_MAX, now));
      expectOk(await world.accounts.setDisabled(ben.id, now));
      const markedAfter = async (days: number) =>
        (await world.apiKeys.markExpiring(later(now, days * DAY))).map(({ key, days }) => [key.id, days]);
      expect(await markedAfter(0)).toEqual([[early.id, 7]]);
      expect(await markedAfter(0)).toEqual([]);
      expect(await markedAfter(4)).toEqual([[early.id, 1]]);
      expect(await markedAfter(5)).toEqual([]);
      expect(await markedAfter(6)).toEqual([[late.id, 14]]);
      // The warning 7 days before was missed; the one 1 day before replaces it.
      expect(await markedAfter(19)).toEqual([[late.id, 1]]);
      expect(await markedAfter(20)).toEqual([]);
      const expiring = async (from: number, to: number) =>
        world.apiKeys.expiring(ann.id, later(now, from * DAY), later(now, to * DAY));
      expect(await expiring(0, 20)).toEqual([early, late]);
      expect(await expiring(5, 19)).toEqual([]);
    });

    test('marks keys in batches until none is left', async () => {
      const world = await open();
      const account = await addAccount(world);
      for (let i = 0; i < 230; i++) {
        expectOk(await world.apiKeys.create(newKey(account, { expiresAt: later(now, DAY) }), KEYS_MAX, now));
      }
      const batches = [];
      for (let i = 0; i < 4; i++) batches.push((await world.apiKeys.markExpiring(now)).length);
      expect(batches).toEqual([100, 100, 30, 0]);
    });

    test('lists the keys of one account, or all', async () => {
      const world = await open();
      const [anna, bob] = [await addAccount(world), await addAccount(world)];
      for (const account of [anna, bob, anna])
        expectOk(await world.apiKeys.create(newKey(account), KEYS_MAX, now));
      expect((await world.apiKeys.list({ accountId: anna.id })).map(({ accountId }) => accountId)).toEqual([
        anna.id,
        anna.id,
      ]);
      expect(await world.apiKeys.list()).toHaveLength(3);
    });

    test('rejects an existing key, even of another user and after it was revoked', async () => {
      const world = await open();
      const [anna, bob] = [await addAccount(world), await addAccount(world)];
      const { id } = expectOk(
        await world.apiKeys.create(newKey(anna, { keyHash: hash('a') }), KEYS_MAX, now),
      );
      const again = newKey(bob, { keyHash: hash('a') });
      expect(await world.apiKeys.create(again, KEYS_MAX, now)).toEqual({ ok: false, problem: 'key-taken' });
      await world.apiKeys.revoke(id, now);
      expect(await world.apiKeys.create(again, KEYS_MAX, now)).toEqual({ ok: false, problem: 'key-taken' });
    });

    test('returns the principal of a key, with the organizations that its user owns or is a member of', async () => {
      const world = await open();
      const account = await addAccount(world);
      const owned = await addOrganization(world, account);
      const shared = await addOrganization(world);
      await addOrganization(world);
      await world.organizations.addMember(shared.id, account.id, now);
      const given = newKey(account, { expiresAt: now });
      const { id } = expectOk(await world.apiKeys.create(given, KEYS_MAX, now));
      // The caller checks the expiry.
      expect(await world.apiKeys.byKeyHash(given.keyHash)).toMatchObject({
        keyId: id,
        accountId: account.id,
        scope: 'verify',
        organizationId: undefined,
        isReadOnly: false,
        expiresAt: now,
        memberOf: new Set([owned.id, shared.id]),
      });
      expect(await world.apiKeys.byKeyHash(hash('f'))).toBeUndefined();
    });

    test('removes the organization from the principal of a member who left', async () => {
      const world = await open();
      const account = await addAccount(world);
      const shared = await addOrganization(world);
      await world.organizations.addMember(shared.id, account.id, now);
      const given = newKey(account);
      await world.apiKeys.create(given, KEYS_MAX, now);
      await world.organizations.removeMember(shared.id, account.id);
      expect((await world.apiKeys.byKeyHash(given.keyHash))?.memberOf).toEqual(new Set());
    });

    test('revokes a key immediately, and only once', async () => {
      const world = await open();
      const given = newKey(await addAccount(world));
      const { id } = expectOk(await world.apiKeys.create(given, KEYS_MAX, now));
      const revoked = await world.apiKeys.revoke(id, later(now, 1));
      expect(revoked).toMatchObject({ ok: true, value: { id, revokedAt: later(now, 1) } });
      expect(await world.apiKeys.byKeyHash(given.keyHash)).toBeUndefined();
      expect(await world.apiKeys.revoke(id, later(now, 2))).toEqual({ ok: false, problem: 'key-revoked' });
      expect((await world.apiKeys.byId(id))?.revokedAt).toBe(later(now, 1));
      expect(await world.apiKeys.revoke((id + 1) as ApiKeyId, now)).toEqual({
        ok: false,
        problem: 'key-unknown',
      });
    });

    test('does not rotate an unknown or revoked key, or to an existing secret', async () => {
      const world = await open();
      const account = await addAccount(world);
      const { id } = expectOk(
        await world.apiKeys.create(newKey(account, { keyHash: hash('a') }), KEYS_MAX, now),
      );
      expectOk(await world.apiKeys.create(newKey(account, { keyHash: hash('b') }), KEYS_MAX, now));
      const rotate = (key: ApiKeyId, keyHash: string) => world.apiKeys.rotate(key, rotation(keyHash));
      expect(await rotate(999 as ApiKeyId, hash('c'))).toEqual({ ok: false, problem: 'key-unknown' });
      expect(await rotate(id, hash('b'))).toEqual({ ok: false, problem: 'key-taken' });
      expect(await world.apiKeys.byKeyHash(hash('a'))).toMatchObject({ keyId: id });
      await world.apiKeys.revoke(id, now);
      expect(await rotate(id, hash('c'))).toEqual({ ok: false, problem: 'key-revoked' });
      expect(await world.apiKeys.byKeyHash(hash('c'))).toBeUndefined();
    });

    test('raises a rate below the minimum to the minimum', async () => {
      const world = await open();
      const given = newKey(await addAccount(world), { rate: 1e-306, burst: 3 });
      expectOk(await world.apiKeys.create(given, KEYS_MAX, now));
      expect((await world.apiKeys.byKeyHash(given.keyHash))?.rate).toBe(0.001);
    });

    test('stores the rate of a key, and changes the name or the rate', async () => {
      const world = await open();
      const given = newKey(await addAccount(world), { rate: 0.5, burst: 3 });
      const { id } = expectOk(await world.apiKeys.create(given, KEYS_MAX, now));
      const rateOf = async () => {
        const { rate, burst } = (await world.apiKeys.byKeyHash(given.keyHash)) ?? {};
        return { rate, burst };
      };
      expect(await rateOf()).toEqual({ rate: 0.5, burst: 3 });
      const change = (what: KeyChange) => world.apiKeys.change(id, what);
      expect(await change({ name: 'Other' })).toMatchObject({
        value: { name: 'Other', rate: 0.5, burst: 3 },
      });
      expect(await change({ rate: undefined })).toMatchObject({ value: { name: 'Other', burst: 3 } });
      expect(await rateOf()).toEqual({ rate: undefined, burst: 3 });
      expect(await change({})).toMatchObject({ ok: true, value: { name: 'Other', burst: 3 } });
      await world.apiKeys.revoke(id, now);
      for (const what of [{ name: 'Late' }, {}]) {
        expect(await change(what)).toEqual({ ok: false, problem: 'key-revoked' });
        expect(await world.apiKeys.change((id + 1) as ApiKeyId, what)).toEqual({
          ok: false,
          problem: 'key-unknown',
        });
      }
    });

    test('stores the latest of several uses, in any order', async () => {
      const world = await open();
      const account = await addAccount(world);
      const ids = [];
      for (const _ of [1, 2, 3])
        ids.push(expectOk(await world.apiKeys.create(newKey(account), KEYS_MAX, now)).id);
      const [first, second, third] = ids as [ApiKeyId, ApiKeyId, ApiKeyId];
      const [early, late] = [later(now, 1), later(now, 2)];
      await world.apiKeys.recordUses([
        { id: first, at: late },
        { id: second, at: early },
      ]);
      await world.apiKeys.recordUses([
        { id: first, at: early },
        { id: second, at: late },
        { id: 9999 as ApiKeyId, at: late },
      ]);
      await world.apiKeys.recordUses([]);
      const found = new Map((await world.apiKeys.list()).map(({ id, lastUsedAt }) => [id, lastUsedAt]));
      expect(found.get(first)).toBe(late);
      expect(found.get(second)).toBe(late);
      expect(found.get(third)).toBeUndefined();
    });

    test('returns no principal while the account is disabled', async () => {
      const world = await open();
      const account = await addAccount(world);
      const given = newKey(account);
      expectOk(await world.apiKeys.create(given, KEYS_MAX, now));
      expectOk(await world.accounts.setDisabled(account.id, now));
      expect(await world.apiKeys.byKeyHash(given.keyHash)).toBeUndefined();
      expectOk(await world.accounts.setDisabled(account.id, undefined));
      expect(await world.apiKeys.byKeyHash(given.keyHash)).toMatchObject({ accountId: account.id });
    });
  });
}
