import { describe, expect, test } from 'bun:test';
import { DAY, HOUR, type Instant, later, MINUTE } from '../../../src/lib/time.ts';
import type { Account, AccountId } from '../../../src/model/account.ts';
import type { CredentialStore } from '../../../src/model/ports/credential.ts';
import { createCheckPassword } from '../../../src/platform/authentication/passwordCheck.ts';
import { type Argon2, createPasswords } from '../../../src/platform/authentication/passwords.ts';

const now = Date.UTC(2026, 0, 31) as Instant;
const ann = { id: 1 as AccountId, email: 'ann@example.com' } as Account;
const HOME = { address: '192.0.2.1', browser: '' };
const away = (n: number) => ({ address: `198.51.100.${n}`, browser: '' });

/** The check on an argon2 that counts, with ann signed in at home. */
function open() {
  let held: Promise<void> = Promise.resolve();
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  const counts = { asked: 0, hashed: 0, verified: 0 };
  const time = { now };
  const kept = { hash: 'right' };
  const argon2: Argon2 = {
    async hash(password) {
      counts.hashed++;
      return `$argon2id$v=19$m=19456,t=2,p=1$${password}`;
    },
    async verify(hash, password) {
      counts.verified++;
      await held;
      return hash.endsWith(password);
    },
  };
  const credentials = {
    async byEmail(email: string) {
      counts.asked++;
      if (email === ann.email) return { account: ann, passwordHash: kept.hash };
      return email === 'mute@example.com' ? { account: ann, passwordHash: undefined } : undefined;
    },
    async rehash(_: AccountId, before: string, after: string) {
      const isUnchanged = kept.hash === before;
      if (isUnchanged) kept.hash = after;
      return isUnchanged;
    },
  } as unknown as CredentialStore;
  const sessionStore = {
    isAt: async (id: AccountId, address: string) => id === ann.id && address === HOME.address,
  };
  const limits = { idleMs: HOUR, absoluteMs: DAY };
  const passwords = createPasswords(argon2);
  const check = createCheckPassword({ credentials, sessionStore, limits, passwords, clock: () => time.now });
  return { check, counts, time, kept, hold };
}

describe('a password', () => {
  test('costs one verification, whether the account exists, has no password, or is none', async () => {
    const { check, counts } = open();
    for (const email of [ann.email, 'mute@example.com', 'nobody@example.com', '']) {
      counts.verified = 0;
      expect(await check(email, 'wrong', away(1))).toEqual({ ok: false, problem: 'credentials-wrong' });
      expect([email, counts.verified]).toEqual([email, 1]);
    }
  });

  test('that is slowed down costs none, and asks the database nothing', async () => {
    const { check, counts } = open();
    for (let n = 0; n < 5; n++) await check(ann.email, 'wrong', away(1));
    counts.verified = 0;
    counts.asked = 0;
    const slowed = { ok: false, problem: 'sign-in-throttled', waitSeconds: 1 } as const;
    expect(await check(ann.email, 'right', away(1))).toEqual(slowed);
    expect([counts.verified, counts.asked]).toEqual([0, 0]);
  });

  test('whose hash has other parameters is hashed anew, once', async () => {
    const { check, counts, kept } = open();
    expect(await check(ann.email, 'right', HOME)).toMatchObject({ ok: true, value: { account: ann } });
    expect(kept.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await check(ann.email, 'right', HOME)).toMatchObject({ value: { passwordHash: kept.hash } });
    await check(ann.email, 'right', HOME);
    expect(counts.hashed).toBe(1);
  });
});

test('what is turned away because too many wait counts as no failure', async () => {
  const { check, hold, counts } = open();
  const letGo = hold();
  const many = Array.from({ length: 32 }, (_, n) => check(`user${n}@example.com`, 'wrong', away(n)));
  await new Promise(setImmediate);
  for (let n = 0; n < 50; n++)
    expect(await check(ann.email, 'wrong', away(99))).toEqual({ ok: false, problem: 'passwords-busy' });
  letGo();
  await Promise.all(many);
  counts.verified = 0;
  expect(await check(ann.email, 'right', away(99))).toMatchObject({ ok: true });
});

describe('strangers', () => {
  test('slow each other down on one account, from wherever they come, but not its owner at home', async () => {
    const { check, time } = open();
    const attempt = async (n: number) => (await check(ann.email, 'wrong', away(n))).ok;
    for (let n = 0; n < 21; n++) await attempt(n);
    expect(await check(ann.email, 'right', away(200))).toMatchObject({ waitSeconds: 1 });
    expect(await check(ann.email, 'right', HOME)).toMatchObject({ ok: true, value: { account: ann } });
    // However many come, the delay of the account as a whole stays short.
    for (let n = 30; n < 60; n++) {
      time.now = later(time.now, 30_000);
      await attempt(n);
    }
    expect(await check(ann.email, 'right', away(200))).toMatchObject({ waitSeconds: 30 });
    time.now = later(time.now, 30_000);
    expect(await check(ann.email, 'right', away(200))).toMatchObject({ ok: true, value: { account: ann } });
  });

  test('from one address are slowed down whatever account they try, and others are not', async () => {
    const { check, time } = open();
    for (let n = 0; n < 21; n++) await check(`user${n}@example.com`, 'wrong', away(7));
    expect(await check('another@example.com', 'wrong', away(7))).toMatchObject({ waitSeconds: 1 });
    expect(await check(ann.email, 'right', away(8))).toMatchObject({ ok: true, value: { account: ann } });
    time.now = later(time.now, 15 * MINUTE);
    expect((await check(ann.email, 'right', away(7))).ok).toBe(true);
  });

  test('who know a password of their own do not make their address any better', async () => {
    const { check } = open();
    for (let n = 0; n < 21; n++) {
      await check(`user${n}@example.com`, 'wrong', away(9));
      if (n % 5 === 0) await check(ann.email, 'right', away(9));
    }
    expect(await check(ann.email, 'right', away(9))).toMatchObject({ problem: 'sign-in-throttled' });
  });
});
