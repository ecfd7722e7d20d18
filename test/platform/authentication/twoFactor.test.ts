import { describe, expect, test } from 'bun:test';
import { later, MINUTE } from '../../../src/lib/time.ts';
import type { TwoFactorRule } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { sessionActor } from '../../../src/model/session.ts';
import { codeOf } from '../../support/authenticator.ts';
import { expectOk } from '../../support/server.ts';
import { CLIENT_INFO, openAuthentication, PASSWORD, PLAIN_ARGON2 } from './openAuthentication.ts';

const WRONG = { ok: false, problem: 'code-wrong' } as const;

/** A signed-in user without two-factor authentication. */
async function open(rule: TwoFactorRule = 'off', isAdmin = false) {
  const { authentication, readEntries, time } = openAuthentication(rule, PLAIN_ARGON2);
  const { twoFactor, sessions, users } = authentication;
  const draft = { email: 'ann@example.com', name: undefined, isAdmin, password: PASSWORD };
  const account = expectOk(await users.create(INSTALLATION, draft));
  const signIn = async () => sessionActor(await sessions.start(account, CLIENT_INFO), CLIENT_INFO);
  const actor = await signIn();
  /** A code that the app shows now. */
  const code = async () => codeOf((await twoFactor.enrollmentOf(actor))?.secret ?? '', time.now);
  /** Turns it on. @returns a function for later codes, and the recovery codes */
  async function enable() {
    await twoFactor.start(actor);
    const { secret = '' } = (await twoFactor.enrollmentOf(actor)) ?? {};
    const recovery = expectOk(await twoFactor.confirm(actor, codeOf(secret, time.now)));
    return { recovery, codeNow: () => codeOf(secret, time.now) };
  }
  const accept = (given: string) => twoFactor.accept(account, given, CLIENT_INFO);
  const actions = async () =>
    (await readEntries())
      .map(({ action, object }) => `${action} ${object}`)
      .filter((one) => /factor|recovery/.test(one));
  return { twoFactor, sessions, account, actor, signIn, code, enable, accept, actions, time };
}

describe('two-factor authentication', () => {
  test.each([
    ['off', false, false],
    ['off', true, false],
    ['admins', false, false],
    ['admins', true, true],
    ['everyone', false, true],
    ['everyone', true, true],
  ] as const)(
    'with the rule %s, for a user who is an administrator: %p, is required: %p',
    async (rule, isAdmin, expected) => {
      const { twoFactor, account, enable } = await open(rule, isAdmin);
      expect(twoFactor.isRequiredOf(account)).toBe(expected);
      expect(await twoFactor.isMissing(account)).toBe(expected);
      await enable();
      expect(await twoFactor.isMissing(account)).toBe(false);
    },
  );

  test('is on after a code was confirmed, and has ten recovery codes', async () => {
    const { twoFactor, account, enable, accept, actor } = await open();
    expect(await twoFactor.stateOf(account)).toEqual({ isOn: false, recoveryLeft: 0 });
    await twoFactor.start(actor);
    expect(await twoFactor.stateOf(account)).toEqual({ isOn: false, recoveryLeft: 0 });
    const { recovery } = await enable();
    expect(await twoFactor.stateOf(account)).toEqual({ isOn: true, recoveryLeft: 10 });
    expect(await accept(recovery[0] ?? '')).toBe(true);
    expect(await twoFactor.stateOf(account)).toEqual({ isOn: true, recoveryLeft: 9 });
  });

  test('is recorded in the audit log when it is turned on, used with a recovery code, and turned off', async () => {
    const { twoFactor, enable, accept, actor, actions } = await open();
    const { recovery } = await enable();
    await accept(recovery[0] ?? '');
    await twoFactor.renewRecoveryCodes(actor);
    expectOk(await twoFactor.disable(actor, PASSWORD));
    expect(await actions()).toEqual([
      'second-factor-enabled ',
      'recovery-code-used ',
      'recovery-codes-renewed ',
      'second-factor-disabled ',
    ]);
  });

  test('can be turned off only with the password', async () => {
    const { twoFactor, account, enable, actor } = await open();
    await enable();
    expect(await twoFactor.disable(actor, 'wrong')).toEqual({ ok: false, problem: 'password-wrong' });
    expect((await twoFactor.stateOf(account)).isOn).toBe(true);
    expect(await twoFactor.disable(actor, PASSWORD)).toEqual({ ok: true, value: true });
    expect((await twoFactor.stateOf(account)).isOn).toBe(false);
    expect(await twoFactor.disable(actor, PASSWORD)).toEqual({ ok: true, value: false });
  });
});

describe('an enrollment', () => {
  test('is only for the session that started it', async () => {
    const { twoFactor, actor, signIn, code } = await open();
    expect(await twoFactor.enrollmentOf(actor)).toBeUndefined();
    await twoFactor.start(actor);
    expect((await twoFactor.enrollmentOf(actor))?.uri).toContain('ann%40example.com');
    const other = await signIn();
    expect(await twoFactor.enrollmentOf(other)).toBeUndefined();
    expect(await twoFactor.confirm(other, await code())).toEqual(WRONG);
    expect((await twoFactor.confirm(actor, await code())).ok).toBe(true);
  });

  test('ends after 15 minutes', async () => {
    const { twoFactor, actor, time } = await open();
    await twoFactor.start(actor);
    const { secret = '' } = (await twoFactor.enrollmentOf(actor)) ?? {};
    time.now = later(time.now, 15 * MINUTE - 1);
    expect(await twoFactor.enrollmentOf(actor)).toBeDefined();
    time.now = later(time.now, 1);
    expect(await twoFactor.enrollmentOf(actor)).toBeUndefined();
    expect(await twoFactor.confirm(actor, codeOf(secret, time.now))).toEqual(WRONG);
  });

  test('stays open after a wrong code, and ends when it is confirmed', async () => {
    const { twoFactor, actor, account, code } = await open();
    expect(await twoFactor.confirm(actor, '000000')).toEqual(WRONG);
    await twoFactor.start(actor);
    const right = await code();
    expect(await twoFactor.confirm(actor, right === '000000' ? '000001' : '000000')).toEqual(WRONG);
    expect((await twoFactor.stateOf(account)).isOn).toBe(false);
    const codes = expectOk(await twoFactor.confirm(actor, ` ${right.slice(0, 3)} ${right.slice(3)}`));
    expect(codes).toHaveLength(10);
    expect(await twoFactor.enrollmentOf(actor)).toBeUndefined();
    expect(await twoFactor.confirm(actor, right)).toEqual(WRONG);
  });

  test('that is confirmed twice at the same time has recovery codes only once', async () => {
    const { twoFactor, actor, account, code } = await open();
    await twoFactor.start(actor);
    const right = await code();
    const results = await Promise.all([twoFactor.confirm(actor, right), twoFactor.confirm(actor, right)]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results).toContainEqual(WRONG);
    expect((await twoFactor.stateOf(account)).recoveryLeft).toBe(10);
  });

  test('has a new secret each time', async () => {
    const { twoFactor, actor } = await open();
    await twoFactor.start(actor);
    const before = await twoFactor.enrollmentOf(actor);
    await twoFactor.start(actor);
    expect(await twoFactor.enrollmentOf(actor)).not.toEqual(before);
  });
});

describe('signing in', () => {
  test('accepts each code of the app once, and not the one that confirmed the app', async () => {
    const { enable, accept, time } = await open();
    const { codeNow } = await enable();
    expect(await accept(codeNow())).toBe(false);
    time.now = later(time.now, MINUTE);
    const code = codeNow();
    expect(await accept(code)).toBe(true);
    expect(await accept(code)).toBe(false);
  });

  test('accepts no code before the enrollment is confirmed, or if it was never started', async () => {
    const { twoFactor, actor, accept, code } = await open();
    expect(await accept('000000')).toBe(false);
    await twoFactor.start(actor);
    expect(await accept(await code())).toBe(false);
    expect(await accept('')).toBe(false);
  });

  test('accepts each recovery code once, until they are renewed', async () => {
    const { twoFactor, enable, accept, actor } = await open();
    expect(await twoFactor.renewRecoveryCodes(actor)).toBeUndefined();
    const { recovery } = await enable();
    const [first = '', second = ''] = recovery;
    expect(await accept(first.toUpperCase())).toBe(true);
    expect(await accept(first)).toBe(false);
    const renewed = (await twoFactor.renewRecoveryCodes(actor)) ?? [];
    expect(renewed).toHaveLength(10);
    expect(await accept(second)).toBe(false);
    expect(await accept(renewed[0] ?? '')).toBe(true);
    expect(await accept('aaaa-aaaa-aaaa-aaaa-aaaa-aaaa')).toBe(false);
  });
});
