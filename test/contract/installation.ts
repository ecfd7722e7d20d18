import { describe, expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import type { SessionId } from '../../src/model/session.ts';
import { addAccount, addOrganization, now, type OpenWorld } from './world.ts';

const bytes = (byte: number) => new Uint8Array(32).fill(byte);

/** The contract of every installation store. */
export function describeInstallationStore(name: string, open: OpenWorld): void {
  describe(`installation store (${name})`, () => {
    test('stores the first candidate of a secret', async () => {
      const { installation } = await open();
      expect(await installation.secret('id key', bytes(1))).toEqual(bytes(1));
      expect(await installation.secret('id key', bytes(2))).toEqual(bytes(1));
      expect(await installation.secret('demo key', bytes(3))).toEqual(bytes(3));
    });

    test('returns the same secret to concurrent calls', async () => {
      const { installation } = await open();
      const secrets = await Promise.all([1, 2, 3].map((byte) => installation.secret('id key', bytes(byte))));
      expect(new Set(secrets.map((secret) => secret.toHex())).size).toBe(1);
    });

    test('contains no data of a probe that has ended', async () => {
      const { installation } = await open();
      for (let round = 0; round < 2; round++) {
        await installation.probe();
        await installation.endProbe();
      }
      expect(await installation.secret('write probe', bytes(4))).toEqual(bytes(4));
    });

    test('raises the counter, which is 0 at first, and never lowers it', async () => {
      const { installation } = await open();
      expect(await installation.counter()).toBe(0);
      for (const [to, expected] of [
        [255, 255],
        [256, 256],
        [255, 256],
        [1_900_000_000_000, 1_900_000_000_000],
        [1, 1_900_000_000_000],
      ] as const) {
        await installation.increaseCounter(to);
        expect(await installation.counter()).toBe(expected);
      }
    });

    test('returns no backup time for a new installation', async () => {
      expect(await (await open()).installation.lastBackupAt()).toBeUndefined();
    });

    test('returns the record of the clock that was stored last', async () => {
      const { installation } = await open();
      expect(await installation.clockRecord()).toBeUndefined();
      for (const ranMs of [0, 1234.5]) {
        const record = { confirmedTime: (now + 0.25) as Instant, seenTime: now, ranMs };
        await installation.recordClock(record);
        expect(await installation.clockRecord()).toEqual(record);
      }
    });

    describe('after a restore', () => {
      const signingKey = (byte: number) => ({
        fingerprint: new Uint8Array(4).fill(byte),
        secret: bytes(byte),
        createdAt: now,
      });
      const changes = { signingKey: signingKey(9), usedStep: 70, backupAt: now };

      test('only the new signing key verifies puzzles', async () => {
        const world = await open();
        await world.signingKeys.add(signingKey(1));
        await world.signingKeys.add(signingKey(2));
        await world.installation.completeRestore(changes);
        expect(await world.signingKeys.list()).toEqual([signingKey(9)]);
      });

      test('no session continues', async () => {
        const world = await open();
        const { id } = await addAccount(world);
        const session = { accountId: id, awaitsCode: false, address: '192.0.2.1', browser: 'Browser' };
        await world.sessions.create({ ...session, secretHash: 'hash', passwordHash: undefined }, now);
        await world.installation.completeRestore(changes);
        expect(await world.sessions.list(id)).toEqual([]);
      });

      test('codes of authenticator apps up to the current time step count as used', async () => {
        const world = await open();
        const accounts = [await addAccount(world), await addAccount(world)] as const;
        const lastSteps = [60, 80];
        for (const [at, { id }] of accounts.entries()) {
          const by = { id: 7 as SessionId, accountId: id };
          await world.twoFactor.start(by, bytes(1), now);
          await world.twoFactor.confirm(by, lastSteps[at] ?? 0, []);
        }
        await world.installation.completeRestore(changes);
        const [first, second] = accounts;
        expect(await world.twoFactor.useStep(first.id, 70)).toBe(false);
        expect(await world.twoFactor.useStep(first.id, 71)).toBe(true);
        expect(await world.twoFactor.useStep(second.id, 80)).toBe(false);
      });

      test('the time of the newest backup is that of the restored backup', async () => {
        const { installation } = await open();
        await installation.completeRestore(changes);
        expect(await installation.lastBackupAt()).toBe(now);
      });

      test('ids are not assigned again, not even the first ones', async () => {
        const world = await open();
        const account = await addAccount(world);
        await world.installation.completeRestore(changes);
        const organization = await addOrganization(world, account);
        expect(organization.id).toBeGreaterThan(1_000_000);
        expect((await addAccount(world)).id).toBeGreaterThan(1_000_000);
        expect((await world.accounts.byId(account.id))?.email).toBe(account.email);
      });
    });

    test('stores whether maintenance mode is on; initially, it is off', async () => {
      const { installation } = await open();
      expect(await installation.isInMaintenance()).toBe(false);
      for (const isOn of [true, true, false, true]) {
        await installation.setMaintenance(isOn);
        expect(await installation.isInMaintenance()).toBe(isOn);
      }
    });
  });
}
