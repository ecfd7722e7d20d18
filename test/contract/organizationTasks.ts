import { describe, expect, test } from 'bun:test';
import { later } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import { type OrganizationActor, portalActor } from '../../src/model/actor.ts';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { TaskId } from '../../src/model/task.ts';
import { userActor } from '../support/actors.ts';
import { expectOk } from '../support/server.ts';
import {
  addAccount,
  addOrganization,
  KEYS_MAX,
  newKey,
  newProperty,
  now,
  type OpenWorld,
  type World,
} from './world.ts';

const LIMITS = { unfinished: 1000, total: 10_000 };
const lease = { token: 'a', until: later(now, 60_000) };

let count = 0;

async function openTask(open: OpenWorld) {
  const world = await open();
  const owner = await addAccount(world);
  const organization = await addOrganization(world, owner);
  const organizationId = organization.id;
  const given = newKey(owner, { organizationId, isOrganizationOwned: true });
  const key = expectOk(await world.apiKeys.create(given, KEYS_MAX, now));
  const actor = organizationActor(organizationId, key.id);
  const id = (++count).toString(16).padStart(32, 'f') as TaskId;
  const order = { kind: 'create-properties', organizationId, items: [] } as const;
  expectOk(await world.tasks.enqueue({ id, actor, order }, LIMITS, now));
  const finish = async (target = organizationId) => {
    expect((await world.tasks.claim(lease, now))?.actor).toEqual(actor);
    const step = { do: 'create', property: newProperty(target) } as const;
    return world.tasks.finish(id, 'a', [step], now);
  };
  return { world, owner, organization, key, actor, id, finish };
}

function organizationActor(organizationId: OrganizationId, keyId: ApiKeyId): OrganizationActor {
  const limits = { organizationId, keyId };
  return { source: 'organization-key', isAdmin: false, address: '192.0.2.1', limits };
}

const inPortal = (account: Account) => portalActor(account, undefined);

/** @returns the ids of all tasks that the actor finds, and whether the list and the lookup agree */
async function isVisible({ tasks }: World, id: TaskId, actor: Parameters<World['tasks']['byId']>[1]) {
  const found = (await tasks.byId(id, actor)) !== undefined;
  const listed = await tasks.page(actor, { offset: 0, limit: 9 });
  expect(listed.some((task) => task.id === id)).toBe(found);
  return found;
}

/** The contract of TaskStore for API keys that belong to an organization. */
export function describeOrganizationTasks(name: string, open: OpenWorld): void {
  describe(`tasks of organizations (${name})`, () => {
    test('are visible to all keys of the organization and, in the portal, to its users', async () => {
      const { world, owner, organization, id } = await openTask(open);
      const [member, other] = [await addAccount(world), await addAccount(world)];
      await world.organizations.addMember(organization.id, member.id, now);
      const foreign = await addOrganization(world, owner);
      const visible = [
        organizationActor(organization.id, 999 as ApiKeyId),
        inPortal(owner),
        inPortal(member),
      ];
      for (const actor of visible) expect(await isVisible(world, id, actor)).toBe(true);
      const limited = userActor(owner, { organizationId: organization.id });
      const invisible = [
        organizationActor(foreign.id, 999 as ApiKeyId),
        inPortal(other),
        userActor(owner),
        limited,
      ];
      for (const actor of invisible) expect(await isVisible(world, id, actor)).toBe(false);
      await world.organizations.removeMember(organization.id, member.id);
      expect(await isVisible(world, id, inPortal(member))).toBe(false);
    });

    test('do not show an organization the tasks of its users', async () => {
      const { world, owner, organization, actor } = await openTask(open);
      const id = 'a'.repeat(32) as TaskId;
      const order = { kind: 'delete-properties', items: [] } as const;
      const own = userActor(owner, { organizationId: organization.id });
      expectOk(await world.tasks.enqueue({ id, actor: own, order }, LIMITS, now));
      expect(await isVisible(world, id, actor)).toBe(false);
      expect(await isVisible(world, id, own)).toBe(true);
    });

    test('run after the owner has left and is disabled, and name the key in the audit log', async () => {
      const { world, owner, organization, key, finish } = await openTask(open);
      const heir = await addAccount(world);
      await world.organizations.addMember(organization.id, heir.id, now);
      expectOk(await world.organizations.transfer(organization.id, owner.id, heir.id));
      await world.organizations.removeMember(organization.id, owner.id);
      expectOk(await world.accounts.setDisabled(owner.id, now));
      expect(await finish()).toMatchObject([{ sitekey: expect.any(String) }]);
      const [entry] = await world.audit.page({ organizationId: organization.id }, undefined, 1);
      expect(entry).toMatchObject({
        actor: `API key ${key.name} of organization ${organization.name}`,
        accountId: undefined,
        source: 'api-key',
        address: '192.0.2.1',
        action: 'property-created',
      });
    });

    test('change nothing after the key was revoked', async () => {
      const { world, key, finish, organization } = await openTask(open);
      expectOk(await world.apiKeys.revoke(key.id, now));
      expect(await finish()).toMatchObject([{ problem: 'task-key-revoked' }]);
      expect(await world.properties.list(organization.id)).toEqual([]);
    });

    test('change nothing after the organization was deleted', async () => {
      const { world, organization, finish } = await openTask(open);
      expectOk(await world.organizations.remove(organization.id, now));
      expect(await finish()).toMatchObject([{ problem: 'organization-unknown' }]);
    });

    test('change nothing in another organization of the owner', async () => {
      const { world, owner, finish } = await openTask(open);
      const foreign = await addOrganization(world, owner);
      expect(await finish(foreign.id)).toMatchObject([{ problem: 'organization-not-yours' }]);
      expect(await world.properties.list(foreign.id)).toEqual([]);
    });
  });
}
