import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../src/model/account.ts';
import { expectOk } from '../support/server.ts';
import { addOrganization, now, type OpenWorld } from './world.ts';

const anna = { email: 'anna@example.com', name: 'Anna Ångström', isAdmin: true, passwordHash: '$argon2id$…' };
const bob = { email: 'bob@example.com', name: 'Bob', isAdmin: false, passwordHash: undefined };

/** What any account store promises. */
export function describeAccountStore(name: string, open: OpenWorld): void {
  describe(`account store (${name})`, () => {
    test('is empty at first', async () => {
      const { accounts } = open();
      expect(await accounts.list()).toEqual([]);
      expect(await accounts.count()).toBe(0);
      expect(await accounts.byEmail(anna.email)).toBeUndefined();
    });

    test('keeps what it was given, and finds it by its address', async () => {
      const { accounts } = open();
      const created = expectOk(await accounts.create(anna, now));
      expect(created).toEqual({
        id: created.id,
        email: anna.email,
        name: anna.name,
        isAdmin: true,
        createdAt: now,
        plan: 'default',
        disabledAt: undefined,
      });
      expect(await accounts.byEmail(anna.email)).toEqual(created);
    });

    test('lists accounts in the order in which they came', async () => {
      const { accounts } = open();
      await accounts.create(bob, now);
      await accounts.create(anna, now);
      expect((await accounts.list()).map(({ email }) => email)).toEqual([bob.email, anna.email]);
      expect(await accounts.count()).toBe(2);
    });

    test('refuses an address that is taken, and changes nothing', async () => {
      const { accounts } = open();
      const first = expectOk(await accounts.create(anna, now));
      expect(await accounts.create({ ...bob, email: anna.email }, now)).toEqual({
        ok: false,
        problem: 'email-taken',
      });
      expect(await accounts.list()).toEqual([first]);
    });

    test('gives an address to one of two that ask at once', async () => {
      const { accounts } = open();
      const outcomes = await Promise.all([accounts.create(anna, now), accounts.create(anna, now)]);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    });

    test('sets a password of one account alone, never shown with the account', async () => {
      const { accounts } = open();
      const { id } = expectOk(await accounts.create(bob, now));
      await accounts.setPasswordHash(id, '$argon2id$new');
      await accounts.setPasswordHash((id + 1) as AccountId, '$argon2id$nobody');
      expect(JSON.stringify(await accounts.list())).not.toContain('argon2id');
      expect(await accounts.count()).toBe(1);
    });

    test('finds accounts by a part of their address or name, with what they own, page by page', async () => {
      const world = open();
      const { accounts } = world;
      const [first, second] = [
        expectOk(await accounts.create(anna, now)),
        expectOk(await accounts.create(bob, now)),
      ];
      const gone = await addOrganization(world, first);
      await addOrganization(world, first);
      await world.organizations.remove(gone.id, now);
      const find = (text: string, offset = 0, limit = 10) => accounts.search(text, { offset, limit });
      const summaryOfAnna = { ...first, organizations: 1, hasPassword: anna.passwordHash !== undefined };
      expect(await find(anna.email.slice(0, 4).toUpperCase())).toEqual([summaryOfAnna]);
      expect(await find('ANNA Ång')).toContainEqual(summaryOfAnna);
      expect(await accounts.summaryOf(first.id)).toEqual(summaryOfAnna);
      expect(await accounts.summaryOf((second.id + 1) as AccountId)).toBeUndefined();
      expect((await find('')).map(({ id }) => id)).toEqual([first.id, second.id]);
      expect((await find('', 1)).map(({ id }) => id)).toEqual([second.id]);
      expect((await find('', 0, 1)).map(({ id }) => id)).toEqual([first.id]);
      expect(await find('%')).toEqual([]);
      expect(await accounts.byId(second.id)).toEqual(second);
      expect(await accounts.byId((second.id + 1) as AccountId)).toBeUndefined();
    });

    test('remembers since when an account is disabled, and that it is no more', async () => {
      const { accounts } = open();
      const { id } = expectOk(await accounts.create(bob, now));
      const disabled = expectOk(await accounts.setDisabled(id, now));
      expect(disabled.disabledAt).toBe(now);
      expect(await accounts.byEmail(bob.email)).toEqual(disabled);
      expect(expectOk(await accounts.setDisabled(id, undefined)).disabledAt).toBeUndefined();
      const nobody = (id + 1) as AccountId;
      expect(await accounts.setDisabled(nobody, now)).toEqual({ ok: false, problem: 'account-unknown' });
      expect(await accounts.setAdmin(nobody, true)).toEqual({ ok: false, problem: 'account-unknown' });
    });

    test('keeps one administrator that can sign in, also where two go at the same time', async () => {
      const { accounts } = open();
      const admin = { name: 'Admin', isAdmin: true, passwordHash: 'hash' };
      const add = async (email: string, change = {}) =>
        expectOk(await accounts.create({ ...admin, email, ...change }, now)).id;
      const [one, two] = [await add('one@example.com'), await add('two@example.com')];
      // Neither of them can sign in.
      await add('three@example.com', { passwordHash: undefined });
      const four = await add('four@example.com');
      expectOk(await accounts.setDisabled(four, now));
      const last = { ok: false, problem: 'admin-last' } as const;
      const endings = await Promise.all([accounts.setDisabled(one, now), accounts.setAdmin(two, false)]);
      expect(endings).toMatchObject([{ ok: true, value: { disabledAt: now } }, last]);
      expect(await accounts.setDisabled(two, now)).toEqual(last);
      expectOk(await accounts.setDisabled(one, undefined));
      expect(await accounts.setAdmin(two, false)).toMatchObject({ ok: true, value: { isAdmin: false } });
      expect(await accounts.setAdmin(two, true)).toMatchObject({ ok: true, value: { isAdmin: true } });
    });
  });
}
