import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../src/model/account.ts';
import type { SessionId } from '../../src/model/session.ts';
import { addAccount, now, type OpenWorld } from './world.ts';

const by = (accountId: AccountId) => ({ id: 7 as SessionId, accountId });
const sealed = (byte: number) => new Uint8Array(48).fill(byte);

/** The contract of two-factor stores. */
export function describeTwoFactorStore(name: string, open: OpenWorld): void {
  describe(`two-factor store (${name})`, () => {
    test('has no secret and no recovery codes at first', async () => {
      const world = await open();
      const { id } = await addAccount(world);
      expect(await world.twoFactor.byAccount(id)).toBeUndefined();
      expect(await world.twoFactor.countRecoveryCodes(id)).toBe(0);
      expect(await world.twoFactor.remove(id)).toBe(false);
      expect(await world.twoFactor.confirm(by(id), 1, [])).toBe(false);
    });

    test('a password change cancels only an unconfirmed enrollment', async () => {
      const world = await open();
      const { id } = await addAccount(world);
      await world.twoFactor.start(by(id), sealed(1), now);
      await world.accounts.setPasswordHash(id, 'hash');
      expect(await world.twoFactor.byAccount(id)).toBeUndefined();
      await world.twoFactor.start(by(id), sealed(1), now);
      await world.twoFactor.confirm(by(id), 7, []);
      await world.accounts.setPasswordHash(id, 'other');
      expect((await world.twoFactor.byAccount(id))?.isConfirmed).toBe(true);
    });

    test('an enrollment can start again until it is confirmed', async () => {
      const world = await open();
      const { id } = await addAccount(world);
      await world.twoFactor.start(by(id), sealed(1), now);
      await world.twoFactor.start(by(id), sealed(2), now);
      expect(await world.twoFactor.byAccount(id)).toEqual({
        sealed: sealed(2),
        isConfirmed: false,
        sessionId: 7 as SessionId,
        createdAt: now,
      });
      expect(await world.twoFactor.confirm({ ...by(id), id: 8 as SessionId }, 7, [])).toBe(false);
      expect(await world.twoFactor.confirm(by(id), 7, ['a', 'b'])).toBe(true);
      expect(await world.twoFactor.confirm(by(id), 8, ['c'])).toBe(false);
      await world.twoFactor.start(by(id), sealed(3), now);
      expect(await world.twoFactor.byAccount(id)).toMatchObject({ sealed: sealed(2), isConfirmed: true });
      expect(await world.twoFactor.countRecoveryCodes(id)).toBe(2);
    });

    test('each time step is accepted once, and only after the last one', async () => {
      const world = await open();
      const { id } = await addAccount(world);
      await world.twoFactor.start(by(id), sealed(1), now);
      expect(await world.twoFactor.useStep(id, 6)).toBe(false);
      await world.twoFactor.confirm(by(id), 7, []);
      expect(await world.twoFactor.useStep(id, 7)).toBe(false);
      const both = await Promise.all([world.twoFactor.useStep(id, 9), world.twoFactor.useStep(id, 9)]);
      expect(both.filter((isUsed) => isUsed)).toHaveLength(1);
      expect(await world.twoFactor.useStep(id, 8)).toBe(false);
      expect(await world.twoFactor.useStep(id, 10)).toBe(true);
    });

    test('each recovery code works once, and only for its account', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      for (const { id } of [ann, ben]) {
        await world.twoFactor.start(by(id), sealed(1), now);
        await world.twoFactor.confirm(by(id), 1, ['a', 'b']);
      }
      expect(await world.twoFactor.useRecoveryCode(ann.id, 'x')).toBe(false);
      expect(await world.twoFactor.useRecoveryCode(ann.id, 'a')).toBe(true);
      expect(await world.twoFactor.useRecoveryCode(ann.id, 'a')).toBe(false);
      expect(await world.twoFactor.countRecoveryCodes(ann.id)).toBe(1);
      expect(await world.twoFactor.countRecoveryCodes(ben.id)).toBe(2);
      await world.twoFactor.replaceRecoveryCodes(ann.id, ['c']);
      expect(await world.twoFactor.useRecoveryCode(ann.id, 'b')).toBe(false);
      expect(await world.twoFactor.useRecoveryCode(ann.id, 'c')).toBe(true);
    });

    test('removing the secret also removes the recovery codes', async () => {
      const world = await open();
      const { id } = await addAccount(world);
      await world.twoFactor.start(by(id), sealed(1), now);
      await world.twoFactor.confirm(by(id), 1, ['a']);
      expect(await world.twoFactor.remove(id)).toBe(true);
      expect(await world.twoFactor.byAccount(id)).toBeUndefined();
      expect(await world.twoFactor.useRecoveryCode(id, 'a')).toBe(false);
      await world.twoFactor.start(by(id), sealed(2), now);
      expect(await world.twoFactor.byAccount(id)).toEqual({
        sealed: sealed(2),
        isConfirmed: false,
        sessionId: 7 as SessionId,
        createdAt: now,
      });
      expect(await world.twoFactor.confirm({ ...by(id), id: 8 as SessionId }, 7, [])).toBe(false);
    });
  });
}
