import { describe, expect, test } from 'bun:test';
import { hash as hashWith } from '@node-rs/argon2';
import { type Argon2, createPasswords } from '../../../src/platform/authentication/passwords.ts';
import { expectOk } from '../../support/server.ts';

/** An argon2 whose operations finish when the test calls `finishAll`. */
function createSlowArgon2() {
  const running: (() => void)[] = [];
  let most = 0;
  let verified = 0;
  const work = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    running.push(resolve);
    most = Math.max(most, running.length);
    await promise;
  };
  const argon2: Argon2 = {
    async hash() {
      await work();
      return 'hash';
    },
    async verify() {
      verified++;
      await work();
      return true;
    },
  };
  return {
    argon2,
    most: () => most,
    verified: () => verified,
    async finishAll() {
      for (let turns = 0; turns < 200; turns++) {
        running.shift()?.();
        await Promise.resolve();
      }
    },
  };
}

describe('passwords', () => {
  test('are hashed with the parameters that OWASP prefers, and verified', async () => {
    const passwords = createPasswords();
    const hash = expectOk(await passwords.hash('correct horse', 'ann'));
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(passwords.isOutdated(hash)).toBe(false);
    expect(await passwords.verify(hash, 'correct horse', '192.0.2.1')).toEqual({ ok: true, value: true });
    expect(await passwords.verify(hash, 'correct horsf', '192.0.2.1')).toEqual({ ok: true, value: false });
  });

  test('of an account without one are verified by the library too, and never match', async () => {
    const passwords = createPasswords();
    expect(await passwords.verify(undefined, '', '192.0.2.1')).toEqual({ ok: true, value: false });
    const slow = createSlowArgon2();
    const pending = createPasswords(slow.argon2).verify(undefined, 'anything', '192.0.2.1');
    await slow.finishAll();
    expect([await pending, slow.verified()]).toEqual([{ ok: true, value: false }, 1]);
  });

  test('with other parameters are outdated, but can be verified', async () => {
    const passwords = createPasswords();
    const old = await hashWith('correct horse', { memoryCost: 4096, timeCost: 3, parallelism: 1 });
    expect(passwords.isOutdated(old)).toBe(true);
    expect(await passwords.verify(old, 'correct horse', '192.0.2.1')).toEqual({ ok: true, value: true });
  });

  test('are verified two at a time; with 32 in the queue, more are rejected', async () => {
    const slow = createSlowArgon2();
    const passwords = createPasswords(slow.argon2);
    const results = Array.from({ length: 40 }, () => passwords.verify('hash', 'password', '192.0.2.1'));
    await slow.finishAll();
    const settled = await Promise.all(results);
    expect(slow.most()).toBe(2);
    expect(settled.filter(({ ok }) => ok)).toHaveLength(32);
    expect(settled.filter(({ ok }) => !ok)).toEqual(Array(8).fill({ ok: false, problem: 'passwords-busy' }));
    const later = passwords.verify('hash', 'password', '192.0.2.1');
    await slow.finishAll();
    expect(await later).toEqual({ ok: true, value: true });
  });

  test('are hashed in a separate queue of 16, with one at a time for each owner', async () => {
    const slow = createSlowArgon2();
    const passwords = createPasswords(slow.argon2);
    const busy = { ok: false, problem: 'passwords-busy' } as const;
    const first = passwords.hash('password', 'ann');
    expect(await passwords.hash('password', 'ann')).toEqual(busy);
    const others = Array.from({ length: 20 }, (_, n) => passwords.hash('password', `other ${n}`));
    // Sign-ins do not wait for them.
    expect(passwords.isBusy('192.0.2.1')).toBe(false);
    const verified = passwords.verify('hash', 'password', '192.0.2.1');
    await slow.finishAll();
    expect([await verified, slow.verified()]).toEqual([{ ok: true, value: true }, 1]);
    expect(await first).toEqual({ ok: true, value: 'hash' });
    const rejected = (await Promise.all(others)).filter(({ ok }) => !ok);
    expect(rejected).toEqual(Array(5).fill(busy));
    const again = passwords.hash('password', 'ann');
    await slow.finishAll();
    expect((await again).ok).toBe(true);
  });

  test('of one client do not keep others out', async () => {
    const slow = createSlowArgon2();
    const passwords = createPasswords(slow.argon2);
    const flood = Array.from({ length: 40 }, () => passwords.verify('hash', 'password', '192.0.2.1'));
    expect(passwords.isBusy('192.0.2.1')).toBe(true);
    expect(passwords.isBusy('192.0.2.2')).toBe(false);
    const other = passwords.verify('hash', 'password', '192.0.2.2');
    await slow.finishAll();
    expect(await other).toEqual({ ok: true, value: true });
    expect((await Promise.all(flood)).filter(({ ok }) => ok)).toHaveLength(31);
  });

  test('of one network with many addresses do not keep others out', async () => {
    const slow = createSlowArgon2();
    const passwords = createPasswords(slow.argon2);
    const addressOf = (number: number) => `20010db80001${number.toString(16).padStart(4, '0')}`;
    const flood = Array.from({ length: 40 }, (_, i) => passwords.verify('hash', 'password', addressOf(i)));
    expect([passwords.isBusy(addressOf(50)), passwords.isBusy('20010db800020000')]).toEqual([true, false]);
    const other = passwords.verify('hash', 'password', '20010db800020000');
    await slow.finishAll();
    expect(await other).toEqual({ ok: true, value: true });
    expect((await Promise.all(flood)).filter(({ ok }) => ok)).toHaveLength(31);
  });

  test('leave the queue when an operation fails', async () => {
    let calls = 0;
    const failing: Argon2 = {
      hash: async () => 'hash',
      async verify() {
        if (++calls <= 2) throw new Error('no memory');
        return true;
      },
    };
    const passwords = createPasswords(failing);
    for (let n = 0; n < 2; n++) {
      const reason = await passwords.verify('hash', 'x', '192.0.2.1').catch((error: Error) => error.message);
      expect(reason).toBe('no memory');
    }
    expect(await passwords.verify('hash', 'x', '192.0.2.1')).toEqual({ ok: true, value: true });
  });
});
