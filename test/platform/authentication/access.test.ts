import { describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { COMMAND_LINE, INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import { sessionActor } from '../../../src/model/session.ts';
import { codeOf } from '../../support/authenticator.ts';
import { expectOk } from '../../support/server.ts';
import { CLIENT_INFO, openAuthentication, PASSWORD } from './openAuthentication.ts';

type Scene = ReturnType<typeof openAuthentication>;

let names = 0;

async function addUser({ authentication }: Scene, isAdmin = false): Promise<Account> {
  const email = `person${++names}@example.com`;
  const draft = { email, name: undefined, isAdmin, password: PASSWORD };
  return expectOk(await authentication.users.create(INSTALLATION, draft));
}

async function signIn({ authentication }: Scene, account: Account) {
  return sessionActor(await authentication.sessions.start(account, CLIENT_INFO), CLIENT_INFO);
}

async function enableTwoFactor({ authentication, time }: Scene, account: Account) {
  const { twoFactor, sessions } = authentication;
  const actor = sessionActor(await sessions.start(account, CLIENT_INFO), CLIENT_INFO);
  await twoFactor.start(actor);
  const { secret = '' } = (await twoFactor.enrollmentOf(actor)) ?? {};
  expectOk(await twoFactor.confirm(actor, codeOf(secret, time.now)));
}

const adminActions = ['second-factor-disabled', 'password-link-created'];

describe('only administrators', () => {
  test('reset two-factor authentication of other users, which the command line can do too', async () => {
    const scene = openAuthentication();
    const { twoFactor, sessions } = scene.authentication;
    const [user, other, admin] = [await addUser(scene), await addUser(scene), await addUser(scene, true)];
    await enableTwoFactor(scene, user);
    expect(await twoFactor.reset(portalActor(other, undefined), user)).toEqual({
      ok: false,
      problem: 'admin-only',
    });
    expect((await twoFactor.stateOf(user)).isOn).toBe(true);
    expect(await sessions.list(user)).toHaveLength(1);
    for (const actor of [portalActor(admin, undefined), COMMAND_LINE]) {
      expect(await twoFactor.reset(actor, user)).toEqual({ ok: true, value: true });
      // Nothing changes the second time, so there is no entry.
      expect(await twoFactor.reset(actor, user)).toEqual({ ok: true, value: false });
      expect(await sessions.list(user)).toEqual([]);
      await enableTwoFactor(scene, user);
    }
    const entries = (await scene.readEntries()).filter(({ action }) => adminActions.includes(action));
    expect(entries.map(({ actor, source, object }) => [actor, source, object])).toEqual([
      [admin.email, 'portal', user.email],
      ['command line', 'command-line', user.email],
    ]);
  });

  test('create password links', async () => {
    const scene = openAuthentication();
    const { passwordLinks } = scene.authentication;
    const [user, admin] = [await addUser(scene), await addUser(scene, true)];
    const issue = (actor: Account) => passwordLinks.issue(portalActor(actor, undefined), user.id);
    expect(await issue(user)).toEqual({ ok: false, problem: 'admin-only' });
    const token = expectOk(await issue(admin));
    expectOk(await passwordLinks.use(token, 'another good one', CLIENT_INFO));
    expect(await scene.readEntries()).toMatchObject([
      { action: 'password-link-created', actor: admin.email, object: user.email },
      { action: 'password-changed', actor: user.email, object: 'by a link', address: CLIENT_INFO.address },
    ]);
  });
});

describe('a signed-in user', () => {
  test('ends only the own sessions', async () => {
    const scene = openAuthentication();
    const { sessions } = scene.authentication;
    const [user, other] = [await addUser(scene), await addUser(scene)];
    const actor = await signIn(scene, user);
    const { session } = await signIn(scene, other);
    expect(await sessions.end(actor, session.id)).toBe(false);
    expect(await sessions.endOthers(actor)).toBe(0);
    expect(await sessions.list(other)).toHaveLength(1);
    const { length } = (await scene.readEntries()).filter(({ action }) => action === 'session-ended');
    expect(length).toBe(0);
  });

  test.each([
    ['everyone', false],
    ['admins', true],
  ] as const)('cannot turn off two-factor authentication if the rule is %s', async (rule, isAdmin) => {
    const scene = openAuthentication(rule);
    const { twoFactor } = scene.authentication;
    const user = await addUser(scene, isAdmin);
    await enableTwoFactor(scene, user);
    expect(await twoFactor.disable(await signIn(scene, user), PASSWORD)).toEqual({
      ok: false,
      problem: 'two-factor-required',
    });
    expect((await twoFactor.stateOf(user)).isOn).toBe(true);
  });
});
