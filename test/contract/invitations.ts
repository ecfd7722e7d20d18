import { describe, expect, test } from 'bun:test';
import { DAY, later } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import type { InvitationId, Organization, OrganizationId } from '../../src/model/organization.ts';
import type { NewInvitation } from '../../src/model/ports/organization.ts';
import { emailOf } from '../support/email.ts';
import { expectOk } from '../support/server.ts';
import { addAccount, addOrganization, now, type OpenWorld, type World } from './world.ts';

const LIMIT = 3;
const unknown = { ok: false, problem: 'invitation-unknown' } as const;

/** An organization, its owner, and an account that the owner can invite. */
async function openScene(open: OpenWorld) {
  const world = await open();
  const [owner, guest] = [await addAccount(world), await addAccount(world)];
  const organization = await addOrganization(world, owner);
  return { world, owner, guest, organization };
}

function newInvitation(
  { id: organizationId, ownerId: inviterId }: Organization,
  { email }: Pick<Account, 'email'>,
  tokenHash = 'a'.repeat(64),
): NewInvitation {
  return { organizationId, inviterId, email, tokenHash, createdAt: now, expiresAt: later(now, DAY) };
}

const HASH = 'a'.repeat(64);
const newcomer = { name: 'New', isAdmin: false, passwordHash: 'hash', plan: 'invited' };

const members = async ({ organizations }: World, id: OrganizationId) =>
  (await organizations.members(id)).map(({ accountId }) => accountId);

/** The contract of InvitationStore. */
export function describeInvitationStore(name: string, open: OpenWorld): void {
  describe(`invitation store (${name})`, () => {
    test('stores an invitation, never returns its hash, and finds it by the hash until it expires', async () => {
      const { world, guest, organization } = await openScene(open);
      const { tokenHash, ...given } = newInvitation(organization, guest);
      const created = expectOk(await world.invitations.create({ tokenHash, ...given }, LIMIT));
      expect(created).toEqual({ ...given, id: created.id });
      expect(await world.invitations.byTokenHash(tokenHash, now)).toEqual(created);
      expect(await world.invitations.list(organization.id, now)).toEqual([created]);
      expect(await world.invitations.byTokenHash(tokenHash, given.expiresAt)).toBeUndefined();
      expect(await world.invitations.list(organization.id, given.expiresAt)).toEqual([]);
      expect(await world.invitations.byTokenHash('b'.repeat(64), now)).toBeUndefined();
    });

    test('withdraws the invitations of an owner who transfers the organization', async () => {
      const { world, guest, organization } = await openScene(open);
      const successor = await addAccount(world);
      await world.organizations.addMember(organization.id, successor.id, now);
      expectOk(await world.invitations.create(newInvitation(organization, guest), LIMIT));
      expectOk(await world.organizations.transfer(organization.id, organization.ownerId, successor.id));
      expect(await world.invitations.list(organization.id, now)).toEqual([]);
      expect(await world.invitations.byTokenHash(HASH, now)).toBeUndefined();
    });

    test('adds only the invited account as a member, and only once', async () => {
      const { world, guest, owner, organization } = await openScene(open);
      const outsider = await addAccount(world);
      expectOk(await world.invitations.create(newInvitation(organization, guest), LIMIT));
      const accept = ({ id }: Account) => world.invitations.accept(HASH, id, now);
      for (const other of [outsider, owner]) {
        expect(await accept(other)).toEqual({ ok: false, problem: 'invitation-not-yours' });
      }
      expect(await members(world, organization.id)).toEqual([owner.id]);
      expect(await accept(guest)).toEqual({ ok: true, value: organization });
      expect(await members(world, organization.id)).toEqual([owner.id, guest.id]);
      expect(await accept(guest)).toEqual(unknown);
      expect(await world.invitations.list(organization.id, now)).toEqual([]);
    });

    test('creates only one account for parallel requests, and stays open until it accepts', async () => {
      const { world, organization, owner } = await openScene(open);
      const invitation = newInvitation(organization, { email: emailOf('new@example.com') });
      expectOk(await world.invitations.create(invitation, LIMIT));
      const attempts = Array.from({ length: 20 }, () => world.invitations.createAccount(HASH, newcomer, now));
      const outcomes = await Promise.all(attempts);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      expect(outcomes.filter((outcome) => !outcome.ok && outcome.problem === 'email-taken')).toHaveLength(19);
      const account = await world.accounts.byEmail(emailOf('new@example.com'));
      expect(account).toMatchObject({ name: 'New', isAdmin: false, plan: 'invited' });
      expect(await members(world, organization.id)).toEqual([owner.id]);
      const accepts = Array.from({ length: 20 }, () =>
        world.invitations.accept(HASH, account?.id ?? owner.id, now),
      );
      expect((await Promise.all(accepts)).filter(({ ok }) => ok)).toHaveLength(1);
      expect(await world.organizations.isMember(organization.id, account?.id ?? owner.id)).toBe(true);
    });

    test('creates no account if the invited address has one, or if the invitation has expired', async () => {
      const { world, guest, organization } = await openScene(open);
      const created = expectOk(await world.invitations.create(newInvitation(organization, guest), LIMIT));
      expect(await world.invitations.createAccount(HASH, newcomer, now)).toEqual({
        ok: false,
        problem: 'email-taken',
      });
      expect(await world.accounts.byEmail(guest.email)).toEqual(guest);
      expect(await world.invitations.list(organization.id, now)).toHaveLength(1);
      const other = newInvitation(organization, { email: emailOf('new@example.com') }, 'b'.repeat(64));
      expectOk(await world.invitations.create(other, LIMIT));
      expect(await world.invitations.createAccount('b'.repeat(64), newcomer, created.expiresAt)).toEqual(
        unknown,
      );
      expect(await world.accounts.count()).toBe(2);
    });

    test('creates accounts whose plan does not allow them to own organizations, not even transferred ones', async () => {
      const { world, owner, organization } = await openScene(open);
      const invitation = newInvitation(organization, { email: emailOf('new@example.com') });
      expectOk(await world.invitations.create(invitation, LIMIT));
      const account = expectOk(await world.invitations.createAccount(HASH, newcomer, now));
      expectOk(await world.invitations.accept(HASH, account.id, now));
      const limited = { ok: false, problem: 'organizations-limit' } as const;
      expect(await world.organizations.create({ name: 'Own', ownerId: account.id }, now)).toEqual(limited);
      expect(await world.organizations.transfer(organization.id, owner.id, account.id)).toEqual(limited);
      await world.plans.set({ name: 'invited', organizations: 1, properties: 1 });
      expectOk(await world.organizations.create({ name: 'Own', ownerId: account.id }, now));
    });

    test('does not work if it has expired, was withdrawn, or its organization was deleted', async () => {
      const { world, guest, organization } = await openScene(open);
      const created = expectOk(await world.invitations.create(newInvitation(organization, guest), LIMIT));
      expect(await world.invitations.accept(HASH, guest.id, created.expiresAt)).toEqual(unknown);
      await world.organizations.remove(organization.id, now);
      expect(await world.invitations.accept(HASH, guest.id, now)).toEqual(unknown);
      expect(await world.invitations.byTokenHash(HASH, now)).toBeUndefined();
      const another = await addOrganization(world);
      const withdrawn = newInvitation(another, guest, 'b'.repeat(64));
      const { id } = expectOk(await world.invitations.create(withdrawn, LIMIT));
      expect(await world.invitations.revoke(organization.id, id)).toEqual(unknown);
      expect(await world.invitations.revoke(another.id, id)).toMatchObject({ ok: true, value: { id } });
      expect(await world.invitations.revoke(another.id, id)).toEqual(unknown);
      expect(await world.invitations.accept('b'.repeat(64), guest.id, now)).toEqual(unknown);
      expect(await world.organizations.isMember(another.id, guest.id)).toBe(false);
    });

    test('replaces an earlier invitation for the same address', async () => {
      const { world, guest, organization } = await openScene(open);
      expectOk(await world.invitations.create(newInvitation(organization, guest), 1));
      expectOk(await world.invitations.create(newInvitation(organization, guest, 'b'.repeat(64)), 1));
      expect(await world.invitations.list(organization.id, now)).toHaveLength(1);
      expect(await world.invitations.accept(HASH, guest.id, now)).toEqual(unknown);
      expect(await world.invitations.accept('b'.repeat(64), guest.id, now)).toMatchObject({ ok: true });
    });

    test('is rejected for owners and members, above the limit, and for a deleted organization', async () => {
      const { world, owner, guest, organization } = await openScene(open);
      const { invitations } = world;
      await world.organizations.addMember(organization.id, guest.id, now);
      for (const account of [owner, guest]) {
        expect(await invitations.create(newInvitation(organization, account), LIMIT)).toEqual({
          ok: false,
          problem: 'member-already',
        });
      }
      const create = (email: string, digit: string) =>
        invitations.create(newInvitation(organization, { email: emailOf(email) }, digit.repeat(64)), LIMIT);
      const outcomes = await Promise.all(
        ['1', '2', '3', '4', '5'].map((it) => create(`${it}@example.com`, it)),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(LIMIT);
      const limit = { ok: false, problem: 'invitations-limit' } as const;
      expect(outcomes.filter(({ ok }) => !ok)).toEqual(Array(5 - LIMIT).fill(limit));
      await world.organizations.remove(organization.id, now);
      expect(await create('6@example.com', '6')).toEqual({ ok: false, problem: 'organization-unknown' });
    });

    test('is withdrawn if its creator is removed from the organization or disabled', async () => {
      const { world, owner, guest, organization } = await openScene(open);
      await world.organizations.addMember(organization.id, guest.id, now);
      expectOk(await world.organizations.transfer(organization.id, owner.id, guest.id));
      const friend = await addAccount(world);
      const byOwner = { ...newInvitation(organization, friend), inviterId: owner.id };
      expectOk(await world.invitations.create(byOwner, LIMIT));
      expect(await world.organizations.removeMember(organization.id, owner.id)).toBe(true);
      expect(await world.invitations.accept(HASH, friend.id, now)).toEqual(unknown);
      const byGuest = { ...byOwner, inviterId: guest.id };
      expectOk(await world.invitations.create(byGuest, LIMIT));
      expectOk(await world.accounts.setDisabled(guest.id, now));
      expect(await world.invitations.accept(HASH, friend.id, now)).toEqual(unknown);
    });

    test('purges expired invitations', async () => {
      const { world, guest, organization } = await openScene(open);
      const { id, expiresAt } = expectOk(
        await world.invitations.create(newInvitation(organization, guest), LIMIT),
      );
      expect(await world.invitations.purge(expiresAt)).toBe(0);
      expect(await world.invitations.purge(later(expiresAt, 1))).toBe(1);
      expect(await world.invitations.revoke(organization.id, id as InvitationId)).toEqual(unknown);
    });
  });
}
