import { describe, expect, test } from 'bun:test';
import { later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { sessionActor } from '../../../src/model/session.ts';
import { nativeArgon2 } from '../../../src/platform/authentication/passwords.ts';
import { sha256Hex } from '../../../src/sha256.ts';
import { codeOf } from '../../support/authenticator.ts';
import { expectOk } from '../../support/server.ts';
import { CLIENT_INFO, openAuthentication, PASSWORD } from './openAuthentication.ts';

test('the audit log records the user, the client address, and the action, but never a secret', async () => {
  const { authentication, readEntries, time } = openAuthentication();
  const { setup, sessions, signIn, ownPassword, twoFactor } = authentication;
  const token = (await setup.createToken()) ?? '';
  const first = {
    token,
    name: 'Ann',
    email: 'ann@example.com',
    password: PASSWORD,
    organizationName: 'Sites',
  };
  const completed = await setup.complete(first, CLIENT_INFO);
  if (!completed.ok) throw new Error(completed.problems.join());
  const { account, organization } = completed.value;

  await signIn.withPassword({ email: account.email, password: 'wrong' }, CLIENT_INFO);
  await signIn.withPassword({ email: 'my secret in the wrong field', password: 'wrong' }, CLIENT_INFO);
  const given = { email: account.email, password: PASSWORD };
  const started = expectOk(await signIn.withPassword(given, CLIENT_INFO));
  const actor = sessionActor(started, CLIENT_INFO);
  await ownPassword.confirm(actor, 'wrong');
  await twoFactor.start(actor);
  const { secret } = (await twoFactor.enrollmentOf(actor)) ?? { secret: '' };
  const codes = expectOk(await twoFactor.confirm(actor, codeOf(secret, time.now)));
  const awaiting = expectOk(await signIn.withPassword(given, CLIENT_INFO));
  await signIn.withCode(awaiting, '000000', CLIENT_INFO);
  const other = expectOk(await signIn.withCode(awaiting, codes[0] ?? '', CLIENT_INFO));
  await sessions.end(actor, other.session.id);
  await twoFactor.renewRecoveryCodes(actor);
  const password = 'another good one';
  await ownPassword.change(actor, { current: 'wrong', password });
  expectOk(await ownPassword.change(actor, { current: PASSWORD, password }));
  expectOk(await twoFactor.disable(actor, password));

  const entries = await readEntries();
  expect(entries.map(({ action }) => action)).toEqual([
    'setup-completed',
    'session-rejected',
    'session-rejected',
    'session-started',
    'password-rejected',
    'second-factor-enabled',
    'session-rejected',
    'recovery-code-used',
    'session-started',
    'session-ended',
    'recovery-codes-renewed',
    'password-rejected',
    'password-changed',
    'second-factor-disabled',
  ]);
  const byUser = {
    accountId: account.id,
    actor: account.email,
    source: 'portal',
    address: CLIENT_INFO.address,
  };
  expect(entries[0]).toMatchObject({ ...byUser, organizationId: organization.id, object: 'Sites' });
  expect(entries[1]).toMatchObject({
    accountId: undefined,
    actor: account.email,
    address: CLIENT_INFO.address,
  });
  expect(entries[2]).toMatchObject({ accountId: undefined, actor: '' });
  for (const entry of entries.slice(3)) expect(entry).toMatchObject(byUser);
  const all = JSON.stringify(entries);
  for (const text of [PASSWORD, token, secret, started.secret, ...codes, 'my secret'])
    expect(all).not.toContain(text);
});

describe('if the password changes during its verification,', () => {
  /** A signed-in user, and a change of the password after the attempt has read the hash and before it has verified it. */
  async function openChanging() {
    let onVerify = async () => {};
    const { authentication, stores } = openAuthentication('off', {
      ...nativeArgon2,
      async verify(...args) {
        await onVerify();
        return nativeArgon2.verify(...args);
      },
    });
    const draft = { email: 'ann@example.com', name: undefined, isAdmin: false, password: PASSWORD };
    const account = expectOk(await authentication.users.create(INSTALLATION, draft));
    const given = { email: account.email, password: PASSWORD };
    const started = expectOk(await authentication.signIn.withPassword(given, CLIENT_INFO));
    const actor = sessionActor(started, CLIENT_INFO);
    function meanwhile<T>(attempt: Promise<T>): Promise<T> {
      onVerify = () => stores.accounts.setPasswordHash(account.id, 'another');
      return attempt;
    }
    const hash = async () => (await stores.credentials.byEmail(account.email))?.passwordHash;
    return { authentication, account, given, actor, meanwhile, hash };
  }

  test('no session starts', async () => {
    const { authentication, account, given, meanwhile } = await openChanging();
    const result = await meanwhile(authentication.signIn.withPassword(given, CLIENT_INFO));
    expect(result).toEqual({ ok: false, problem: 'credentials-wrong' });
    expect(await authentication.sessions.list(account)).toEqual([]);
  });

  test('no session is confirmed', async () => {
    const { authentication, actor, meanwhile } = await openChanging();
    const result = await meanwhile(authentication.ownPassword.confirm(actor, PASSWORD));
    expect(result).toEqual({ ok: false, problem: 'session-over' });
  });

  test('a session that the change ended cannot change it back', async () => {
    const { authentication, actor, meanwhile, hash } = await openChanging();
    const chosen = { current: PASSWORD, password: 'chosen by an attacker' };
    const result = await meanwhile(authentication.ownPassword.change(actor, chosen));
    expect(result).toEqual({ ok: false, problem: 'session-over' });
    expect(await hash()).toBe('another');
  });
});

test('a session is written only if a minute has passed or the address has changed', async () => {
  const { authentication, time } = openAuthentication();
  const account = expectOk(
    await authentication.users.create(INSTALLATION, {
      email: 'ann@example.com',
      name: undefined,
      isAdmin: false,
      password: undefined,
    }),
  );
  const { secret, session } = await authentication.sessions.start(account, CLIENT_INFO);
  const seen = async () => (await authentication.sessions.list(account))[0];
  time.now = later(time.now, 59_999);
  await authentication.sessions.open(secret, CLIENT_INFO);
  expect((await seen())?.seenAt).toBe(session.seenAt);
  await authentication.sessions.open(secret, { ...CLIENT_INFO, address: '192.0.2.2' });
  expect(await seen()).toMatchObject({ seenAt: time.now, address: '192.0.2.2' });
  time.now = later(time.now, 60_000);
  await authentication.sessions.open(secret, { ...CLIENT_INFO, address: '192.0.2.2' });
  expect((await seen())?.seenAt).toBe(time.now);
});

test('the hash of a secret opens no session, and a complete session does not count as awaiting a code', async () => {
  const { authentication } = openAuthentication();
  const account = expectOk(
    await authentication.users.create(INSTALLATION, {
      email: 'ann@example.com',
      name: undefined,
      isAdmin: false,
      password: undefined,
    }),
  );
  const { secret } = await authentication.sessions.start(account, CLIENT_INFO);
  expect(await authentication.sessions.open(sha256Hex(secret), CLIENT_INFO)).toBeUndefined();
  expect(await authentication.sessions.open('', CLIENT_INFO)).toBeUndefined();
  expect(await authentication.sessions.openAwaiting(secret)).toBeUndefined();
  expect((await authentication.sessions.open(secret, CLIENT_INFO))?.account).toEqual(account);
});
