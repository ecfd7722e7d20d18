import { describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Verified } from '../../../src/platform/authentication/passwordCheck.ts';
import { createCookies } from '../../../src/portal/kit/cookies.ts';
import type { PortalDeps, Visit } from '../../../src/portal/kit/handler.ts';
import { signInRejectionOf, startSession } from '../../../src/portal/kit/sessionStart.ts';
import {
  CLIENT_INFO,
  openAuthentication,
  PLAIN_ARGON2,
} from '../../platform/authentication/openAuthentication.ts';
import { expectOk } from '../../support/server.ts';

async function open() {
  const { authentication, stores } = openAuthentication('off', PLAIN_ARGON2);
  const draft = {
    email: 'ann@example.com',
    name: undefined,
    isAdmin: false,
    password: 'correct horse battery',
  };
  const account = expectOk(await authentication.users.create(INSTALLATION, draft));
  const passwordHash = (await stores.credentials.byEmail(account.email))?.passwordHash ?? '';
  const verified: Verified = { account, passwordHash };
  const deps = {
    authentication,
    cookies: createCookies({ isHttps: false, sign: () => new Uint8Array(32) }),
  } as unknown as PortalDeps;

  /** The response to a sign-in in a browser with this cookie. */
  async function signIn(secret?: string): Promise<Response> {
    const headers = secret === undefined ? {} : { Cookie: `postern-session=${secret}` };
    const request = new Request('http://localhost/portal/login', { headers });
    const visit = { request, clientInfo: CLIENT_INFO } as Visit;
    const started = await authentication.sessions.start(account, CLIENT_INFO);
    const response = new Response(null, { status: 303, headers: { 'Set-Cookie': 'other=1' } });
    return startSession(visit, deps, started, response);
  }
  return { sessions: authentication.sessions, account, verified, signIn };
}

const count = async ({ sessions, account }: Awaited<ReturnType<typeof open>>) =>
  (await sessions.list(account)).length;

describe('a new session', () => {
  test('is in a cookie of the response, which keeps its other headers', async () => {
    const { signIn, sessions, account } = await open();
    const response = await signIn();
    const [other, ours = ''] = response.headers.getSetCookie();
    expect([response.status, other]).toEqual([303, 'other=1']);
    const [, secret = ''] = /^postern-session=([^;]+);/.exec(ours) ?? [];
    expect((await sessions.open(secret, CLIENT_INFO))?.account).toEqual(account);
  });

  test('ends the previous session of the browser, and no other', async () => {
    const scene = await open();
    const before = await scene.sessions.start(scene.account, CLIENT_INFO);
    const elsewhere = await scene.sessions.start(scene.account, CLIENT_INFO);
    await scene.signIn(before.secret);
    expect(await scene.sessions.peek(before.secret)).toBeUndefined();
    expect(await scene.sessions.peek(elsewhere.secret)).toBeDefined();
    expect(await count(scene)).toBe(2);
  });

  test('ends a session of the browser that awaits a code', async () => {
    const scene = await open();
    const awaiting = await scene.sessions.startVerified(scene.verified, CLIENT_INFO, true);
    if (awaiting === undefined) throw new Error('no session awaits a code');
    expect(await scene.sessions.openAwaiting(awaiting.secret)).toBeDefined();
    await scene.signIn(awaiting.secret);
    expect(await scene.sessions.openAwaiting(awaiting.secret)).toBeUndefined();
  });

  test('starts in a browser with the cookie of a session that has ended', async () => {
    const scene = await open();
    expect((await scene.signIn('A'.repeat(43))).headers.getSetCookie()).toHaveLength(2);
    expect(await count(scene)).toBe(1);
  });
});

describe('a rejected sign-in', () => {
  test('that is throttled says when to try again', () => {
    const rejected = { ok: false, problem: 'sign-in-throttled', waitSeconds: 30 } as const;
    const { status, errors, retryAfter } = signInRejectionOf(rejected, 'password');
    expect([status, retryAfter]).toEqual([429, 30]);
    expect(errors).toEqual([{ text: expect.stringContaining('30 seconds') }]);
  });

  test('can be repeated after a second if too many passwords are being checked', () => {
    const { status, errors, retryAfter } = signInRejectionOf(
      { ok: false, problem: 'passwords-busy' },
      'password',
    );
    expect([status, retryAfter]).toEqual([503, 1]);
    expect(errors).toEqual([{ text: expect.any(String) }]);
  });

  test('because of a wrong password is shown at its field', () => {
    const { status, errors, retryAfter } = signInRejectionOf(
      { ok: false, problem: 'password-wrong' },
      'current',
    );
    expect([status, retryAfter]).toEqual([422, undefined]);
    expect(errors).toEqual([{ field: 'current', text: expect.any(String) }]);
  });
});
