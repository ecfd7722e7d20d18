import { describe, expect, test } from 'bun:test';
import type { OpenWorld } from './world.ts';

const bytes = (byte: number) => new Uint8Array(32).fill(byte);

/** The contract of every installation store. */
export function describeInstallationStore(name: string, open: OpenWorld): void {
  describe(`installation store (${name})`, () => {
    test('stores the first candidate of a secret', async () => {
      const { installation } = open();
      expect(await installation.secret('id key', bytes(1))).toEqual(bytes(1));
      expect(await installation.secret('id key', bytes(2))).toEqual(bytes(1));
      expect(await installation.secret('demo key', bytes(3))).toEqual(bytes(3));
    });

    test('returns the same secret to concurrent calls', async () => {
      const { installation } = open();
      const secrets = await Promise.all([1, 2, 3].map((byte) => installation.secret('id key', bytes(byte))));
      expect(new Set(secrets.map((secret) => secret.toHex())).size).toBe(1);
    });

    test('changes nothing with a probe that has ended', async () => {
      const { installation } = open();
      for (let round = 0; round < 2; round++) {
        await installation.probe();
        await installation.endProbe();
      }
      expect(await installation.secret('write probe', bytes(4))).toEqual(bytes(4));
    });

    test('knows no backup of a new installation', async () => {
      expect(await open().installation.lastBackupAt()).toBeUndefined();
    });

    test('stores whether maintenance mode is on; initially, it is off', async () => {
      const { installation } = open();
      expect(await installation.isInMaintenance()).toBe(false);
      for (const isOn of [true, true, false, true]) {
        await installation.setMaintenance(isOn);
        expect(await installation.isInMaintenance()).toBe(isOn);
      }
    });
  });
}
