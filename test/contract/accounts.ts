import { describe, expect, test } from 'bun:test';
import { DAY, later } from '../../src/lib/time.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { Email } from '../../src/model/email.ts';
import type { AccountOrder } from '../../src/model/ports/account.ts';
import { emailOf } from '../support/email.ts';
import { expectOk } from '../support/server.ts';
import { addOrganization, now, type OpenWorld } from './world.ts';

const anna = {
  email: emailOf('anna@example.com'),
  name: 'Anna Ångström',
  isAdmin: true,
  passwordHash: '$argon2id$…',
};
const bob = { email: emailOf('bob@example.com'), name: 'Bob', isAdmin: false, passwordHash: undefined };

/** The contract of every account store. */
export function describeAccountStore(name: string, open: OpenWorld): void {
  describe(`account store (${name})`, () => {
    test('is initially empty', async () => {
      const { accounts } = await open();
      expect(await accounts.list()).toEqual([]);
      expect(await accounts.count()).toBe(0);
      expect(await accounts.byEmail(anna.email)).toBeUndefined();
    });

    test('returns the stored account, also by its email address', async () => {
      const { accounts } = await open();
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

    test('lists accounts in the order of their creation', async () => {
      const { accounts } = await open();
      await accounts.create(bob, now);
      await accounts.create(anna, now);
      expect((await accounts.list()).map(({ email }) => email)).toEqual([bob.email, anna.email]);
      expect(await accounts.count()).toBe(2);
    });

    test('rejects an email address that is taken, without a change', async () => {
      const { accounts } = await open();
      const first = expectOk(await accounts.create(anna, now));
      expect(await accounts.create({ ...bob, email: anna.email }, now)).toEqual({
        ok: false,
        problem: 'email-taken',
      });
      expect(await accounts.list()).toEqual([first]);
    });

    test('creates one account if two with the same email address are created concurrently', async () => {
      const { accounts } = await open();
      const outcomes = await Promise.all([accounts.create(anna, now), accounts.create(anna, now)]);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    });

    test('sets the password hash of one account, and never returns it with the account', async () => {
      const { accounts } = await open();
      const { id } = expectOk(await accounts.create(bob, now));
      await accounts.setPasswordHash(id, '$argon2id$new');
      await accounts.setPasswordHash((id + 1) as AccountId, '$argon2id$other');
      expect(JSON.stringify(await accounts.list())).not.toContain('argon2id');
      expect(await accounts.count()).toBe(1);
    });

    test('changes an email address unless another account has it', async () => {
      const { accounts } = await open();
      const { id } = expectOk(await accounts.create(anna, now));
      expectOk(await accounts.create(bob, now));
      expect(await accounts.setEmail(id, bob.email)).toEqual({ ok: false, problem: 'email-taken' });
      expect((await accounts.byId(id))?.email).toBe(anna.email);
      const email = emailOf('new@münchen.example');
      expect(expectOk(await accounts.setEmail(id, email))).toMatchObject({ id, email });
      expect(expectOk(await accounts.setEmail(id, email)).email).toBe(email);
      expect((await accounts.byEmail(email))?.id).toBe(id);
      expect(await accounts.setEmail((id + 100) as AccountId, anna.email)).toEqual({
        ok: false,
        problem: 'account-unknown',
      });
    });

    test('changes a name that is the address with the address, and no other name', async () => {
      const { accounts } = await open();
      const [before, after] = ['x@example.com' as Email, 'y@example.com' as Email];
      const named = expectOk(await accounts.create({ ...bob, name: before, email: before }, now));
      expect(expectOk(await accounts.setEmail(named.id, after))).toMatchObject({ name: after });
      const other = expectOk(await accounts.create({ ...bob, name: 'Xaver', email: before }, now));
      expect(expectOk(await accounts.setEmail(other.id, 'z@example.com' as Email)).name).toBe('Xaver');
    });

    // Accepting an invitation for a spelling that no user kept any more created a second user of the same address.
    test('brings the other user and open invitations into the canonical form if an address changes', async () => {
      const { accounts, invitations, organizations } = await open();
      const [ascii, unicode] = ['h@xn--mnchen-3ya.example' as Email, 'h@münchen.example' as Email];
      const add = async (email: Email) => expectOk(await accounts.create({ ...bob, email }, now)).id;
      const [kept, other] = [await add(ascii), await add(unicode)];
      const organization = expectOk(await organizations.create({ name: 'Org', ownerId: other }, now));
      const times = { createdAt: now, expiresAt: later(now, DAY) };
      const tokenHash = '5'.repeat(64);
      const invited = {
        ...times,
        organizationId: organization.id,
        inviterId: other,
        email: ascii,
        tokenHash,
      };
      expectOk(await invitations.create(invited, 100));
      expectOk(await accounts.setEmail(other, 'i@example.com' as Email));
      expect((await accounts.byId(kept))?.email).toBe(unicode);
      expect((await invitations.list(organization.id, now)).map(({ email }) => String(email))).toEqual([
        String(unicode),
      ]);
    });

    test('brings an invitation for a spelling that its user gave up into the canonical form', async () => {
      const { accounts, invitations, organizations } = await open();
      const [ascii, unicode] = ['h@xn--mnchen-3ya.example' as Email, 'h@münchen.example' as Email];
      const add = async (email: Email) => expectOk(await accounts.create({ ...bob, email }, now)).id;
      const [kept, other] = [await add(ascii), await add(unicode)];
      const { id } = expectOk(await organizations.create({ name: 'Org', ownerId: other }, now));
      const times = { createdAt: now, expiresAt: later(now, DAY) };
      const invited = { ...times, organizationId: id, inviterId: other, email: ascii };
      expectOk(await invitations.create({ ...invited, tokenHash: '5'.repeat(64) }, 100));
      expectOk(await accounts.setEmail(kept, 'i@example.com' as Email));
      expect((await accounts.byId(other))?.email).toBe(unicode);
      expect((await invitations.list(id, now)).map(({ email }) => email)).toEqual([unicode]);
    });

    test('converts addresses of earlier versions to the canonical form unless another account has it', async () => {
      const { accounts, invitations, organizations } = await open();
      const add = async (email: string, name = 'Someone') =>
        expectOk(await accounts.create({ ...bob, name, email: email as Email }, now)).id;
      const changed = await add('a@xn--mnchen-3ya.example', 'a@xn--mnchen-3ya.example');
      const kept = await add('b@xn--mnchen-3ya.example', 'b@xn--mnchen-3ya.example');
      await add('b@münchen.example');
      const first = await add('c@xn--mnchen-3ya.xn--p1ai');
      const second = await add('c@xn--mnchen-3ya.рф');
      await add('d@xn--a.example');
      const organization = expectOk(await organizations.create({ name: 'Org', ownerId: changed }, now));
      const invite = async (email: string, digit: string) => {
        const times = { createdAt: now, expiresAt: later(now, DAY) };
        const invitation = {
          ...times,
          organizationId: organization.id,
          inviterId: changed,
          email: email as Email,
        };
        expectOk(await invitations.create({ ...invitation, tokenHash: digit.repeat(64) }, 100));
      };
      await invite('e@xn--mnchen-3ya.example', '1');
      await invite('f@xn--mnchen-3ya.example', '2');
      await invite('f@münchen.example', '3');
      await invite('g@münchen.example', '4');
      await invite('g@xn--mnchen-3ya.example', '5');
      await invite('b@xn--mnchen-3ya.example', '6');
      for (let run = 0; run < 2; run++) {
        expect(await accounts.normalizeEmails()).toBe(2);
        const stored = await Promise.all([changed, kept, first, second].map((id) => accounts.byId(id)));
        expect(stored.map((account) => [account?.email as string | undefined, account?.name])).toEqual([
          ['a@münchen.example', 'a@münchen.example'],
          ['b@xn--mnchen-3ya.example', 'b@xn--mnchen-3ya.example'],
          ['c@münchen.рф', 'Someone'],
          ['c@xn--mnchen-3ya.рф', 'Someone'],
        ]);
        expect(await accounts.list()).toHaveLength(6);
        const open = await invitations.list(organization.id, now);
        expect(open.map(({ email }) => String(email))).toEqual([
          'e@münchen.example',
          'f@münchen.example',
          'g@münchen.example',
          'b@xn--mnchen-3ya.example',
        ]);
        const newest = await Promise.all(
          ['3', '5'].map((digit) => invitations.byTokenHash(digit.repeat(64), now)),
        );
        expect(newest).not.toContain(undefined);
      }
    });

    test('searches by a part of the email address or the name, with the number of owned organizations, in pages', async () => {
      const world = await open();
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
      expect(await find('A\0')).toEqual([]);
      expect(await accounts.byId(second.id)).toEqual(second);
      expect(await accounts.byId((second.id + 1) as AccountId)).toBeUndefined();
    });

    test('lists accounts in each order, in pages', async () => {
      const { accounts } = await open();
      for (const email of ['b@example.com', 'c@example.com', 'a@example.com'])
        expectOk(await accounts.create({ ...bob, email: email as Email }, now));
      const list = async (order: AccountOrder, offset = 0, limit = 9) =>
        (await accounts.search('', { order, offset, limit })).map(({ email }) => email[0]).join('');
      expect(await list('email_asc')).toBe('abc');
      expect(await list('email_desc')).toBe('cba');
      expect(await list('created_asc')).toBe('bca');
      expect(await list('created_desc')).toBe('acb');
      expect([await list('email_desc', 0, 2), await list('email_desc', 2, 2)]).toEqual(['cb', 'a']);
    });

    test('stores when an account was disabled, until it is enabled', async () => {
      const { accounts } = await open();
      const { id } = expectOk(await accounts.create(bob, now));
      const disabled = expectOk(await accounts.setDisabled(id, now));
      expect(disabled.disabledAt).toBe(now);
      expect(await accounts.byEmail(bob.email)).toEqual(disabled);
      expect(expectOk(await accounts.setDisabled(id, undefined)).disabledAt).toBeUndefined();
      const unknown = (id + 1) as AccountId;
      expect(await accounts.setDisabled(unknown, now)).toEqual({ ok: false, problem: 'account-unknown' });
      expect(await accounts.setAdmin(unknown, true)).toEqual({ ok: false, problem: 'account-unknown' });
    });

    test('keeps one administrator who can sign in, even if the last two are changed concurrently', async () => {
      const { accounts } = await open();
      const admin = { name: 'Admin', isAdmin: true, passwordHash: 'hash' };
      const add = async (email: string, change = {}) =>
        expectOk(await accounts.create({ ...admin, email: emailOf(email), ...change }, now)).id;
      const [one, two] = [await add('one@example.com'), await add('two@example.com')];
      // These two cannot sign in.
      await add('three@example.com', { passwordHash: undefined });
      const four = await add('four@example.com');
      expectOk(await accounts.setDisabled(four, now));
      const last = { ok: false, problem: 'admin-last' } as const;
      const endings = await Promise.all([accounts.setDisabled(one, now), accounts.setAdmin(two, false)]);
      expect(endings.filter(({ ok }) => ok)).toHaveLength(1);
      expect(endings).toContainEqual(last);
      expectOk(await accounts.setAdmin(two, true));
      expectOk(await accounts.setDisabled(one, now));
      expect(await accounts.setDisabled(two, now)).toEqual(last);
      expectOk(await accounts.setDisabled(one, undefined));
      expect(await accounts.setAdmin(two, false)).toMatchObject({ ok: true, value: { isAdmin: false } });
      expect(await accounts.setAdmin(two, true)).toMatchObject({ ok: true, value: { isAdmin: true } });
    });
  });
}
