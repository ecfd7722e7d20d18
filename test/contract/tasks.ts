import { describe, expect, test } from 'bun:test';
import { type Instant, later } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import { portalActor } from '../../src/model/actor.ts';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { TaskStep } from '../../src/model/ports/task.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { TaskId, TaskOrder } from '../../src/model/task.ts';
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

const MINUTE = 60_000;
const LIMITS = { unfinished: 1000, total: 10_000 };
const DELETION: TaskOrder = { kind: 'delete-properties', items: [1 as PropertyId] };

let count = 0;

const newId = () => (++count).toString(16).padStart(32, '0') as TaskId;
const leaseOf = (token: string, from = now) => ({ token, until: later(from, MINUTE) });

async function enqueue({ tasks }: World, account: Account, order = DELETION): Promise<TaskId> {
  const id = newId();
  expectOk(await tasks.enqueue({ id, actor: userActor(account), order }, LIMITS, now));
  return id;
}

/** An account with a task of its own, leased with the token `a`. */
async function leaseOne(world: World, order = DELETION) {
  const account = await addAccount(world);
  const id = await enqueue(world, account, order);
  expect((await world.tasks.claim(leaseOf('a'), now))?.id).toBe(id);
  return { account, id };
}

/** What any store of tasks promises. */
export function describeTaskStore(name: string, open: OpenWorld): void {
  describe(`task store (${name})`, () => {
    test('keeps a task as it was given, for the account that gave it', async () => {
      const world = open();
      const [account, other] = [await addAccount(world), await addAccount(world)];
      const id = await enqueue(world, account);
      const kept = { id, actor: userActor(account), order: DELETION, failures: 0, createdAt: now };
      expect(await world.tasks.byId(id, userActor(account))).toEqual({
        ...kept,
        finishedAt: undefined,
        results: undefined,
      });
      expect(await world.tasks.byId(id, userActor(other))).toBeUndefined();
      expect(await world.tasks.byId(newId(), userActor(account))).toBeUndefined();
    });

    test('shows an actor with a limit only what was started with the same one', async () => {
      const world = open();
      const account = await addAccount(world);
      const [one, two] = [await addOrganization(world, account), await addOrganization(world, account)];
      const limited = userActor(account, { organizationId: one.id });
      const id = newId();
      expectOk(await world.tasks.enqueue({ id, actor: limited, order: DELETION }, LIMITS, now));
      const free = await enqueue(world, account);
      expect(await world.tasks.byId(id, limited)).toMatchObject({ id, actor: limited });
      expect(await world.tasks.byId(id, userActor(account))).toMatchObject({ id });
      expect(await world.tasks.byId(id, userActor(account, { organizationId: two.id }))).toBeUndefined();
      expect(await world.tasks.byId(free, limited)).toBeUndefined();
    });

    test('shows the tasks of an actor piece by piece, newest first', async () => {
      const world = open();
      const [account, other] = [await addAccount(world), await addAccount(world)];
      const organization = await addOrganization(world, account);
      const ids: TaskId[] = [];
      for (let i = 0; i < 3; i++) ids.push(await enqueue(world, account));
      await enqueue(world, other);
      const page = async (offset: number, limit: number, actor = userActor(account)) =>
        (await world.tasks.page(actor, { offset, limit })).map(({ id }) => id);
      expect(await page(0, 2)).toEqual([ids[2], ids[1]] as TaskId[]);
      expect(await page(2, 2)).toEqual([ids[0]] as TaskId[]);
      expect(await page(0, 9, userActor(account, { organizationId: organization.id }))).toEqual([]);
      const [newest] = await world.tasks.page(userActor(account), { offset: 0, limit: 1 });
      expect(newest).toEqual(await world.tasks.byId(ids[2] as TaskId, userActor(account)));
    });

    test('refuses more unfinished tasks of one account than the limit', async () => {
      const world = open();
      const [account, other] = [await addAccount(world), await addAccount(world)];
      const add = (of: Account) =>
        world.tasks.enqueue(
          { id: newId(), actor: userActor(of), order: DELETION },
          { unfinished: 2, total: 10 },
          now,
        );
      for (const _ of [1, 2]) expectOk(await add(account));
      expect(await add(account)).toEqual({ ok: false, problem: 'task-queue-full' });
      expectOk(await add(other));
      const first = await world.tasks.claim(leaseOf('a'), now);
      await world.tasks.finish(first?.id ?? newId(), 'a', [], now);
      expectOk(await add(account));
    });

    test('keeps so many tasks of one account: the oldest finished ones make room', async () => {
      const world = open();
      const [account, other] = [await addAccount(world), await addAccount(world)];
      const limits = { unfinished: 2, total: 3 };
      const add = async (of: Account) => {
        const id = newId();
        expectOk(await world.tasks.enqueue({ id, actor: userActor(of), order: DELETION }, limits, now));
        return id;
      };
      const end = async () => {
        const task = await world.tasks.claim(leaseOf('a'), now);
        await world.tasks.finish(task?.id ?? newId(), 'a', [], now);
      };
      const foreign = await add(other);
      await end();
      const ids: TaskId[] = [];
      for (let i = 0; i < 5; i++) {
        ids.push(await add(account));
        if (i < 4) await end();
      }
      const kept = await Promise.all(ids.map((id) => world.tasks.byId(id, userActor(account))));
      expect(kept.map((task) => task !== undefined)).toEqual([false, false, true, true, true]);
      expect(await world.tasks.byId(foreign, userActor(other))).toMatchObject({ id: foreign });
    });

    test('does nothing for a key that has been revoked since', async () => {
      const world = open();
      const account = await addAccount(world);
      const organization = await addOrganization(world, account);
      const property = expectOk(await world.properties.create(newProperty(organization.id), now));
      const key = expectOk(await world.apiKeys.create(newKey(account), KEYS_MAX, now));
      const other = expectOk(await world.apiKeys.create(newKey(account), KEYS_MAX, now));
      const finish = async (keyId: ApiKeyId) => {
        const id = newId();
        const actor = userActor(account, { keyId });
        expectOk(await world.tasks.enqueue({ id, actor, order: DELETION }, LIMITS, now));
        await world.tasks.claim(leaseOf('a'), now);
        expectOk(await world.apiKeys.revoke(key.id, now).then((it) => (it.ok ? it : { ok: true, value: 0 })));
        const steps: readonly TaskStep[] = [
          { do: 'update', id: property.id, change: { level: 9 } },
          create(organization, 'New'),
        ];
        return (await world.tasks.finish(id, 'a', steps, now))?.map(({ problem }) => problem);
      };
      expect(await finish(key.id)).toEqual(['task-key-revoked', 'task-key-revoked']);
      expect(await world.properties.list()).toEqual([property]);
      expect(await finish(other.id)).toEqual([undefined, undefined]);
    });

    test('does nothing for an account that has been disabled since', async () => {
      const world = open();
      const account = await addAccount(world);
      const organization = await addOrganization(world, account);
      const id = newId();
      expectOk(await world.tasks.enqueue({ id, actor: userActor(account), order: DELETION }, LIMITS, now));
      await world.tasks.claim(leaseOf('a'), now);
      expectOk(await world.accounts.setDisabled(account.id, now));
      const steps: readonly TaskStep[] = [
        create(organization, 'New'),
        { do: 'reject', result: { problem: 'domain-unresolved' } },
      ];
      expect((await world.tasks.finish(id, 'a', steps, now))?.map(({ problem }) => problem)).toEqual([
        'task-account-disabled',
        'domain-unresolved',
      ]);
      expect(await world.properties.list()).toEqual([]);
      expect(await world.audit.page({}, undefined, 10)).toEqual([]);
    });

    test('notes down each property that it made, changed or deleted, and nothing that was refused', async () => {
      const world = open();
      const account = await addAccount(world);
      const organization = await addOrganization(world, account);
      const [one, two] = [
        expectOk(await world.properties.create(newProperty(organization.id), now)),
        expectOk(await world.properties.create(newProperty(organization.id), now)),
      ];
      const id = newId();
      const address = '2001:db8::7';
      const actor = portalActor(account, address);
      expectOk(await world.tasks.enqueue({ id, actor, order: DELETION }, LIMITS, now));
      expect((await world.tasks.claim(leaseOf('a'), now))?.actor).toEqual(actor);
      const steps: readonly TaskStep[] = [
        create(organization, 'New'),
        { do: 'update', id: one.id, change: { name: 'Renamed' } },
        { do: 'delete', id: two.id },
        { do: 'delete', id: two.id },
        create(organization, 'new'),
        { do: 'reject', result: { problem: 'domain-unresolved' } },
      ];
      expect(await world.tasks.finish(id, 'stolen', steps, now)).toBeUndefined();
      expect(await world.audit.page({}, undefined, 10)).toEqual([]);
      const at = later(now, 5);
      const [made] = (await world.tasks.finish(id, 'a', steps, at)) ?? [];
      const common = {
        at,
        accountId: account.id,
        actor: account.email,
        organizationId: organization.id,
        source: 'portal' as const,
        address,
      };
      const entries = await world.audit.page({}, undefined, 10);
      expect(entries.map(({ id, ...entry }) => entry)).toEqual([
        { ...common, action: 'property-deleted', subject: `${two.name} (${two.sitekey})` },
        { ...common, action: 'property-updated', subject: `Renamed (${one.sitekey})` },
        { ...common, action: 'property-created', subject: `New (${made?.sitekey})` },
      ]);
    });

    test("leases one account's tasks one after another, other accounts' beside them", async () => {
      const world = open();
      const [one, two] = [await addAccount(world), await addAccount(world)];
      const ids = [await enqueue(world, one), await enqueue(world, one), await enqueue(world, two)];
      expect((await world.tasks.claim(leaseOf('a'), now))?.id).toBe(ids[0]);
      expect((await world.tasks.claim(leaseOf('b'), now))?.id).toBe(ids[2]);
      expect(await world.tasks.claim(leaseOf('c'), now)).toBeUndefined();
      expect(await world.tasks.finish(ids[0] as TaskId, 'a', [], now)).toEqual([]);
      expect((await world.tasks.claim(leaseOf('c'), now))?.id).toBe(ids[1]);
    });

    test('gives a lapsed lease to the next who asks; the first holder can do nothing more', async () => {
      const world = open();
      const { id } = await leaseOne(world);
      const almost = later(now, MINUTE - 1);
      expect(await world.tasks.claim(leaseOf('b', almost), almost)).toBeUndefined();
      const lapsed = later(now, MINUTE);
      expect((await world.tasks.claim(leaseOf('b', lapsed), lapsed))?.id).toBe(id);
      expect(await world.tasks.renew(id, leaseOf('a', lapsed))).toBe(false);
      expect(await world.tasks.finish(id, 'a', [], lapsed)).toBeUndefined();
      expect(await world.tasks.finish(id, 'b', [], lapsed)).toEqual([]);
      expect(await world.tasks.finish(id, 'b', [], lapsed)).toBeUndefined();
    });

    test('renews a lease that is held', async () => {
      const world = open();
      const { id } = await leaseOne(world);
      expect(await world.tasks.renew(id, leaseOf('a', later(now, MINUTE - 1)))).toBe(true);
      expect(await world.tasks.claim(leaseOf('b'), later(now, MINUTE))).toBeUndefined();
    });

    test('postpones a task whose planning broke down, and counts it', async () => {
      const world = open();
      const { id } = await leaseOne(world);
      const retryAt = later(now, 5000);
      await world.tasks.postpone(id, 'somebody else', retryAt);
      await world.tasks.postpone(id, 'a', retryAt);
      expect(await world.tasks.claim(leaseOf('b'), later(now, 4999))).toBeUndefined();
      expect(await world.tasks.claim(leaseOf('b'), retryAt)).toMatchObject({ id, failures: 1 });
    });

    test('ends every lease', async () => {
      const world = open();
      const { id } = await leaseOne(world);
      await world.tasks.releaseAll();
      expect(await world.tasks.finish(id, 'a', [], now)).toBeUndefined();
      expect((await world.tasks.claim(leaseOf('b'), now))?.id).toBe(id);
    });

    test('does every step and keeps the results in their order', async () => {
      const world = open();
      const { account, id } = await leaseOne(world);
      const organization = await addOrganization(world, account);
      const old = expectOk(await world.properties.create(newProperty(organization.id), now));
      const gone = expectOk(await world.properties.create(newProperty(organization.id), now));
      const fresh = newProperty(organization.id);
      const change = { name: 'Renamed', level: 7, allowsLocalhost: true };
      const refused = { problem: 'domain-unresolved', name: 'x' } as const;
      const steps: readonly TaskStep[] = [
        { do: 'create', property: fresh },
        { do: 'reject', result: refused },
        { do: 'update', id: old.id, change },
        { do: 'delete', id: gone.id },
      ];
      const results = await world.tasks.finish(id, 'a', steps, now);
      const created = await world.properties.bySitekey(fresh.sitekey);
      expect(results).toEqual([
        { propertyId: created?.id as PropertyId, name: fresh.name, sitekey: fresh.sitekey },
        refused,
        { propertyId: old.id, name: 'Renamed', sitekey: old.sitekey },
        { propertyId: gone.id, name: gone.name, sitekey: gone.sitekey },
      ]);
      expect(await world.properties.byId(old.id)).toEqual({ ...old, ...change });
      expect(await world.properties.byId(gone.id)).toBeUndefined();
      expect(await world.tasks.byId(id, userActor(account))).toMatchObject({ results, finishedAt: now });
    });

    test('does nothing at all where a step cannot be done for a reason that nobody expected', async () => {
      const world = open();
      const { account, id } = await leaseOne(world);
      const { id: organizationId } = await addOrganization(world, account);
      const [good, bad] = [newProperty(organizationId), newProperty(organizationId)];
      const broken = { ...bad, level: undefined as unknown as number };
      const steps: readonly TaskStep[] = [
        { do: 'create', property: good },
        { do: 'create', property: broken },
      ];
      const failed = await world.tasks.finish(id, 'a', steps, now).then(
        () => false,
        () => true,
      );
      expect(failed).toBe(true);
      expect(await world.properties.list()).toEqual([]);
      expect(await world.tasks.byId(id, userActor(account))).toMatchObject({ finishedAt: undefined });
    });

    describe('judges at the moment when it is done', () => {
      const cases: readonly [string, (scene: Scene) => Promise<TaskStep>, string | undefined][] = [
        ['a name that is taken', async ({ mine, ours }) => create(mine, ours.name), 'property-name-taken'],
        [
          'a name that is taken in another case',
          async ({ mine, ours }) => create(mine, ours.name.toUpperCase()),
          'property-name-taken',
        ],
        [
          'the name of a property in another organization',
          async ({ mine, theirs }) => create(mine, theirs.name),
          undefined,
        ],
        [
          "a stranger's organization",
          async ({ foreign }) => create(foreign, 'New'),
          'organization-not-yours',
        ],
        [
          'an organization that is gone',
          async ({ world, mine }) => {
            await world.organizations.remove(mine.id, now);
            return create(mine, 'New');
          },
          'organization-unknown',
        ],
        [
          "a change of a stranger's property",
          async ({ theirs }) => ({ do: 'update', id: theirs.id, change: { level: 2 } }),
          'property-not-yours',
        ],
        [
          "a deletion of a stranger's property",
          async ({ theirs }) => ({ do: 'delete', id: theirs.id }),
          'property-not-yours',
        ],
        [
          'a change of none',
          async () => ({ do: 'update', id: 999 as PropertyId, change: {} }),
          'property-gone',
        ],
        ['a deletion of none', async () => ({ do: 'delete', id: 999 as PropertyId }), 'property-gone'],
        [
          'a new name that is taken',
          async ({ ours, second }) => ({
            do: 'update',
            id: ours.id,
            change: { name: second.name.toUpperCase() },
          }),
          'property-name-taken',
        ],
        [
          'its own name in another case',
          async ({ ours }) => ({ do: 'update', id: ours.id, change: { name: ours.name.toUpperCase() } }),
          undefined,
        ],
        ['no change at all', async ({ ours }) => ({ do: 'update', id: ours.id, change: {} }), undefined],
      ];

      test.each(cases)('%s', async (_title, stepOf, problem) => {
        const world = open();
        const { account, id } = await leaseOne(world);
        const scene = await setScene(world, account);
        const step = await stepOf(scene);
        const before = await world.properties.list();
        const [result] = (await world.tasks.finish(id, 'a', [step], now)) ?? [];
        expect(result?.problem).toBe(problem as never);
        if (problem !== undefined) expect(await world.properties.list()).toEqual(before);
      });
    });

    test('does not reach beyond the limit of the actor', async () => {
      const world = open();
      const account = await addAccount(world);
      const [one, two] = [await addOrganization(world, account), await addOrganization(world, account)];
      const property = expectOk(await world.properties.create(newProperty(two.id), now));
      const id = newId();
      const actor = userActor(account, { organizationId: one.id });
      expectOk(await world.tasks.enqueue({ id, actor, order: DELETION }, LIMITS, now));
      await world.tasks.claim(leaseOf('a'), now);
      const steps: readonly TaskStep[] = [
        { do: 'delete', id: property.id },
        create(two, 'New'),
        create(one, 'New'),
      ];
      const results = await world.tasks.finish(id, 'a', steps, now);
      expect(results?.map(({ problem }) => problem)).toEqual([
        'property-not-yours',
        'organization-not-yours',
        undefined,
      ]);
    });

    test('stops at the quota of the owner, within a batch too', async () => {
      const world = open({ organizations: 5, properties: 2 });
      const { account, id } = await leaseOne(world);
      const organization = await addOrganization(world, account);
      const steps = ['a', 'b', 'b', 'c'].map((name) => create(organization, name));
      const results = await world.tasks.finish(id, 'a', steps, now);
      expect(results?.map(({ problem }) => problem)).toEqual([
        undefined,
        undefined,
        'properties-limit',
        'properties-limit',
      ]);
      expect(await world.properties.list()).toHaveLength(2);
    });

    test('forgets tasks that ended before a moment, and no others', async () => {
      const world = open();
      const account = await addAccount(world);
      const ids = [
        await enqueue(world, account),
        await enqueue(world, account),
        await enqueue(world, account),
      ];
      for (const end of [now, later(now, 1)]) {
        const task = await world.tasks.claim(leaseOf('a'), now);
        await world.tasks.finish(task?.id ?? newId(), 'a', [], end);
      }
      expect(await world.tasks.purge(now)).toBe(0);
      expect(await world.tasks.purge(later(now, 1))).toBe(1);
      expect(await world.tasks.purge((now + 10 * MINUTE) as Instant)).toBe(1);
      const left = await Promise.all(ids.map((id) => world.tasks.byId(id, userActor(account))));
      expect(left.map((task) => task?.id)).toEqual([undefined, undefined, ids[2] as TaskId]);
    });
  });
}

type Scene = Awaited<ReturnType<typeof setScene>>;

/** The account's own organization with two properties, and a stranger's with one. */
async function setScene(world: World, account: Account) {
  const [mine, foreign] = [await addOrganization(world, account), await addOrganization(world)];
  const add = async (organization: typeof mine) =>
    expectOk(await world.properties.create(newProperty(organization.id), now));
  return {
    world,
    mine,
    foreign,
    ours: await add(mine),
    second: await add(mine),
    theirs: await add(foreign),
  };
}

function create({ id }: { readonly id: Scene['mine']['id'] }, name: string): TaskStep {
  return { do: 'create', property: newProperty(id, { name }) };
}
