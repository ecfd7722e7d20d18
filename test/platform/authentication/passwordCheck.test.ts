import { describe, expect, test } from 'bun:test';
import { DAY, HOUR, type Instant, later, MINUTE } from '../../../src/lib/time.ts';
import type { Account, AccountId } from '../../../src/model/account.ts';
import type { CredentialStore } from '../../../src/model/ports/account.ts';
import { createAttempts } from '../../../src/platform/authentication/attempts.ts';
import { createCheckPassword } from '../../../src/platform/authentication/passwordCheck.ts';
import {
  type Argon2,
  createPasswords,
  type Passwords,
} from '../../../src/platform/authentication/passwords.ts';
import { createMemoryAttempts } from '../../../src/storage/memory.ts';

const now = Date.UTC(2026, 0, 31) as Instant;
const ann = { id: 1 as AccountId, email: 'ann@example.com' } as Account;
// Two users of an earlier version; the second one keeps the spelling.
const anna = { id: 2 as AccountId, email: 'anna@münchen.example' } as Account;
const kept = { id: 3 as AccountId, email: 'anna@xn--mnchen-3ya.example' } as Account;
const KNOWN_ADDRESS = { address: '192.0.2.1', browser: '' };
const otherAddress = (n: number) => ({ address: `198.51.100.${n}`, browser: '' });

/** The check with an argon2 that counts its calls. Ann has a session at KNOWN_ADDRESS. @param replaced functions of the queue */
function open(replaced: Partial<Passwords> = {}) {
  let held: Promise<void> = Promise.resolve();
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  const counts = { queried: 0, hashed: 0, verified: 0 };
  const time = { now };
  const stored = { hash: 'right' };
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
      counts.queried++;
      if (email === ann.email) return { account: ann, passwordHash: stored.hash };
      if (email === anna.email) return { account: anna, passwordHash: 'of anna' };
      if (email === kept.email) return { account: kept, passwordHash: 'of kept' };
      return email === 'mute@example.com' ? { account: ann, passwordHash: undefined } : undefined;
    },
    async rehash(_: AccountId, before: string, after: string) {
      const isUnchanged = stored.hash === before;
      if (isUnchanged) stored.hash = after;
      return isUnchanged;
    },
  } as unknown as CredentialStore;
  const asked: unknown[][] = [];
  const sessionStore = {
    async isAt(id: AccountId, address: string, ...since: readonly Instant[]) {
      asked.push([id, address, ...since]);
      return id === ann.id && address === KNOWN_ADDRESS.address;
    },
  };
  const limits = { idleMs: HOUR, absoluteMs: DAY };
  const passwords = { ...createPasswords(argon2), ...replaced };
  const clock = () => time.now;
  const sign = (text: string) => Buffer.from(text);
  const attempts = createAttempts({ store: createMemoryAttempts(), sign, clock });
  const check = createCheckPassword({ credentials, sessionStore, limits, passwords, attempts, clock });
  return { check, counts, time, stored, hold, asked };
}

describe('a password check', () => {
  test('compares the password in NFC, and then as it is, whether or not the account exists', async () => {
    const { check, counts, stored } = open();
    const decomposed = 'pâté'.normalize('NFD');
    stored.hash = `$argon2id$v=19$m=19456,t=2,p=1$${decomposed}`;
    expect((await check(ann.email, decomposed, KNOWN_ADDRESS)).ok).toBe(true);
    expect(counts).toMatchObject({ verified: 2, hashed: 1 });
    expect(stored.hash).toEndWith('pâté'.normalize('NFC'));
    expect((await check(ann.email, decomposed, KNOWN_ADDRESS)).ok).toBe(true);
    expect(counts).toMatchObject({ verified: 3, hashed: 1 });
    counts.verified = 0;
    expect((await check('nobody@example.com', decomposed, otherAddress(2))).ok).toBe(false);
    expect(counts.verified).toBe(2);
  });

  test('verifies one hash, also for an unknown account and for one without a password', async () => {
    const { check, counts } = open();
    for (const email of [ann.email, 'mute@example.com', 'nobody@example.com', '']) {
      counts.verified = 0;
      expect(await check(email, 'wrong', otherAddress(1))).toEqual({
        ok: false,
        problem: 'credentials-wrong',
      });
      expect([email, counts.verified]).toEqual([email, 1]);
    }
  });

  test('that is throttled verifies nothing and does not query the account', async () => {
    const { check, counts } = open();
    for (let n = 0; n < 5; n++) await check(ann.email, 'wrong', otherAddress(1));
    counts.verified = 0;
    counts.queried = 0;
    const throttled = { ok: false, problem: 'sign-in-throttled', waitSeconds: 1 } as const;
    expect(await check(ann.email, 'right', otherAddress(1))).toEqual(throttled);
    expect([counts.verified, counts.queried]).toEqual([0, 0]);
  });

  test('replaces a hash with outdated parameters, once', async () => {
    const { check, counts, stored } = open();
    expect(await check(ann.email, 'right', KNOWN_ADDRESS)).toMatchObject({
      ok: true,
      value: { account: ann },
    });
    expect(stored.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await check(ann.email, 'right', KNOWN_ADDRESS)).toMatchObject({
      value: { passwordHash: stored.hash },
    });
    await check(ann.email, 'right', KNOWN_ADDRESS);
    expect(counts.hashed).toBe(1);
  });
});

describe('an address that is a spelling of the addresses of two users', () => {
  // Chromium sends domains in ASCII, so the password of the user with the Unicode form was never compared, and counted as a failure.
  test('signs in the user whose password it is', async () => {
    const { check, counts } = open();
    for (const [email, password, account, verified] of [
      [kept.email, 'of kept', kept, 1],
      [kept.email, 'of anna', anna, 2],
      [anna.email, 'of anna', anna, 1],
    ] as const) {
      counts.verified = 0;
      expect(await check(email, password, otherAddress(1))).toMatchObject({ ok: true, value: { account } });
      expect([password, counts.verified]).toEqual([password, verified]);
    }
    expect((await check(anna.email, 'of kept', otherAddress(1))).ok).toBe(false);
  });

  test('does not delay one user because of failures with the spelling of the other', async () => {
    const { check } = open();
    for (let n = 0; n < 21; n++) await check(anna.email, 'wrong', otherAddress(n));
    expect(await check(anna.email, 'of anna', otherAddress(200))).toMatchObject({ waitSeconds: 1 });
    expect((await check(kept, 'of kept', otherAddress(200))).ok).toBe(true);
  });

  test('does not confirm an action of one user with the password of the other', async () => {
    const { check } = open();
    expect((await check(kept, 'of anna', otherAddress(1))).ok).toBe(false);
    expect((await check({ ...kept, email: anna.email }, 'of anna', otherAddress(1))).ok).toBe(false);
    expect((await check(kept, 'of kept', otherAddress(1))).ok).toBe(true);
  });

  test('gives neither user more attempts on the password of the other', async () => {
    for (const [own, password, target] of [
      [kept, 'of kept', anna],
      [anna, 'of anna', kept],
    ] as const) {
      const { check } = open();
      for (let n = 0; n < 5; n++) {
        await check(target.email, 'wrong', otherAddress(1));
        await check(own.email, password, otherAddress(1));
      }
      expect(await check(target.email, 'wrong', otherAddress(1))).toMatchObject({ waitSeconds: 1 });
    }
  });
});

test('an attempt that is rejected because the queue is full neither counts as a failure nor removes earlier failures', async () => {
  const { check, hold, counts } = open();
  for (let n = 0; n < 4; n++) await check(ann.email, 'wrong', otherAddress(99));
  const release = hold();
  const many = Array.from({ length: 32 }, (_, n) => check(`user${n}@example.com`, 'wrong', otherAddress(n)));
  await new Promise(setImmediate);
  for (let n = 0; n < 50; n++)
    expect(await check(ann.email, 'wrong', otherAddress(99))).toEqual({
      ok: false,
      problem: 'passwords-busy',
    });
  release();
  await Promise.all(many);
  expect(await check(ann.email, 'wrong', otherAddress(99))).toMatchObject({ problem: 'credentials-wrong' });
  counts.verified = 0;
  expect(await check(ann.email, 'right', otherAddress(99))).toMatchObject({ waitSeconds: 1 });
  expect(counts.verified).toBe(0);
});

test('an attempt that loses its place in the queue to another client ends, and does not count as a failure', async () => {
  const calls: unknown[] = [];
  const busy = { ok: false, problem: 'passwords-busy' } as const;
  const { check } = open({
    async verify(hash, password) {
      calls.push([hash, password]);
      return busy;
    },
  });
  // Two users can have this address, and the password has two forms.
  const password = 'pâté'.normalize('NFD');
  for (let n = 0; n < 10; n++) expect(await check(kept.email, password, otherAddress(1))).toEqual(busy);
  expect(calls).toEqual(Array(10).fill(['of kept', 'pâté'.normalize('NFC')]));
});

describe('an attempt', () => {
  type Check = ReturnType<typeof open>['check'];
  const wrong = { ok: false, problem: 'credentials-wrong' } as const;

  async function repeat(check: Check, count: number, ...args: Parameters<Check>) {
    const results = [];
    for (let n = 0; n < count; n++) results.push(await check(...args));
    return results;
  }

  test('with the right password is not counted', async () => {
    const { check } = open();
    for (const result of await repeat(check, 30, ann.email, 'right', otherAddress(1)))
      expect(result.ok).toBe(true);
    expect(await check(anna.email, 'wrong', otherAddress(1))).toEqual(wrong);
  });

  test('with the right password forgives earlier ones at this address', async () => {
    const { check } = open();
    for (let round = 0; round < 3; round++) {
      expect(await repeat(check, 4, ann.email, 'wrong', otherAddress(1))).toEqual([
        wrong,
        wrong,
        wrong,
        wrong,
      ]);
      expect((await check(ann.email, 'right', otherAddress(1))).ok).toBe(true);
    }
  });

  test('with an invalid address is counted, too', async () => {
    const { check } = open();
    expect(await repeat(check, 5, 'no address', 'wrong', otherAddress(1))).toEqual(Array(5).fill(wrong));
    expect(await check('nothing', 'wrong', otherAddress(1))).toMatchObject({ waitSeconds: 1 });
    expect(await check(ann.email, 'wrong', otherAddress(1))).toEqual(wrong);
  });

  test('with an unknown address is delayed like one on a user', async () => {
    const { check } = open();
    for (let n = 0; n < 21; n++) await check('nobody@example.com', 'wrong', otherAddress(n));
    expect(await check('nobody@example.com', 'wrong', otherAddress(200))).toMatchObject({ waitSeconds: 1 });
    expect(await check('other@example.com', 'wrong', otherAddress(200))).toEqual(wrong);
  });

  test('on one account counts only for this account', async () => {
    const { check } = open();
    await repeat(check, 5, kept, 'wrong', otherAddress(1));
    expect(await check(kept, 'of kept', otherAddress(1))).toMatchObject({ waitSeconds: 1 });
    expect((await check(ann, 'right', otherAddress(1))).ok).toBe(true);
  });

  test('on an account that does not exist any more fails', async () => {
    const { check } = open();
    expect(
      await check({ id: 9 as AccountId, email: 'gone@example.com' as never }, 'right', otherAddress(1)),
    ).toEqual(wrong);
  });

  test('waits for a part of a second as for a whole one', async () => {
    const { check, time } = open();
    await repeat(check, 5, ann.email, 'wrong', otherAddress(1));
    time.now = later(now, 500);
    expect(await check(ann.email, 'right', otherAddress(1))).toMatchObject({ waitSeconds: 1 });
    time.now = later(now, 1000);
    expect((await check(ann.email, 'right', otherAddress(1))).ok).toBe(true);
  });

  test('at the address of a live session is recognized by its idle timeout and its lifetime', async () => {
    const { check, asked } = open();
    await check(ann.email, 'right', KNOWN_ADDRESS);
    expect(asked).toEqual([[ann.id, KNOWN_ADDRESS.address, now - HOUR, now - DAY]]);
  });

  test('whose hash cannot be replaced, because another one replaces it, succeeds', async () => {
    const { check, stored } = open();
    const both = await Promise.all([1, 2].map((n) => check(ann.email, 'right', otherAddress(n))));
    expect(both.map(({ ok }) => ok)).toEqual([true, true]);
    expect(stored.hash).toMatch(/^\$argon2id\$.*right$/);
  });
});

describe('failed attempts', () => {
  test('on one account delay attempts from any address, except one where the account is signed in', async () => {
    const { check, time } = open();
    const attempt = async (n: number) => (await check(ann.email, 'wrong', otherAddress(n))).ok;
    for (let n = 0; n < 21; n++) await attempt(n);
    expect(await check(ann.email, 'right', otherAddress(200))).toMatchObject({ waitSeconds: 1 });
    expect(await check(ann.email, 'right', KNOWN_ADDRESS)).toMatchObject({
      ok: true,
      value: { account: ann },
    });
    // The delay of the account stays short, regardless of the number of attempts.
    for (let n = 30; n < 60; n++) {
      time.now = later(time.now, 30_000);
      await attempt(n);
    }
    expect(await check(ann.email, 'right', otherAddress(200))).toMatchObject({ waitSeconds: 30 });
    time.now = later(time.now, 30_000);
    expect(await check(ann.email, 'right', otherAddress(200))).toMatchObject({
      ok: true,
      value: { account: ann },
    });
  });

  test('from one address delay its attempts on all accounts, but no other address', async () => {
    const { check, time } = open();
    for (let n = 0; n < 21; n++) await check(`user${n}@example.com`, 'wrong', otherAddress(7));
    expect(await check('another@example.com', 'wrong', otherAddress(7))).toMatchObject({ waitSeconds: 1 });
    expect(await check(ann.email, 'right', otherAddress(8))).toMatchObject({
      ok: true,
      value: { account: ann },
    });
    time.now = later(time.now, 15 * MINUTE);
    expect((await check(ann.email, 'right', otherAddress(7))).ok).toBe(true);
  });

  test('of an address still count after it signs in to another account', async () => {
    const { check } = open();
    for (let n = 0; n < 21; n++) {
      await check(`user${n}@example.com`, 'wrong', otherAddress(9));
      if (n % 5 === 0) await check(ann.email, 'right', otherAddress(9));
    }
    expect(await check(ann.email, 'right', otherAddress(9))).toMatchObject({ problem: 'sign-in-throttled' });
  });
});
