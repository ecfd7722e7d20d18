import { describe, expect, test } from 'bun:test';
import { systemRandom } from '../../../src/lib/ids.ts';
import { HOUR, later, MINUTE } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { SessionStore } from '../../../src/model/ports/session.ts';
import { describeSession, sessionActor } from '../../../src/model/session.ts';
import { StoreFailure } from '../../../src/model/storeFailure.ts';
import { createSessions, type StartedSession } from '../../../src/platform/authentication/sessions.ts';
import { expectOk } from '../../support/server.ts';
import { openUseCases } from '../useCases.ts';
import { CLIENT_INFO } from './openAuthentication.ts';

const PASSWORD_HASH = 'hash';

/** Sessions that end after an hour without a request, and after two hours. */
async function open(replaced: Partial<SessionStore> = {}) {
  const { stores, users, time, audit } = openUseCases();
  const store: SessionStore = { ...stores.sessions, ...replaced };
  const deps = {
    limits: { idleMs: HOUR, absoluteMs: 2 * HOUR },
    entryFor: audit.entryFor,
    random: systemRandom,
  };
  const sessions = createSessions({ ...deps, store, clock: () => time.now });
  const draft = { email: 'ann@example.com', name: undefined, isAdmin: false, password: undefined };
  const account = expectOk(await users.create(INSTALLATION, draft));
  await stores.accounts.setPasswordHash(account.id, PASSWORD_HASH);
  const verified = { account, passwordHash: PASSWORD_HASH };
  const start = () => sessions.start(account, CLIENT_INFO);
  async function startAwaiting(): Promise<StartedSession> {
    const started = await sessions.startVerified(verified, CLIENT_INFO, true);
    if (started === undefined) throw new Error('no session has started');
    return started;
  }
  const entries = async () =>
    (await stores.audit.page({}, undefined, 100)).map(({ action, object }) => [action, object]).toReversed();
  return { sessions, store, stores, users, account, verified, time, start, startAwaiting, entries };
}

const actorOf = (started: StartedSession) => sessionActor(started, CLIENT_INFO);

describe('a session', () => {
  test('ends an hour after the last request, or two hours after its start', async () => {
    const { sessions, time, start } = await open();
    const [idle, used] = [await start(), await start()];
    time.now = later(time.now, HOUR - 1);
    expect(await sessions.peek(idle.secret)).toBeDefined();
    expect(await sessions.open(used.secret, CLIENT_INFO)).toBeDefined();
    time.now = later(time.now, 1);
    expect(await sessions.peek(idle.secret)).toBeUndefined();
    time.now = later(time.now, HOUR - 2);
    expect(await sessions.open(used.secret, CLIENT_INFO)).toBeDefined();
    time.now = later(time.now, 2);
    expect(await sessions.open(used.secret, CLIENT_INFO)).toBeUndefined();
  });

  test('that is only peeked at does not last longer', async () => {
    const { sessions, time, start } = await open();
    const { secret } = await start();
    time.now = later(time.now, 50 * MINUTE);
    expect(await sessions.peek(secret)).toBeDefined();
    time.now = later(time.now, 10 * MINUTE);
    expect(await sessions.peek(secret)).toBeUndefined();
  });

  test('gives no access while the user is disabled', async () => {
    const { start, account } = await open();
    const { session, secret } = await start();
    const found = { account, session };
    const { sessions } = await open({ bySecretHash: async () => found });
    expect(await sessions.peek(secret)).toBe(found);
    found.account = { ...account, disabledAt: account.createdAt };
    expect(await sessions.peek(secret)).toBeUndefined();
  });

  test('stores at most 256 characters of the name of the browser', async () => {
    const { sessions, account } = await open();
    const { session } = await sessions.start(account, { ...CLIENT_INFO, browser: 'x'.repeat(300) });
    expect(session.browser).toBe('x'.repeat(256));
  });

  test('is not looked up if its secret does not have 43 characters of base64url', async () => {
    const asked: string[] = [];
    const { sessions } = await open({
      async bySecretHash(hash) {
        asked.push(hash);
        return undefined;
      },
    });
    const secret = 'A'.repeat(43);
    for (const text of [
      '',
      `${secret}A`,
      `A${secret}`,
      secret.slice(1),
      `${secret} `,
      ` ${secret}`,
      secret.replace('A', '.'),
    ])
      expect(await sessions.peek(text)).toBeUndefined();
    expect(asked).toEqual([]);
    await sessions.peek(secret);
    expect(asked).toHaveLength(1);
  });

  test('is shown even if the storage cannot record that it was seen', async () => {
    let failure: Error = new StoreFailure('the disk is full');
    const { sessions, time, start } = await open({ touch: () => Promise.reject(failure) });
    const { secret } = await start();
    time.now = later(time.now, 2 * MINUTE);
    expect(await sessions.open(secret, CLIENT_INFO)).toBeDefined();
    failure = new TypeError('a fault of the program');
    const reason = await sessions.open(secret, CLIENT_INFO).catch((error: Error) => error.message);
    expect(reason).toBe('a fault of the program');
  });
});

describe('the sessions of a user', () => {
  test('are listed, counted, and kept while they are live and complete', async () => {
    const { sessions, account, start, startAwaiting, time } = await open();
    await startAwaiting();
    await start();
    expect(await sessions.list(account)).toHaveLength(1);
    time.now = later(time.now, 30 * MINUTE);
    const { session } = await start();
    expect(await sessions.list(account)).toHaveLength(2);
    expect(await sessions.count()).toBe(2);
    time.now = later(time.now, 30 * MINUTE);
    expect(await sessions.list(account)).toMatchObject([{ id: session.id }]);
    expect(await sessions.count()).toBe(1);
  });

  test('are deleted when they have expired', async () => {
    const { sessions, account, start, time } = await open();
    const used = await start();
    await start();
    expect(await sessions.purge()).toBe(0);
    time.now = later(time.now, 50 * MINUTE);
    await sessions.open(used.secret, CLIENT_INFO);
    time.now = later(time.now, 11 * MINUTE);
    expect(await sessions.purge()).toBe(1);
    expect(await sessions.list(account)).toMatchObject([{ id: used.session.id }]);
    time.now = later(time.now, 30 * MINUTE);
    await sessions.open(used.secret, CLIENT_INFO);
    // Two hours after its start, although it was used half an hour ago.
    time.now = later(time.now, 30 * MINUTE);
    expect(await sessions.purge()).toBe(1);
  });
});

describe('the audit log', () => {
  test('has the start of a session only when the session is complete', async () => {
    const { sessions, start, startAwaiting, entries } = await open();
    await start();
    expect(await entries()).toEqual([['session-started', '']]);
    const awaiting = await startAwaiting();
    expect(await entries()).toHaveLength(1);
    expect(await sessions.complete(awaiting, CLIENT_INFO)).toBeDefined();
    expect(await entries()).toEqual([
      ['session-started', ''],
      ['session-started', ''],
    ]);
  });

  test('has the end of a session, unless it still awaited its code', async () => {
    const { sessions, account, start, startAwaiting, entries } = await open();
    const other = await sessions.start(account, { ...CLIENT_INFO, address: '198.51.100.7' });
    const own = await start();
    const before = (await entries()).length;
    const awaiting = await startAwaiting();
    expect(await sessions.end(actorOf(awaiting), awaiting.session.id)).toBe(true);
    expect((await entries()).slice(before)).toEqual([]);
    expect(await sessions.end(actorOf(own), other.session.id)).toBe(true);
    await start();
    expect(await sessions.endOthers(actorOf(own))).toBe(1);
    expect((await entries()).slice(before)).toEqual([
      ['session-ended', '198.51.100.0/24'],
      ['session-started', ''],
      ['session-ended', 'all other sessions'],
    ]);
  });
});

// The entries did not say which session was ended.
test.each([
  ['Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', '192.0.2.7', 'Firefox, Linux, 192.0.2.0/24'],
  ['Mozilla/5.0 (iPhone) Safari/605.1', '20010db800070042', 'Safari, iOS, 2001:db8:7::/48'],
  ['curl/8', '', 'curl'],
  ['\u202e<script>', 'unknown', ''],
])('a session with the browser %j at %j is described as %j', (browser, address, description) => {
  expect(describeSession({ browser, address })).toBe(description);
});

describe('a session that has ended', () => {
  test('is neither confirmed nor completed, and cannot change the password', async () => {
    const { sessions, start, startAwaiting, stores, account } = await open();
    const [ended, awaiting] = [await start(), await startAwaiting()];
    await sessions.end(actorOf(ended), ended.session.id);
    await sessions.end(actorOf(awaiting), awaiting.session.id);
    expect(await sessions.confirm(actorOf(ended), PASSWORD_HASH)).toBeUndefined();
    expect(await sessions.complete(awaiting, CLIENT_INFO)).toBeUndefined();
    const hashes = { current: PASSWORD_HASH, next: 'next' };
    expect(await sessions.changePassword(actorOf(ended), hashes)).toBeUndefined();
    expect((await stores.credentials.byEmail(account.email))?.passwordHash).toBe(PASSWORD_HASH);
  });
});

describe('a new secret', () => {
  test('replaces the old one when the password is confirmed or changed', async () => {
    const { sessions, start, entries, account } = await open();
    const started = await start();
    const confirmed = await sessions.confirm(actorOf(started), PASSWORD_HASH);
    expect(confirmed).toMatchObject({ account, session: { id: started.session.id } });
    expect(await sessions.peek(started.secret)).toBeUndefined();
    expect(await sessions.peek(confirmed?.secret ?? '')).toBeDefined();
    const hashes = { current: PASSWORD_HASH, next: 'next' };
    const changed = await sessions.changePassword(actorOf(started), hashes);
    expect(changed).toMatchObject({ account, session: { id: started.session.id } });
    expect(await sessions.peek(confirmed?.secret ?? '')).toBeUndefined();
    expect(await sessions.peek(changed?.secret ?? '')).toBeDefined();
    expect((await entries()).at(-1)).toEqual(['password-changed', '']);
  });
});

test('no session starts for a user who is disabled', async () => {
  const { sessions, users, account, verified } = await open();
  expectOk(await users.disable(INSTALLATION, account.id));
  expect(await sessions.startVerified(verified, CLIENT_INFO, false)).toBeUndefined();
  const reason = await sessions.start(account, CLIENT_INFO).catch((error: Error) => error.message);
  expect(reason).toContain('disabled');
});
