import { describe, expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import type { SigningKey } from '../../src/model/ports/installation.ts';
import type { OpenWorld, World } from './world.ts';

const key = (byte: number, createdAt: number): SigningKey => ({
  fingerprint: Uint8Array.of(byte, 0, 0xff, byte),
  secret: new Uint8Array(32).fill(byte),
  createdAt: createdAt as Instant,
});

/** The contract of every signing key store. */
export function describeSigningKeyStore(name: string, open: OpenWorld): void {
  describe(`signing key store (${name})`, () => {
    async function fill({ signingKeys }: World, ...keys: SigningKey[]) {
      for (const each of keys) await signingKeys.add(each);
      return async () => (await signingKeys.list()).map(({ fingerprint }) => fingerprint[0]);
    }

    test('returns the stored bytes, newest key first, even if the clock was set back', async () => {
      const world = await open();
      await fill(world, key(1, 100), key(3, 300), key(2, 200));
      expect(await world.signingKeys.list()).toEqual([key(2, 200), key(3, 300), key(1, 100)]);
    });

    test('deletes a key with a time in the future after it was replaced', async () => {
      const world = await open();
      const left = await fill(world, key(1, 9000), key(2, 200));
      expect(await world.signingKeys.prune(199 as Instant)).toBe(0);
      expect(await world.signingKeys.prune(200 as Instant)).toBe(1);
      expect(await left()).toEqual([2]);
    });

    test('rejects a second key with the same fingerprint', async () => {
      const world = await open();
      await world.signingKeys.add(key(1, 100));
      const twin = world.signingKeys.add({ ...key(2, 200), fingerprint: key(1, 100).fingerprint });
      expect(await twin.catch((error: unknown) => error)).toBeInstanceOf(Error);
      expect(await world.signingKeys.list()).toEqual([key(1, 100)]);
    });

    test('replaces all keys with a new one', async () => {
      const world = await open();
      await fill(world, key(1, 100), key(2, 200));
      await world.signingKeys.replaceAll(key(3, 50));
      expect(await world.signingKeys.list()).toEqual([key(3, 50)]);
    });

    test.each([
      [99, 0, [3, 2, 1]],
      [199, 0, [3, 2, 1]],
      [200, 1, [3, 2]],
      [299, 1, [3, 2]],
      [300, 2, [3]],
      [10_000, 2, [3]],
    ])('deletes keys that were replaced by %d, but never the newest', async (moment, deleted, expected) => {
      const world = await open();
      const left = await fill(world, key(1, 100), key(2, 200), key(3, 300));
      expect(await world.signingKeys.prune(moment as Instant)).toBe(deleted);
      expect(await left()).toEqual(expected);
    });
  });
}
