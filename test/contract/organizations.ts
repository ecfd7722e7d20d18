import { describe, expect, test } from 'bun:test';
import { type Instant, later } from '../../src/lib/time.ts';
import type { Account, AccountId } from '../../src/model/account.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import { expectOk } from '../support/server.ts';
import { addAccount, addOrganization, newProperty, now, type OpenWorld } from './world.ts';

const taken = { ok: false, problem: 'organization-name-taken' } as const;

const never = 0 as Instant;

/** The contract of OrganizationStore. */
export function describeOrganizationStore(name: string, open: OpenWorld): void {
  describe(`organization store (${name})`, () => {
    test('stores an organization, and finds it by its id', async () => {
      const world = await open();
      const { id: ownerId, email: ownerEmail } = await addAccount(world);
      const created = expectOk(await world.organizations.create({ name: 'Äpfel & Co', ownerId }, now));
      expect(created).toEqual({
        id: created.id,
        name: 'Äpfel & Co',
        ownerId,
        createdAt: now,
        attackUntil: never,
      });
      expect(await world.organizations.byId(created.id)).toEqual({ ...created, ownerEmail });
      expect(await world.organizations.byId((created.id + 1) as OrganizationId)).toBeUndefined();
    });

    test.each(['Shop', 'SHOP', 'shop'])(
      'rejects the name %s if the owner has an organization named Shop',
      async (other) => {
        const world = await open();
        const { id: ownerId } = await addAccount(world);
        await world.organizations.create({ name: 'Shop', ownerId }, now);
        expect(await world.organizations.create({ name: other, ownerId }, now)).toEqual(taken);
      },
    );

    test('ignores the case of names in every script', async () => {
      const world = await open();
      const { id: ownerId } = await addAccount(world);
      await world.organizations.create({ name: 'ÉCOLE Школа', ownerId }, now);
      expect(await world.organizations.create({ name: 'école школа', ownerId }, now)).toEqual(taken);
      expect(await world.organizations.create({ name: 'ecole школа', ownerId }, now)).toMatchObject({
        ok: true,
      });
    });

    test('accepts the same name for different owners', async () => {
      const world = await open();
      for (const owner of [await addAccount(world), await addAccount(world)]) {
        expect(await world.organizations.create({ name: 'Shop', ownerId: owner.id }, now)).toMatchObject({
          ok: true,
        });
      }
    });

    test('does not create an organization of an unknown owner', async () => {
      const world = await open();
      const orphan = world.organizations.create({ name: 'Shop', ownerId: 12_345 as AccountId }, now);
      expect(await orphan.catch((error: unknown) => error)).toBeInstanceOf(Error);
      expect(await world.organizations.list()).toEqual([]);
    });

    test('lists the organizations that an account owns or is a member of, oldest first', async () => {
      const world = await open();
      const [anna, bob] = [await addAccount(world), await addAccount(world)];
      const hers = await addOrganization(world, anna);
      const his = await addOrganization(world, bob);
      const other = await addOrganization(world);
      await world.organizations.addMember(other.id, anna.id, now);
      const listed = await world.organizations.list(anna.id);
      expect(listed).toMatchObject([{ ...hers, ownerEmail: anna.email }, other]);
      expect(await world.organizations.list(bob.id)).toEqual([{ ...his, ownerEmail: bob.email }]);
      expect(await world.organizations.list()).toMatchObject([hers, his, other]);
    });

    test('lists the role of an account in each organization, with the numbers of properties and members', async () => {
      const world = await open();
      const [anna, bob] = [await addAccount(world), await addAccount(world)];
      const hers = await addOrganization(world, anna);
      const his = await addOrganization(world, bob);
      const gone = await addOrganization(world, anna);
      await addOrganization(world);
      await world.organizations.remove(gone.id, now);
      await world.organizations.addMember(his.id, anna.id, now);
      for (const name of ['one', 'two']) {
        const property = { ...newProperty(his.id), name };
        expectOk(await world.properties.create(property, now));
      }
      const hersOwner = { ownerEmail: anna.email, role: 'owner' as const };
      const alone = { ...hers, ...hersOwner, properties: 0, members: 1 };
      const shared = { ...his, ownerEmail: bob.email, properties: 2, members: 2 };
      expect(await world.organizations.overview(anna.id)).toEqual([alone, { ...shared, role: 'member' }]);
      expect(await world.organizations.overview(bob.id)).toEqual([{ ...shared, role: 'owner' }]);
      // The former owner counts as one member.
      expectOk(await world.organizations.transfer(his.id, bob.id, anna.id));
      expect(await world.organizations.overview(bob.id)).toEqual([
        { ...shared, ownerId: anna.id, ownerEmail: anna.email, role: 'member' },
      ]);
    });

    test('reports owners and members as members, and no other accounts', async () => {
      const world = await open();
      const [owner, member, outsider] = [
        await addAccount(world),
        await addAccount(world),
        await addAccount(world),
      ];
      const { id } = await addOrganization(world, owner);
      await world.organizations.addMember(id, member.id, now);
      const answers = [owner, member, outsider].map((account) =>
        world.organizations.isMember(id, account.id),
      );
      expect(await Promise.all(answers)).toEqual([true, true, false]);
    });

    test('adds a member only once', async () => {
      const world = await open();
      const member = await addAccount(world);
      const organization = await addOrganization(world);
      await world.organizations.addMember(organization.id, member.id, now);
      await world.organizations.addMember(organization.id, member.id, now);
      expect(await world.organizations.list(member.id)).toMatchObject([organization]);
      expect(await world.organizations.removeMember(organization.id, member.id)).toBe(true);
      expect(await world.organizations.isMember(organization.id, member.id)).toBe(false);
      expect(await world.organizations.removeMember(organization.id, member.id)).toBe(false);
    });

    test('does not remove the owner', async () => {
      const world = await open();
      const owner = await addAccount(world);
      const { id } = await addOrganization(world, owner);
      expect(await world.organizations.removeMember(id, owner.id)).toBe(false);
      expect(await world.organizations.isMember(id, owner.id)).toBe(true);
    });

    test('renames an organization, unless its owner has another one with the name', async () => {
      const world = await open();
      const [owner, other] = [await addAccount(world), await addAccount(world)];
      const [one, two] = [await addOrganization(world, owner), await addOrganization(world, owner)];
      const foreign = await addOrganization(world, other);
      const { organizations } = world;
      expect(await organizations.rename(one.id, two.name.toUpperCase())).toEqual({
        ok: false,
        problem: 'organization-name-taken',
      });
      expect(await organizations.byId(one.id)).toEqual({ ...one, ownerEmail: owner.email });
      expect(expectOk(await organizations.rename(one.id, foreign.name)).name).toBe(foreign.name);
      expect(expectOk(await organizations.rename(one.id, foreign.name.toUpperCase())).name).toBe(
        foreign.name.toUpperCase(),
      );
      const nowhere = 999 as OrganizationId;
      expect(await organizations.rename(nowhere, 'x')).toEqual({
        ok: false,
        problem: 'organization-unknown',
      });
    });

    test('deletes an organization once', async () => {
      const world = await open();
      const organization = await addOrganization(world);
      expect(await world.organizations.remove(organization.id, now)).toEqual({
        ok: true,
        value: organization,
      });
      expect(await world.organizations.remove(organization.id, now)).toMatchObject({ ok: false });
      expect(await world.organizations.byId(organization.id)).toBeUndefined();
    });

    test('lists the owner first, then the members in the order in which they joined', async () => {
      const world = await open();
      const [owner, first, second] = [
        await addAccount(world),
        await addAccount(world),
        await addAccount(world),
      ];
      const { id } = await addOrganization(world, owner);
      await world.organizations.addMember(id, second.id, later(now, 2));
      await world.organizations.addMember(id, first.id, later(now, 1));
      const of = ({ id: accountId, name, email }: Account) => ({ accountId, name, email });
      expect(await world.organizations.members(id)).toEqual([
        { ...of(owner), role: 'owner', since: now },
        { ...of(first), role: 'member', since: later(now, 1) },
        { ...of(second), role: 'member', since: later(now, 2) },
      ]);
      await world.organizations.remove(id, now);
      expect(await world.organizations.members(id)).toEqual([]);
    });

    test('transfers an organization: owner and member exchange their roles, and keep the times when they joined', async () => {
      const world = await open();
      const [owner, candidate] = [await addAccount(world), await addAccount(world)];
      const organization = await addOrganization(world, owner);
      const { id } = organization;
      await world.organizations.addMember(id, candidate.id, later(now, 5));
      expect(await world.organizations.transfer(id, owner.id, candidate.id)).toEqual({
        ok: true,
        value: { ...organization, ownerId: candidate.id },
      });
      expect(await world.organizations.members(id)).toMatchObject([
        { accountId: candidate.id, role: 'owner', since: later(now, 5) },
        { accountId: owner.id, role: 'member', since: now },
      ]);
      expect(await world.organizations.removeMember(id, candidate.id)).toBe(false);
      expectOk(await world.organizations.transfer(id, candidate.id, owner.id));
      expect(await world.organizations.members(id)).toMatchObject([
        { accountId: owner.id, role: 'owner', since: now },
        { accountId: candidate.id, role: 'member', since: later(now, 5) },
      ]);
    });

    test('transfers an organization only once if there are parallel transfers to several members', async () => {
      const world = await open();
      const owner = await addAccount(world);
      const { id } = await addOrganization(world, owner);
      const candidates = await Promise.all(Array.from({ length: 10 }, () => addAccount(world)));
      for (const candidate of candidates) await world.organizations.addMember(id, candidate.id, now);
      const outcomes = await Promise.all(
        candidates.map((candidate) => world.organizations.transfer(id, owner.id, candidate.id)),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      expect(outcomes.filter((one) => !one.ok && one.problem === 'organization-not-owned')).toHaveLength(9);
      const roles = (await world.organizations.members(id)).map(({ role }) => role);
      expect(roles).toEqual(['owner', ...Array(10).fill('member')]);
    });

    test('transfers an organization only from its owner, and only to a member with enough quota', async () => {
      const world = await open({ organizations: 2, properties: 2 });
      const [owner, candidate, outsider] = [
        await addAccount(world),
        await addAccount(world),
        await addAccount(world),
      ];
      const { id, name } = await addOrganization(world, owner);
      const transfer = async (from: Account, to: Account) => {
        const outcome = await world.organizations.transfer(id, from.id, to.id);
        return outcome.ok ? 'done' : outcome.problem;
      };
      await world.organizations.addMember(id, candidate.id, now);
      expect(await transfer(candidate, candidate)).toBe('organization-not-owned');
      expect(await transfer(owner, owner)).toBe('member-is-owner');
      expect(await transfer(owner, outsider)).toBe('member-unknown');
      await world.accounts.setDisabled(candidate.id, now);
      expect(await transfer(owner, candidate)).toBe('account-disabled');
      await world.accounts.setDisabled(candidate.id, undefined);

      const own = await addOrganization(world, candidate);
      expectOk(await world.organizations.rename(own.id, name.toUpperCase()));
      expect(await transfer(owner, candidate)).toBe('organization-name-taken');
      expectOk(await world.organizations.rename(own.id, 'Another'));

      expectOk(await world.properties.create(newProperty(own.id), now));
      for (const _ of [1, 2]) expectOk(await world.properties.create(newProperty(id), now));
      expect(await transfer(owner, candidate)).toBe('properties-limit');
      const second = await addOrganization(world, candidate);
      expect(await transfer(owner, candidate)).toBe('organizations-limit');
      expect((await world.organizations.byId(id))?.ownerId).toBe(owner.id);

      await world.organizations.remove(second.id, now);
      await world.organizations.remove(own.id, now);
      expect(await transfer(owner, candidate)).toBe('done');
      await world.organizations.remove(id, now);
      expect(await transfer(candidate, owner)).toBe('organization-unknown');
    });
  });
}
