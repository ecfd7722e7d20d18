import { describe, expect, test } from 'bun:test';
import { done, reject } from '../../../src/lib/outcome.ts';
import type { AccountId } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { OrganizationStore } from '../../../src/model/ports/organization.ts';
import { type SessionActor, sessionActor } from '../../../src/model/session.ts';
import {
  createCheckNewPassword,
  createOwnPassword,
} from '../../../src/platform/authentication/ownPassword.ts';
import type { PasswordResult, Verified } from '../../../src/platform/authentication/passwordCheck.ts';
import { expectOk } from '../../support/server.ts';
import { CLIENT_INFO, openAuthentication, PASSWORD, PLAIN_ARGON2 } from './openAuthentication.ts';

const NEW = 'another good one';

describe('a new password', () => {
  const EMAIL = 'ann@example.com';
  const common = (folded: string) => folded === 'very common password';

  /** The check for a user who belongs to organizations with these names. */
  function checkWith(names: readonly string[]) {
    const asked: AccountId[] = [];
    const list = async (id: AccountId) => {
      asked.push(id);
      return names.map((name) => ({ name }));
    };
    const organizations = { list } as unknown as Pick<OrganizationStore, 'list'>;
    return { check: createCheckNewPassword({ organizations, readCommon: () => common }), asked };
  }
  const accountId = 5 as AccountId;
  const guessable = { ok: false, problem: 'password-guessable' } as const;

  test('must not consist of the name of an organization of the user', async () => {
    const { check, asked } = checkWith(['Blue Harbor', 'Green Valley']);
    expect(await check('greenvalley12', { email: EMAIL, accountId })).toEqual(guessable);
    expect(await check('redmountain12', { email: EMAIL, accountId })).toEqual({
      ok: true,
      value: 'redmountain12',
    });
    expect(asked).toEqual([accountId, accountId]);
  });

  test('of a new user must not consist of the name of the organization to create', async () => {
    const { check, asked } = checkWith(['Blue Harbor']);
    const owner = { email: EMAIL, organizationName: 'Green Valley' };
    expect(await check('greenvalley12', owner)).toEqual(guessable);
    expect((await check('blueharbor12', owner)).ok).toBe(true);
    expect((await check('greenvalley12', { email: EMAIL })).ok).toBe(true);
    expect(asked).toEqual([]);
  });

  test('of a user who joins an organization is compared with its name, too', async () => {
    const { check } = checkWith(['Blue Harbor']);
    const owner = { email: EMAIL, accountId, organizationName: 'Green Valley' };
    for (const text of ['greenvalley12', 'blueharbor12']) expect(await check(text, owner)).toEqual(guessable);
  });

  test('is compared with the names of at most 20 organizations', async () => {
    const names = Array.from({ length: 21 }, (_, n) => `organization${String.fromCharCode(97 + n)}`);
    const { check } = checkWith(names);
    expect(await check('organizationt', { email: EMAIL, accountId })).toEqual(guessable);
    expect((await check('organizationu', { email: EMAIL, accountId })).ok).toBe(true);
  });

  test('must not be common', async () => {
    const { check } = checkWith([]);
    expect(await check('Very common password', { email: EMAIL })).toEqual({
      ok: false,
      problem: 'password-common',
    });
  });
});

async function open() {
  const { authentication, readEntries, stores } = openAuthentication('off', PLAIN_ARGON2);
  const draft = { email: 'ann@example.com', name: undefined, isAdmin: false, password: PASSWORD };
  const account = expectOk(await authentication.users.create(INSTALLATION, draft));
  const { sessions, ownPassword } = authentication;
  const start = async () => sessionActor(await sessions.start(account, CLIENT_INFO), CLIENT_INFO);
  const hash = async () => (await stores.credentials.byEmail(account.email))?.passwordHash;
  const rejections = async () =>
    (await readEntries()).filter(({ action }) => action === 'password-rejected').map(({ object }) => object);
  return { account, sessions, ownPassword, actor: await start(), start, hash, rejections };
}

describe('the password of a signed-in user', () => {
  test('confirms the session, which gets a new secret', async () => {
    const { ownPassword, actor, account, sessions } = await open();
    const confirmed = expectOk(await ownPassword.confirm(actor, PASSWORD));
    expect(confirmed).toMatchObject({ account, session: { id: actor.session.id } });
    expect((await sessions.peek(confirmed.secret))?.session.id).toBe(actor.session.id);
  });

  test('that is wrong confirms and changes nothing, and is recorded', async () => {
    const { ownPassword, actor, rejections, hash } = await open();
    const wrong = { ok: false, problem: 'password-wrong' } as const;
    const before = await hash();
    expect(await ownPassword.verify(actor, 'wrong')).toEqual(wrong);
    expect(await ownPassword.confirm(actor, 'wrong')).toEqual(wrong);
    expect(await ownPassword.change(actor, { current: 'wrong', password: NEW })).toEqual(wrong);
    expect(await rejections()).toEqual(['', '', '']);
    expect(await hash()).toBe(before);
  });

  test('changes, which ends the other sessions', async () => {
    const { ownPassword, actor, start, sessions, account } = await open();
    await start();
    const changed = expectOk(await ownPassword.change(actor, { current: PASSWORD, password: NEW }));
    expect(changed.session.id).toBe(actor.session.id);
    expect(await sessions.list(account)).toHaveLength(1);
    expect((await ownPassword.verify(actor, PASSWORD)).ok).toBe(false);
    expect((await ownPassword.verify(actor, NEW)).ok).toBe(true);
  });

  test('does not change to one that is not accepted', async () => {
    const { ownPassword, actor, hash } = await open();
    const before = await hash();
    for (const [password, problem] of [
      ['short', 'password-too-short'],
      ['ann@example.com', 'password-guessable'],
    ]) {
      const changed = await ownPassword.change(actor, { current: PASSWORD, password: password ?? '' });
      expect(changed as unknown).toEqual({ ok: false, problem });
    }
    expect(await hash()).toBe(before);
  });

  test('does not confirm or change a session that has ended', async () => {
    const { ownPassword, actor, sessions, hash } = await open();
    const before = await hash();
    await sessions.end(actor, actor.session.id);
    const over = { ok: false, problem: 'session-over' } as const;
    expect(await ownPassword.confirm(actor, PASSWORD)).toEqual(over);
    expect(await ownPassword.change(actor, { current: PASSWORD, password: NEW })).toEqual(over);
    expect(await hash()).toBe(before);
  });
});

describe('a check that cannot be made now', () => {
  /** A user whose password is checked with this result, and whose new password is hashed with this one. */
  function openWith(checked: PasswordResult<Verified>, isBusy = false) {
    const recorded: string[] = [];
    const ownPassword = createOwnPassword({
      check: async () => checked,
      passwords: { hash: async (text) => (isBusy ? reject('passwords-busy') : done(text)) },
      checkNewPassword: async (text) => done(text),
      sessions: { confirm: async () => undefined, changePassword: async () => undefined },
      audit: { recordAction: async (_, { action }) => void recorded.push(action) },
    });
    return { ownPassword, recorded };
  }
  const actor = { account: { id: 5, email: 'ann@example.com' }, clientInfo: CLIENT_INFO } as SessionActor;
  const busy = { ok: false, problem: 'passwords-busy' } as const;

  test.each([busy, { ok: false, problem: 'sign-in-throttled', waitSeconds: 8 }] as const)(
    'is not recorded as a wrong password: %j',
    async (checked) => {
      const { ownPassword, recorded } = openWith(checked);
      expect(await ownPassword.verify(actor, PASSWORD)).toEqual(checked);
      expect(await ownPassword.confirm(actor, PASSWORD)).toEqual(checked);
      expect(recorded).toEqual([]);
    },
  );

  test('does not change the password if the new one cannot be hashed', async () => {
    const { ownPassword } = openWith(done({ account: actor.account, passwordHash: 'hash' }), true);
    expect(await ownPassword.change(actor, { current: PASSWORD, password: NEW })).toEqual(busy);
  });
});
