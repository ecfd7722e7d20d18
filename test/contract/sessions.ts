import { describe, expect, test } from 'bun:test';
import { later } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import type { Email } from '../../src/model/email.ts';
import type { NewSession } from '../../src/model/ports/session.ts';
import type { Session, SessionId } from '../../src/model/session.ts';
import { emailOf } from '../support/email.ts';
import { addAccount, now, type OpenWorld, type World } from './world.ts';

const CHANGED = emailOf('changed@example.com');
let hashes = 0;

function newSession({ id }: Account, change: Partial<NewSession> = {}): NewSession {
  const secretHash = (++hashes).toString(16).padStart(64, '0');
  return {
    accountId: id,
    awaitsCode: false,
    address: '192.0.2.1',
    browser: 'Browser',
    secretHash,
    passwordHash: undefined,
    ...change,
  };
}

async function create({ sessions }: World, draft: NewSession, at = now): Promise<Session> {
  const session = await sessions.create(draft, at);
  if (session === undefined) throw new Error('no session was created');
  return session;
}

/** The contract of session stores. */
export function describeSessionStore(name: string, open: OpenWorld): void {
  describe(`session store (${name})`, () => {
    test('finds a session with its account', async () => {
      const world = await open();
      const account = await addAccount(world);
      const draft = newSession(account);
      const session = await create(world, draft);
      const { secretHash, passwordHash, ...rest } = draft;
      expect(session).toEqual({ id: session.id, ...rest, createdAt: now, seenAt: now, confirmedAt: now });
      expect(await world.sessions.bySecretHash(secretHash)).toEqual({ account, session });
      expect(await world.sessions.bySecretHash('0')).toBeUndefined();
    });

    test('lists the sessions of one account, last seen first', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const first = await create(world, newSession(ann));
      const second = await create(world, newSession(ann));
      await world.sessions.create(newSession(ben), now);
      await world.sessions.touch(first.id, '192.0.2.2', later(now, 1));
      const touched = { ...first, address: '192.0.2.2', seenAt: later(now, 1) };
      expect(await world.sessions.list(ann.id)).toEqual([touched, second]);
    });

    test('records when the password was confirmed', async () => {
      const world = await open();
      const account = await addAccount(world);
      const draft = newSession(account);
      const { id } = await create(world, draft);
      await world.accounts.setPasswordHash(account.id, 'hash');
      expect(
        await world.sessions.confirm(id, { secretHash: 'aa', passwordHash: 'hash' }, now),
      ).toBeUndefined();
      const renewal = { secretHash: 'bb', passwordHash: 'hash' };
      const other = await create(world, newSession(account));
      expect(
        await world.sessions.confirm(other.id, { ...renewal, passwordHash: 'old' }, now),
      ).toBeUndefined();
      const confirmed = await world.sessions.confirm(other.id, renewal, later(now, 5));
      expect(confirmed).toEqual({ ...other, confirmedAt: later(now, 5) });
      expect((await world.sessions.bySecretHash('bb'))?.session).toEqual(confirmed);
      expect(await world.sessions.bySecretHash(draft.secretHash)).toBeUndefined();
    });

    test('creates no session with an old password or for a disabled account', async () => {
      const world = await open();
      const account = await addAccount(world);
      await world.accounts.setPasswordHash(account.id, 'hash');
      const withHash = (passwordHash: string) => newSession(account, { passwordHash });
      expect(await world.sessions.create(withHash('hash'), now)).toBeDefined();
      expect(await world.sessions.create(withHash('old'), now)).toBeUndefined();
      await world.accounts.setDisabled(account.id, now);
      expect(await world.sessions.create(withHash('hash'), now)).toBeUndefined();
      expect(await world.sessions.create(newSession(account), now)).toBeUndefined();
      expect(await world.sessions.list(account.id)).toEqual([]);
    });

    test('completes a session that awaits a code once, with a new secret', async () => {
      const world = await open();
      const account = await addAccount(world);
      const draft = newSession(account, { awaitsCode: true });
      const { id } = await create(world, draft);
      const both = await Promise.all([
        world.sessions.complete(id, 'aa', later(now, 9)),
        world.sessions.complete(id, 'bb', later(now, 9)),
      ]);
      const completed = both.filter((session) => session !== undefined);
      expect(completed).toHaveLength(1);
      expect(completed[0]).toMatchObject({ awaitsCode: false, createdAt: later(now, 9), confirmedAt: now });
      expect(await world.sessions.bySecretHash(draft.secretHash)).toBeUndefined();
      const plain = await create(world, newSession(account));
      expect(await world.sessions.complete(plain.id, 'cc', now)).toBeUndefined();
    });

    test('keeps the last seen 50 sessions of an account, and as many that await a code', async () => {
      const world = await open();
      const account = await addAccount(world);
      for (const awaitsCode of [false, true]) {
        const first = await create(world, newSession(account, { awaitsCode }));
        const second = await create(world, newSession(account, { awaitsCode }));
        await world.sessions.touch(first.id, '192.0.2.9', later(now, 1));
        for (let n = 2; n < 50; n++) await create(world, newSession(account, { awaitsCode }));
        const ids = async () => {
          const all = await world.sessions.list(account.id);
          return all.flatMap((session) => (session.awaitsCode === awaitsCode ? [session.id] : []));
        };
        expect(await ids()).toHaveLength(50);
        // The clock was set back, so this session is the oldest one.
        const last = await create(world, newSession(account, { awaitsCode }), later(now, -1));
        expect(await ids()).toHaveLength(50);
        expect(await ids()).toEqual(expect.arrayContaining([first.id, last.id]));
        expect(await ids()).not.toContain(second.id);
      }
      const awaiting = (await world.sessions.list(account.id)).find(({ awaitsCode }) => awaitsCode);
      const completed = await world.sessions.complete(awaiting?.id as SessionId, 'aa', later(now, 2));
      const open50 = (await world.sessions.list(account.id)).filter(({ awaitsCode }) => !awaitsCode);
      expect([open50.length, open50[0]]).toEqual([50, completed]);
    });

    test('knows whether a complete, recent session was seen at an address', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      await create(world, newSession(ann));
      await create(world, newSession(ben, { address: '192.0.2.2' }));
      await create(world, newSession(ann, { address: '192.0.2.3', awaitsCode: true }));
      const before = later(now, -1);
      const isAt = (address: string, seen = before, created = before) =>
        world.sessions.isAt(ann.id, address, seen, created);
      expect(await isAt('192.0.2.1')).toBe(true);
      expect(await Promise.all([isAt('192.0.2.2'), isAt('192.0.2.3')])).toEqual([false, false]);
      expect(await Promise.all([isAt('192.0.2.1', now), isAt('192.0.2.1', before, now)])).toEqual([
        false,
        false,
      ]);
    });

    test('counts the live and complete sessions of all accounts', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const before = later(now, -1);
      expect(await world.sessions.countLive(before, before)).toBe(0);
      await create(world, newSession(ann));
      const { id } = await create(world, newSession(ben));
      await create(world, newSession(ben, { awaitsCode: true }));
      expect(await world.sessions.countLive(before, before)).toBe(2);
      expect(await world.sessions.countLive(now, before)).toBe(0);
      await world.sessions.touch(id, '192.0.2.1', later(now, 1));
      expect(await world.sessions.countLive(now, before)).toBe(1);
      expect(await world.sessions.countLive(now, now)).toBe(0);
    });

    test('ends a session only for its account', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const { id } = await create(world, newSession(ann));
      expect(await world.sessions.end(id, ben.id)).toBe(false);
      expect(await world.sessions.end(id, ann.id)).toBe(true);
      expect(await world.sessions.end(id, ann.id)).toBe(false);
      expect(await world.sessions.list(ann.id)).toEqual([]);
    });

    test('ends all sessions of an account, or all except one', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const current = await create(world, newSession(ann));
      await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ben), now);
      expect(await world.sessions.endOthers(current)).toBe(2);
      expect(await world.sessions.list(ann.id)).toEqual([current]);
      expect(await world.sessions.endAll(ann.id)).toBe(1);
      expect(await world.sessions.list(ben.id)).toHaveLength(1);
    });

    test('ends all sessions of all accounts, or all except one', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const current = await create(world, newSession(ann));
      for (const account of [ann, ben]) await world.sessions.create(newSession(account), now);
      await world.sessions.create(newSession(ben, { awaitsCode: true }), now);
      expect(await world.sessions.endEvery(current.id)).toBe(3);
      expect(await world.sessions.list(ann.id)).toEqual([current]);
      expect(await world.sessions.list(ben.id)).toEqual([]);
      expect(await world.sessions.endEvery()).toBe(1);
      expect(await world.sessions.endEvery()).toBe(0);
    });

    test('changes the password and ends all other sessions of the account', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      await world.credentials.renewPassword(ann.id, undefined, 'before');
      const current = await create(world, newSession(ann));
      await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ben), now);
      const renewal = { secretHash: 'aa', passwordHash: 'hash' };
      expect(await world.sessions.changePassword(current.id, renewal, 'before')).toEqual(current);
      expect(await world.sessions.list(ann.id)).toEqual([current]);
      expect((await world.sessions.bySecretHash('aa'))?.session).toEqual(current);
      expect((await world.credentials.byEmail(ann.email))?.passwordHash).toBe('hash');
      await world.accounts.setPasswordHash(ann.id, 'other');
      expect(await world.sessions.list(ann.id)).toEqual([]);
      expect(await world.sessions.list(ben.id)).toHaveLength(1);
    });

    test('changes no password from a session that has ended, awaits a code, or belongs to a disabled account', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      for (const { id } of [ann, ben]) await world.accounts.setPasswordHash(id, 'hash');
      const renewal = { secretHash: 'aa', passwordHash: 'chosen by an attacker' };
      const over = await create(world, newSession(ann));
      await world.sessions.end(over.id, ann.id);
      const awaiting = await create(world, newSession(ann, { awaitsCode: true }));
      const disabled = await create(world, newSession(ben));
      await world.accounts.setDisabled(ben.id, now);
      for (const { id } of [over, awaiting, disabled])
        expect(await world.sessions.changePassword(id, renewal, 'hash')).toBeUndefined();
      expect((await world.credentials.byEmail(ann.email))?.passwordHash).toBe('hash');
      expect(await world.sessions.list(ann.id)).toEqual([awaiting]);
    });

    test('changes a password only if the verified one is still the current one', async () => {
      // Two forms that a session sent at once verified the same password, and both changed it.
      const world = await open();
      const ann = await addAccount(world);
      await world.accounts.setPasswordHash(ann.id, 'before');
      const { id } = await create(world, newSession(ann));
      const change = (passwordHash: string) =>
        world.sessions.changePassword(id, { secretHash: passwordHash, passwordHash }, 'before');
      const outcomes = await Promise.all([change('aa'), change('bb')]);
      const [stored, other] = outcomes[0] ? ['aa', 'bb'] : ['bb', 'aa'];
      expect(outcomes.filter((session) => session !== undefined)).toMatchObject([{ id }]);
      expect((await world.credentials.byEmail(ann.email))?.passwordHash).toBe(stored);
      expect(await world.sessions.bySecretHash(other)).toBeUndefined();
    });

    test('changes the email address and ends all other sessions of the account', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      await world.accounts.setPasswordHash(ann.id, 'hash');
      const current = await create(world, newSession(ann));
      for (const account of [ann, ben]) await world.sessions.create(newSession(account), now);
      const renewal = { secretHash: 'aa', passwordHash: 'hash' };
      const change = (email: Email) => world.sessions.changeEmail(current.id, renewal, email, later(now, 5));
      expect(await change(ben.email)).toEqual({ ok: false, problem: 'email-taken' });
      expect(await world.sessions.list(ann.id)).toHaveLength(2);
      expect(await world.sessions.bySecretHash('aa')).toBeUndefined();
      const session = { ...current, confirmedAt: later(now, 5) };
      const account = { ...ann, email: CHANGED };
      expect(await change(CHANGED)).toEqual({ ok: true, value: { account, session } });
      expect(await world.sessions.bySecretHash('aa')).toEqual({ account, session });
      expect(await world.sessions.list(ann.id)).toEqual([session]);
      expect(await world.sessions.list(ben.id)).toHaveLength(1);
    });

    test('changes no email address from a session that has ended, awaits a code, or has another password', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      for (const { id } of [ann, ben]) await world.accounts.setPasswordHash(id, 'hash');
      const over = await create(world, newSession(ann));
      await world.sessions.end(over.id, ann.id);
      const awaiting = await create(world, newSession(ann, { awaitsCode: true }));
      const disabled = await create(world, newSession(ben));
      await world.accounts.setDisabled(ben.id, now);
      const complete = await create(world, newSession(ann));
      const change = ({ id }: Session, passwordHash: string) =>
        world.sessions.changeEmail(id, { secretHash: 'aa', passwordHash }, CHANGED, now);
      for (const session of [over, awaiting, disabled])
        expect(await change(session, 'hash')).toEqual({ ok: false, problem: 'session-over' });
      expect(await change(complete, 'old')).toEqual({ ok: false, problem: 'session-over' });
      expect(await world.accounts.byEmail(CHANGED)).toBeUndefined();
      expect(await world.sessions.list(ann.id)).toEqual([complete, awaiting]);
    });

    test('disabling an account ends its sessions for good', async () => {
      const world = await open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ben), now);
      await world.accounts.setDisabled(ann.id, now);
      await world.accounts.setDisabled(ann.id, undefined);
      expect(await world.sessions.list(ann.id)).toEqual([]);
      expect(await world.sessions.list(ben.id)).toHaveLength(1);
    });

    test('purges expired sessions and returns their number', async () => {
      const world = await open();
      const account = await addAccount(world);
      const ids: SessionId[] = [];
      for (const [created, seen] of [
        [0, 0],
        [0, 90],
        [50, 90],
        [90, 90],
      ] as const) {
        const { id } = await create(world, newSession(account), later(now, created));
        await world.sessions.touch(id, '', later(now, seen));
        ids.push(id);
      }
      expect(await world.sessions.purge(later(now, 80), later(now, 40))).toBe(2);
      expect(await world.sessions.purge(later(now, 80), later(now, 40))).toBe(0);
      const left = (await world.sessions.list(account.id)).map(({ id }) => id);
      expect(left.toSorted()).toEqual(ids.slice(2));
    });
  });
}
