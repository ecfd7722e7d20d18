import { describe, expect, test } from 'bun:test';
import { readCommonPasswords } from '../../../src/commonPasswords.ts';
import { systemRandom } from '../../../src/lib/ids.ts';
import { HOUR, later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { AuditId } from '../../../src/model/audit.ts';
import type { SignedIn } from '../../../src/model/session.ts';
import { createAuthentication } from '../../../src/platform/authentication/authentication.ts';
import { sha256Hex } from '../../../src/server/crypto.ts';
import { codeOf } from '../../support/authenticator.ts';
import { expectOk } from '../../support/server.ts';
import { openBackOffice } from '../testServices.ts';

const WHENCE = { address: '192.0.2.1', browser: 'Browser' };
const PASSWORD = 'correct horse battery';

function open() {
  const { stores, time, derive, audit } = openBackOffice();
  const authentication = createAuthentication({
    stores,
    limits: { idleMs: HOUR, absoluteMs: 2 * HOUR },
    twoFactorRule: 'off',
    readCommon: readCommonPasswords,
    sealKey: new Uint8Array(32),
    sign: derive,
    audit: audit.record,
    entryFor: audit.entryFor,
    clock: () => time.now,
    random: systemRandom,
    digest: sha256Hex,
  });
  /** The audit log, oldest entry first. */
  const recorded = async () => (await stores.audit.page({}, undefined, 100)).toReversed();
  return { authentication, recorded, time, stores };
}

test('what people do is noted down: who, from where, what, and never a secret', async () => {
  const { authentication, recorded, time } = open();
  const { setup, sessions, signIn, secondFactors } = authentication;
  const token = (await setup.begin()) ?? '';
  const first = { token, email: 'ann@example.com', password: PASSWORD, organizationName: 'Sites' };
  const made = await setup.complete(first, WHENCE);
  if (!made.ok) throw new Error(made.problems.join());
  const { account } = made.value;

  await signIn.withPassword({ email: account.email, password: 'wrong' }, WHENCE);
  await signIn.withPassword({ email: 'my secret in the wrong field', password: 'wrong' }, WHENCE);
  const begun = expectOk(await signIn.withPassword({ email: account.email, password: PASSWORD }, WHENCE));
  await signIn.confirm(begun, 'wrong', WHENCE);
  await secondFactors.begin(begun);
  const { secret } = (await secondFactors.enrolmentOf(begun)) ?? { secret: '' };
  const codes = expectOk(await secondFactors.confirm(begun, codeOf(secret, time.now), WHENCE));
  const awaiting = expectOk(await signIn.withPassword({ email: account.email, password: PASSWORD }, WHENCE));
  await signIn.withCode(awaiting, '000000', WHENCE);
  const other = expectOk(await signIn.withCode(awaiting, codes[0] ?? '', WHENCE));
  await sessions.end(begun, other.session.id, WHENCE);
  await secondFactors.renewRecovery(account, WHENCE);
  await signIn.changePassword(begun, { current: 'wrong', password: 'another good one' }, WHENCE);
  const chosen = { current: PASSWORD, password: 'another good one' };
  expectOk(await signIn.changePassword(begun, chosen, WHENCE));
  await secondFactors.disable(account, WHENCE);

  const noted = await recorded();
  expect(noted.map(({ action }) => action)).toEqual([
    'set-up-completed',
    'session-refused',
    'session-refused',
    'session-started',
    'password-refused',
    'second-factor-enabled',
    'session-refused',
    'recovery-code-used',
    'session-started',
    'session-ended',
    'recovery-codes-renewed',
    'password-refused',
    'password-changed',
    'second-factor-disabled',
  ]);
  const who = { accountId: account.id, actor: account.email, source: 'portal', address: WHENCE.address };
  expect(noted[0]).toEqual({
    ...who,
    source: 'portal',
    id: noted[0]?.id as AuditId,
    at: time.now,
    action: 'set-up-completed',
    organizationId: made.value.organization.id,
    subject: 'Sites',
  });
  expect(noted[1]).toMatchObject({ accountId: undefined, actor: account.email, address: WHENCE.address });
  expect(noted[2]).toMatchObject({ accountId: undefined, actor: '' });
  for (const entry of noted.slice(3)) expect(entry).toMatchObject(who);
  const all = JSON.stringify(noted);
  for (const text of [PASSWORD, token, secret, begun.secret, ...codes, 'my secret'])
    expect(all).not.toContain(text);
});

describe('a password that is changed while it is looked at', () => {
  /** With somebody who is signed in, and a change that comes when all has been read and nothing verified yet. */
  async function openChanging() {
    const { authentication, stores } = open();
    const draft = { email: 'ann@example.com', name: undefined, isAdmin: false, password: PASSWORD };
    const account = expectOk(await authentication.accounts.create(INSTALLATION, draft));
    const given = { email: account.email, password: PASSWORD };
    const here = expectOk(await authentication.signIn.withPassword(given, WHENCE));
    async function meanwhile<T>(attempt: Promise<T>): Promise<T> {
      // What it reads it has read when it is first left.
      await stores.accounts.setPasswordHash(account.id, 'another');
      return attempt;
    }
    const hash = async () => (await stores.credentials.byEmail(account.email))?.passwordHash;
    return { authentication, account, given, here, meanwhile, hash };
  }

  test('opens no session', async () => {
    const { authentication, account, given, meanwhile } = await openChanging();
    const ending = await meanwhile(authentication.signIn.withPassword(given, WHENCE));
    expect(ending).toEqual({ ok: false, problem: 'credentials-wrong' });
    expect(await authentication.sessions.list(account)).toEqual([]);
  });

  test('confirms nothing', async () => {
    const { authentication, here, meanwhile } = await openChanging();
    const ending = await meanwhile(authentication.signIn.confirm(here, PASSWORD, WHENCE));
    expect(ending).toEqual({ ok: false, problem: 'session-over' });
  });

  test('is not changed back by a session that has ended with it', async () => {
    const { authentication, here, meanwhile, hash } = await openChanging();
    const chosen = { current: PASSWORD, password: 'chosen by a thief' };
    const ending = await meanwhile(authentication.signIn.changePassword(here, chosen, WHENCE));
    expect(ending).toEqual({ ok: false, problem: 'session-over' });
    expect(await hash()).toBe('another');
  });
});

test('a session is not written for every look at it, but when a minute has passed or the address changed', async () => {
  const { authentication, time } = open();
  const account = expectOk(
    await authentication.accounts.create(INSTALLATION, {
      email: 'ann@example.com',
      name: undefined,
      isAdmin: false,
      password: undefined,
    }),
  );
  const { secret, session } = await authentication.sessions.begin(account, WHENCE, false);
  const seen = async () => (await authentication.sessions.list(account))[0];
  time.now = later(time.now, 59_999);
  await authentication.sessions.open(secret, WHENCE);
  expect((await seen())?.seenAt).toBe(session.seenAt);
  await authentication.sessions.open(secret, { ...WHENCE, address: '192.0.2.2' });
  expect(await seen()).toMatchObject({ seenAt: time.now, address: '192.0.2.2' });
  time.now = later(time.now, 60_000);
  await authentication.sessions.open(secret, { ...WHENCE, address: '192.0.2.2' });
  expect((await seen())?.seenAt).toBe(time.now);
});

test('a session opens nothing for anybody who has its hash, or the secret of another', async () => {
  const { authentication } = open();
  const account = expectOk(
    await authentication.accounts.create(INSTALLATION, {
      email: 'ann@example.com',
      name: undefined,
      isAdmin: false,
      password: undefined,
    }),
  );
  const begun: SignedIn & { secret: string } = await authentication.sessions.begin(account, WHENCE, false);
  expect(await authentication.sessions.open(sha256Hex(begun.secret), WHENCE)).toBeUndefined();
  expect(await authentication.sessions.open('', WHENCE)).toBeUndefined();
  expect(await authentication.sessions.openAwaiting(begun.secret)).toBeUndefined();
  expect((await authentication.sessions.open(begun.secret, WHENCE))?.account).toEqual(account);
});
