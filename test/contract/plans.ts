import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../src/model/account.ts';
import { userActor } from '../support/actors.ts';
import { expectOk } from '../support/server.ts';
import { AMPLE, addAccount, addOrganization, newProperty, now, type OpenWorld } from './world.ts';

const INVITED = { name: 'invited', organizations: 0, properties: 0 };
const starter = { name: 'starter', organizations: 1, properties: 2 };

/** The contract of every plan store, and the quotas in the other stores. */
export function describePlanStore(name: string, open: OpenWorld): void {
  describe(`plan store (${name})`, () => {
    test('has two built-in plans until they are set: default with the configured quotas, invited without organizations', async () => {
      const { plans } = await open();
      expect(await plans.list()).toEqual([{ name: 'default', ...AMPLE }, INVITED]);
      await plans.set({ name: 'default', organizations: 0, properties: 7 });
      await plans.set({ name: 'invited', organizations: 1, properties: 2 });
      expect(await plans.list()).toEqual([
        { name: 'default', organizations: 0, properties: 7 },
        { name: 'invited', organizations: 1, properties: 2 },
      ]);
    });

    test('lists each plan once, sorted by name', async () => {
      const { plans } = await open();
      await plans.set({ ...starter, organizations: 9 });
      expect(await plans.set(starter)).toEqual(starter);
      await plans.set({ ...starter, name: 'a' });
      expect((await plans.list()).map((plan) => [plan.name, plan.organizations])).toEqual([
        ['a', 1],
        ['default', AMPLE.organizations],
        ['invited', 0],
        ['starter', 1],
      ]);
    });

    test('gives accounts the default plan, until an existing plan is set', async () => {
      const { accounts, plans, ...world } = await open();
      const account = await addAccount({ accounts, plans, ...world });
      expect(account.plan).toBe('default');
      expect(await accounts.setPlan(account.id, 'starter')).toEqual({ ok: false, problem: 'plan-unknown' });
      await plans.set(starter);
      expect(expectOk(await accounts.setPlan(account.id, 'starter')).plan).toBe('starter');
      expect((await accounts.byEmail(account.email))?.plan).toBe('starter');
      for (const builtIn of ['invited', 'default'])
        expect(expectOk(await accounts.setPlan(account.id, builtIn)).plan).toBe(builtIn);
      const unknown = 999 as AccountId;
      expect(await accounts.setPlan(unknown, 'default')).toEqual({ ok: false, problem: 'account-unknown' });
    });

    test('limits the organizations that an account owns, without deleted and shared ones', async () => {
      const world = await open({ organizations: 2, properties: 10 });
      const [owner, other] = [await addAccount(world), await addAccount(world)];
      const [first] = [await addOrganization(world, owner), await addOrganization(world, owner)];
      const shared = await addOrganization(world, other);
      await world.organizations.addMember(shared.id, owner.id, now);
      const third = { name: 'Third', ownerId: owner.id };
      expect(await world.organizations.create(third, now)).toEqual({
        ok: false,
        problem: 'organizations-limit',
      });
      expectOk(await world.organizations.remove(first.id, now));
      expectOk(await world.organizations.create(third, now));
    });

    test('limits the properties in all organizations of an owner, including those that members create', async () => {
      const world = await open({ organizations: 10, properties: 2 });
      const [owner, member] = [await addAccount(world), await addAccount(world)];
      const [one, two] = [await addOrganization(world, owner), await addOrganization(world, owner)];
      await world.organizations.addMember(two.id, member.id, now);
      expectOk(await world.properties.create(newProperty(one.id), now));
      const actor = userActor(member);
      expectOk(await world.properties.create(newProperty(two.id), now, actor));
      const third = () => world.properties.create(newProperty(two.id), now, actor);
      expect(await third()).toEqual({ ok: false, problem: 'properties-limit' });
      expectOk(await world.organizations.remove(one.id, now));
      expectOk(await third());
    });

    test('reduced quotas prevent new objects, and existing ones stay', async () => {
      const world = await open();
      const owner = await addAccount(world);
      const { id } = await addOrganization(world, owner);
      const { sitekey } = expectOk(await world.properties.create(newProperty(id), now));
      await world.plans.set({ name: 'default', organizations: 0, properties: 0 });
      expect(await world.organizations.create({ name: 'New', ownerId: owner.id }, now)).toMatchObject({
        problem: 'organizations-limit',
      });
      expect(await world.properties.create(newProperty(id), now)).toMatchObject({
        problem: 'properties-limit',
      });
      expect(await world.properties.bySitekey(sitekey)).toMatchObject({ sitekey });
    });
  });
}
