import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../src/model/account.ts';
import { emailOf } from '../support/email.ts';
import { expectOk } from '../support/server.ts';
import { addAccount, now, type OpenWorld } from './world.ts';

const first = {
  email: emailOf('ann@example.com'),
  name: 'Ann',
  passwordHash: '$argon2id$a',
  organizationName: 'Sites',
};

/** The contract of credential stores. */
export function describeCredentialStore(name: string, open: OpenWorld): void {
  describe(`credential store (${name})`, () => {
    test('finds accounts and their password hashes', async () => {
      const world = await open();
      const account = await addAccount(world);
      expect(await world.credentials.byId(account.id)).toEqual(account);
      expect(await world.credentials.byId((account.id + 1) as AccountId)).toBeUndefined();
      expect(await world.credentials.byEmail(account.email)).toEqual({ account, passwordHash: undefined });
      await world.accounts.setPasswordHash(account.id, 'hash');
      expect(await world.credentials.byEmail(account.email)).toEqual({ account, passwordHash: 'hash' });
      expect(await world.credentials.byEmail(emailOf('nobody@example.com'))).toBeUndefined();
    });

    test('records that a user has dismissed the checklist', async () => {
      const world = await open();
      const [account, other] = [await addAccount(world), await addAccount(world)];
      expect(await world.credentials.hasDismissedChecklist(account.id)).toBe(false);
      await world.credentials.dismissChecklist(account.id, now);
      expect(await world.credentials.hasDismissedChecklist(account.id)).toBe(true);
      expect(await world.credentials.hasDismissedChecklist(other.id)).toBe(false);
      expect(await world.credentials.byId(account.id)).toEqual(account);
    });

    test('replaces a hash only if the password has not changed', async () => {
      const world = await open();
      const { id, email } = await addAccount(world);
      await world.accounts.setPasswordHash(id, 'old');
      await world.credentials.rehash(id, 'old', 'new');
      expect((await world.credentials.byEmail(email))?.passwordHash).toBe('new');
      await world.credentials.rehash(id, 'old', 'late');
      expect((await world.credentials.byEmail(email))?.passwordHash).toBe('new');
    });

    test('renews a password once, and not for a disabled account', async () => {
      const world = await open();
      const { id, email } = await addAccount(world);
      const session = { accountId: id, awaitsCode: false, address: '', browser: '', secretHash: 'a' };
      await world.sessions.create({ ...session, passwordHash: undefined }, now);
      const renew = world.credentials.renewPassword;
      const both = await Promise.all([renew(id, undefined, 'one'), renew(id, undefined, 'two')]);
      const [stored, other] = both[0] ? ['one', 'two'] : ['two', 'one'];
      expect(both.toSorted()).toEqual([false, true]);
      expect((await world.credentials.byEmail(email))?.passwordHash).toBe(stored);
      expect(await world.sessions.list(id)).toEqual([]);
      expect(await renew(id, other, 'three')).toBe(false);
      expect(await renew(id, stored, 'three')).toBe(true);
      expectOk(await world.accounts.setDisabled(id, now));
      expect(await renew(id, 'three', 'four')).toBe(false);
      expect((await world.credentials.byEmail(email))?.passwordHash).toBe('three');
    });

    test('renames an account', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      await world.credentials.rename(ann.id, 'Other');
      expect((await world.credentials.byId(ann.id))?.name).toBe('Other');
      expect(await world.credentials.byId(ben.id)).toEqual(ben);
    });

    test('sets up an administrator with an organization, once', async () => {
      const world = await open();
      await addAccount(world);
      expect(await world.credentials.canAnyoneSignIn()).toBe(false);
      const outcomes = await Promise.all([
        world.credentials.setup(first, now),
        world.credentials.setup(first, now),
      ]);
      const { account, organization } = expectOk(outcomes.find(({ ok }) => ok) ?? outcomes[0]);
      expect(account).toMatchObject({ email: first.email, name: 'Ann', isAdmin: true });
      expect(organization).toMatchObject({ name: 'Sites', ownerId: account.id });
      expect(outcomes).toContainEqual({ ok: false, problem: 'setup-closed' });
      expect(await world.credentials.canAnyoneSignIn()).toBe(true);
      expect(await world.organizations.list(account.id)).toEqual([
        { ...organization, ownerEmail: account.email },
      ]);
      expect(await world.accounts.count()).toBe(2);
    });

    test('creates nothing if the email address is taken', async () => {
      const world = await open();
      const { email } = await addAccount(world);
      expect(await world.credentials.setup({ ...first, email }, now)).toEqual({
        ok: false,
        problem: 'email-taken',
      });
      expect(await world.credentials.canAnyoneSignIn()).toBe(false);
      expect(await world.organizations.list()).toEqual([]);
    });
  });
}
