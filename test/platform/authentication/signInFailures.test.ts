import { describe, expect, test } from 'bun:test';
import { later, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { sessionActor } from '../../../src/model/session.ts';
import { codeOf } from '../../support/authenticator.ts';
import { expectOk } from '../../support/server.ts';
import { CLIENT_INFO, openAuthentication, PASSWORD, PLAIN_ARGON2 } from './openAuthentication.ts';

async function open() {
  let onVerify = async () => {};
  const { authentication, readEntries, stores, time } = openAuthentication('off', {
    ...PLAIN_ARGON2,
    async verify(...args) {
      await onVerify();
      return PLAIN_ARGON2.verify(...args);
    },
  });
  const { signIn, users, sessions, twoFactor } = authentication;
  const draft = { email: 'ann@example.com', name: 'Ann', isAdmin: false, password: PASSWORD };
  const account = expectOk(await users.create(INSTALLATION, draft));
  const given = { email: account.email, password: PASSWORD };
  /** The user and the object of each recorded failure. */
  const failures = async () =>
    (await readEntries())
      .filter(({ action }) => action === 'session-rejected')
      .map(({ accountId, actor, object }) => [accountId, actor, object]);
  const actor = async () => sessionActor(await sessions.start(account, CLIENT_INFO), CLIENT_INFO);
  async function enableTwoFactor() {
    const signedIn = await actor();
    await twoFactor.start(signedIn);
    const { secret = '' } = (await twoFactor.enrollmentOf(signedIn)) ?? {};
    expectOk(await twoFactor.confirm(signedIn, codeOf(secret, time.now)));
    time.now = later(time.now, MINUTE);
    return {
      awaiting: expectOk(await signIn.withPassword(given, CLIENT_INFO)),
      codeNow: () => codeOf(secret, time.now),
    };
  }
  const meanwhile = (work: () => Promise<void>) => {
    onVerify = work;
  };
  return {
    authentication,
    signIn,
    users,
    account,
    given,
    failures,
    actor,
    enableTwoFactor,
    meanwhile,
    stores,
    time,
  };
}

describe('a failed sign-in is recorded', () => {
  test('of a disabled user who knows the password, which other clients do not learn', async () => {
    const { signIn, users, account, given, failures } = await open();
    expectOk(await users.disable(INSTALLATION, account.id));
    expect(await signIn.withPassword(given, CLIENT_INFO)).toEqual({ ok: false, problem: 'user-disabled' });
    expect(await failures()).toEqual([[account.id, account.email, '']]);
    expect(await signIn.withPassword({ ...given, password: 'wrong' }, CLIENT_INFO)).toEqual({
      ok: false,
      problem: 'credentials-wrong',
    });
  });

  test('of a user whose password changed in the meantime', async () => {
    const { signIn, account, given, failures, meanwhile, stores } = await open();
    meanwhile(() => stores.accounts.setPasswordHash(account.id, 'another'));
    expect(await signIn.withPassword(given, CLIENT_INFO)).toEqual({
      ok: false,
      problem: 'credentials-wrong',
    });
    expect(await failures()).toEqual([[account.id, account.email, '']]);
  });

  test('but not one that was rejected without a check', async () => {
    const { signIn, given, failures } = await open();
    const attempt = () => signIn.withPassword({ ...given, password: 'wrong' }, CLIENT_INFO);
    for (let n = 0; n < 5; n++) await attempt();
    expect(await attempt()).toMatchObject({ problem: 'sign-in-throttled', waitSeconds: 1 });
    expect(await failures()).toHaveLength(5);
  });
});

describe('codes', () => {
  test('are delayed after five wrong ones, until a right one', async () => {
    const { signIn, enableTwoFactor, failures, account, time } = await open();
    const { awaiting, codeNow } = await enableTwoFactor();
    const before = (await failures()).length;
    const enter = (code: string) => signIn.withCode(awaiting, code, CLIENT_INFO);
    for (let n = 0; n < 5; n++) expect(await enter('000000')).toEqual({ ok: false, problem: 'code-wrong' });
    expect(await enter(codeNow())).toEqual({ ok: false, problem: 'sign-in-throttled', waitSeconds: 1 });
    expect((await failures()).slice(before)).toEqual(Array(5).fill([account.id, account.email, '']));
    time.now = later(time.now, SECOND);
    expect((await enter(codeNow())).ok).toBe(true);
  });

  test('that are right forgive the wrong ones before', async () => {
    const { signIn, enableTwoFactor, given, time } = await open();
    const enabled = await enableTwoFactor();
    let { awaiting } = enabled;
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 4; n++)
        expect(await signIn.withCode(awaiting, '000000', CLIENT_INFO)).toEqual({
          ok: false,
          problem: 'code-wrong',
        });
      expect((await signIn.withCode(awaiting, enabled.codeNow(), CLIENT_INFO)).ok).toBe(true);
      time.now = later(time.now, MINUTE);
      awaiting = expectOk(await signIn.withPassword(given, CLIENT_INFO));
    }
  });
});

describe('the name of a user', () => {
  const nameOf = async ({ stores, account }: Awaited<ReturnType<typeof open>>) =>
    (await stores.credentials.byEmail(account.email))?.account.name;

  test('can be changed by the user', async () => {
    const scene = await open();
    expectOk(await scene.authentication.rename(await scene.actor(), ' Ann Smith '));
    expect(await nameOf(scene)).toBe('Ann Smith');
  });

  test('must be a name', async () => {
    const scene = await open();
    expect(await scene.authentication.rename(await scene.actor(), '<')).toEqual({
      ok: false,
      problem: 'account-name-malformed',
    });
    expect(await nameOf(scene)).toBe('Ann');
  });
});
