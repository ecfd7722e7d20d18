import { expect, test } from 'bun:test';
import { later, SECOND } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { sessionActor } from '../../../src/model/session.ts';
import { expectOk } from '../../support/server.ts';
import { CLIENT_INFO, openAuthentication, PASSWORD, PLAIN_ARGON2 } from './openAuthentication.ts';

test('a user who probes which addresses are taken must wait after five attempts; other users need not', async () => {
  const { authentication, time } = openAuthentication('off', PLAIN_ARGON2);
  const { users, sessions, changeEmail } = authentication;
  const signIn = async (email: string) => {
    const draft = { email, name: undefined, isAdmin: false, password: PASSWORD };
    const account = expectOk(await users.create(INSTALLATION, draft));
    return sessionActor(await sessions.start(account, CLIENT_INFO), CLIENT_INFO);
  };
  const [ann, ben] = [await signIn('ann@example.com'), await signIn('ben@example.com')];
  const changeOf = (actor: typeof ann, email: string) => changeEmail(actor, { email, password: PASSWORD });
  for (let n = 0; n < 5; n++)
    expect(await changeOf(ann, 'ben@example.com')).toEqual({ ok: false, problem: 'email-taken' });
  const throttled = { ok: false, problem: 'sign-in-throttled', waitSeconds: 1 } as const;
  expect(await changeOf(ann, 'free@example.com')).toEqual(throttled);
  expectOk(await changeOf(ben, 'free@example.com'));
  time.now = later(time.now, SECOND);
  expectOk(await changeOf(ann, 'ben@example.com'));
});
