import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../src/model/account.ts';
import type { SessionId } from '../../src/model/session.ts';
import { addAccount, now, type OpenWorld } from './world.ts';

const by = (accountId: AccountId) => ({ id: 7 as SessionId, accountId });
const sealed = (byte: number) => new Uint8Array(48).fill(byte);

/** What any store of second factors promises. */
export function describeSecondFactorStore(name: string, open: OpenWorld): void {
  describe(`second factor store (${name})`, () => {
    test('has none at first', async () => {
      const world = open();
      const { id } = await addAccount(world);
      expect(await world.secondFactors.byAccount(id)).toBeUndefined();
      expect(await world.secondFactors.recoveryLeft(id)).toBe(0);
      expect(await world.secondFactors.remove(id)).toBe(false);
      expect(await world.secondFactors.confirm(by(id), 1, [])).toBe(false);
    });

    test('drops with another password what is not confirmed, and nothing else', async () => {
      const world = open();
      const { id } = await addAccount(world);
      await world.secondFactors.begin(by(id), sealed(1), now);
      await world.accounts.setPasswordHash(id, 'hash');
      expect(await world.secondFactors.byAccount(id)).toBeUndefined();
      await world.secondFactors.begin(by(id), sealed(1), now);
      await world.secondFactors.confirm(by(id), 7, []);
      await world.accounts.setPasswordHash(id, 'other');
      expect((await world.secondFactors.byAccount(id))?.isConfirmed).toBe(true);
    });

    test('begins anew until it is confirmed, and not after', async () => {
      const world = open();
      const { id } = await addAccount(world);
      await world.secondFactors.begin(by(id), sealed(1), now);
      await world.secondFactors.begin(by(id), sealed(2), now);
      expect(await world.secondFactors.byAccount(id)).toEqual({
        sealed: sealed(2),
        isConfirmed: false,
        sessionId: 7 as SessionId,
        createdAt: now,
      });
      expect(await world.secondFactors.confirm({ ...by(id), id: 8 as SessionId }, 7, [])).toBe(false);
      expect(await world.secondFactors.confirm(by(id), 7, ['a', 'b'])).toBe(true);
      expect(await world.secondFactors.confirm(by(id), 8, ['c'])).toBe(false);
      await world.secondFactors.begin(by(id), sealed(3), now);
      expect(await world.secondFactors.byAccount(id)).toMatchObject({ sealed: sealed(2), isConfirmed: true });
      expect(await world.secondFactors.recoveryLeft(id)).toBe(2);
    });

    test('spends each step once, and none at or before the last one', async () => {
      const world = open();
      const { id } = await addAccount(world);
      await world.secondFactors.begin(by(id), sealed(1), now);
      expect(await world.secondFactors.spendStep(id, 6)).toBe(false);
      await world.secondFactors.confirm(by(id), 7, []);
      expect(await world.secondFactors.spendStep(id, 7)).toBe(false);
      const both = await Promise.all([
        world.secondFactors.spendStep(id, 9),
        world.secondFactors.spendStep(id, 9),
      ]);
      expect(both.filter((isSpent) => isSpent)).toHaveLength(1);
      expect(await world.secondFactors.spendStep(id, 8)).toBe(false);
      expect(await world.secondFactors.spendStep(id, 10)).toBe(true);
    });

    test('spends each recovery code once, of its account alone', async () => {
      const world = open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      for (const { id } of [ann, ben]) {
        await world.secondFactors.begin(by(id), sealed(1), now);
        await world.secondFactors.confirm(by(id), 1, ['a', 'b']);
      }
      expect(await world.secondFactors.spendRecovery(ann.id, 'x')).toBe(false);
      expect(await world.secondFactors.spendRecovery(ann.id, 'a')).toBe(true);
      expect(await world.secondFactors.spendRecovery(ann.id, 'a')).toBe(false);
      expect(await world.secondFactors.recoveryLeft(ann.id)).toBe(1);
      expect(await world.secondFactors.recoveryLeft(ben.id)).toBe(2);
      await world.secondFactors.replaceRecovery(ann.id, ['c']);
      expect(await world.secondFactors.spendRecovery(ann.id, 'b')).toBe(false);
      expect(await world.secondFactors.spendRecovery(ann.id, 'c')).toBe(true);
    });

    test('is removed with its recovery codes', async () => {
      const world = open();
      const { id } = await addAccount(world);
      await world.secondFactors.begin(by(id), sealed(1), now);
      await world.secondFactors.confirm(by(id), 1, ['a']);
      expect(await world.secondFactors.remove(id)).toBe(true);
      expect(await world.secondFactors.byAccount(id)).toBeUndefined();
      expect(await world.secondFactors.spendRecovery(id, 'a')).toBe(false);
      await world.secondFactors.begin(by(id), sealed(2), now);
      expect(await world.secondFactors.byAccount(id)).toEqual({
        sealed: sealed(2),
        isConfirmed: false,
        sessionId: 7 as SessionId,
        createdAt: now,
      });
      expect(await world.secondFactors.confirm({ ...by(id), id: 8 as SessionId }, 7, [])).toBe(false);
    });
  });
}
