import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../src/model/account.ts';
import { expectDone } from '../support/server.ts';
import { now, type OpenWorld } from './world.ts';

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
      const created = expectDone(await accounts.create(anna, now));
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
      const first = expectDone(await accounts.create(anna, now));
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
      const { id } = expectDone(await accounts.create(bob, now));
      await accounts.setPasswordHash(id, '$argon2id$new');
      await accounts.setPasswordHash((id + 1) as AccountId, '$argon2id$nobody');
      expect(JSON.stringify(await accounts.list())).not.toContain('argon2id');
      expect(await accounts.count()).toBe(1);
    });
  });
}
