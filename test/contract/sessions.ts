import { describe, expect, test } from 'bun:test';
import { later } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import type { NewSession, SessionId } from '../../src/model/session.ts';
import { addAccount, now, type OpenWorld } from './world.ts';

let hashes = 0;

function newSession({ id }: Account, change: Partial<NewSession> = {}): NewSession {
  const secretHash = (++hashes).toString(16).padStart(64, '0');
  return {
    accountId: id,
    awaitsCode: false,
    address: '192.0.2.1',
    browser: 'Browser',
    secretHash,
    ...change,
  };
}

/** What any session store promises. */
export function describeSessionStore(name: string, open: OpenWorld): void {
  describe(`session store (${name})`, () => {
    test('keeps a session, and finds it with whose it is', async () => {
      const world = open();
      const account = await addAccount(world);
      const draft = newSession(account);
      const session = await world.sessions.create(draft, now);
      const { secretHash, ...rest } = draft;
      expect(session).toEqual({ id: session.id, ...rest, createdAt: now, seenAt: now, confirmedAt: now });
      expect(await world.sessions.bySecretHash(secretHash)).toEqual({ account, session });
      expect(await world.sessions.bySecretHash('0')).toBeUndefined();
    });

    test('lists those of one account, the one seen last first', async () => {
      const world = open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const first = await world.sessions.create(newSession(ann), now);
      const second = await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ben), now);
      await world.sessions.touch(first.id, '192.0.2.2', later(now, 1));
      const touched = { ...first, address: '192.0.2.2', seenAt: later(now, 1) };
      expect(await world.sessions.list(ann.id)).toEqual([touched, second]);
    });

    test('remembers when the password was given again', async () => {
      const world = open();
      const account = await addAccount(world);
      const draft = newSession(account);
      const { id } = await world.sessions.create(draft, now);
      await world.sessions.confirm(id, later(now, 5));
      expect((await world.sessions.bySecretHash(draft.secretHash))?.session.confirmedAt).toBe(later(now, 5));
    });

    test('completes what awaits a code once, under another secret', async () => {
      const world = open();
      const account = await addAccount(world);
      const draft = newSession(account, { awaitsCode: true });
      const { id } = await world.sessions.create(draft, now);
      const both = await Promise.all([
        world.sessions.complete(id, 'aa', later(now, 9)),
        world.sessions.complete(id, 'bb', later(now, 9)),
      ]);
      const completed = both.filter((session) => session !== undefined);
      expect(completed).toHaveLength(1);
      expect(completed[0]).toMatchObject({ awaitsCode: false, createdAt: later(now, 9), confirmedAt: now });
      expect(await world.sessions.bySecretHash(draft.secretHash)).toBeUndefined();
      const plain = await world.sessions.create(newSession(account), now);
      expect(await world.sessions.complete(plain.id, 'cc', now)).toBeUndefined();
    });

    test('ends a session for its account alone', async () => {
      const world = open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const { id } = await world.sessions.create(newSession(ann), now);
      expect(await world.sessions.end(id, ben.id)).toBe(false);
      expect(await world.sessions.end(id, ann.id)).toBe(true);
      expect(await world.sessions.end(id, ann.id)).toBe(false);
      expect(await world.sessions.list(ann.id)).toEqual([]);
    });

    test('ends all of an account, or all but one', async () => {
      const world = open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const kept = await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ben), now);
      expect(await world.sessions.endAll(ann.id, kept.id)).toBe(2);
      expect(await world.sessions.list(ann.id)).toEqual([kept]);
      expect(await world.sessions.endAll(ann.id)).toBe(1);
      expect(await world.sessions.list(ben.id)).toHaveLength(1);
    });

    test('ends all but one with another password, in the same step', async () => {
      const world = open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      const kept = await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ben), now);
      await world.accounts.setPasswordHash(ann.id, 'hash', kept.id);
      expect(await world.sessions.list(ann.id)).toEqual([kept]);
      await world.accounts.setPasswordHash(ann.id, 'other');
      expect(await world.sessions.list(ann.id)).toEqual([]);
      expect(await world.sessions.list(ben.id)).toHaveLength(1);
    });

    test('ends all of an account that is disabled, also for when it no longer is', async () => {
      const world = open();
      const [ann, ben] = [await addAccount(world), await addAccount(world)];
      await world.sessions.create(newSession(ann), now);
      await world.sessions.create(newSession(ben), now);
      await world.accounts.setDisabled(ann.id, now);
      await world.accounts.setDisabled(ann.id, undefined);
      expect(await world.sessions.list(ann.id)).toEqual([]);
      expect(await world.sessions.list(ben.id)).toHaveLength(1);
    });

    test('purges what was not seen since, or was begun before, and tells how many', async () => {
      const world = open();
      const account = await addAccount(world);
      const ids: SessionId[] = [];
      for (const [created, seen] of [
        [0, 0],
        [0, 90],
        [50, 90],
        [90, 90],
      ] as const) {
        const { id } = await world.sessions.create(newSession(account), later(now, created));
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
