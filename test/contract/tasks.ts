import { describe, expect, test } from 'bun:test';
import { type Instant, later } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import { portalActor } from '../../src/model/actor.ts';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
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

/** An account with a task, which is leased with the token `a`. */
async function leaseOne(world: World, order = DELETION) {
  const account = await addAccount(world);
  const id = await enqueue(world, account, order);
  expect((await world.tasks.claim(leaseOf('a'), now))?.id).toBe(id);
  return { account, id };
}

/** The contract of TaskStore. */
export function describeTaskStore(name: string, open: OpenWorld, isClustered = false): void {
  describe(`task store (${name})`, () => {
    test('lists the tasks of an organization, by all of its users', async () => {
      const world = await open();
      const [owner, member, stranger] = [
        await addAccount(world),
        await addAccount(world),
        await addAccount(world),
      ];
      const [one, other] = [await addOrganization(world, owner), await addOrganization(world, owner)];
      await world.organizations.addMember(one.id, member.id, now);
      const inOne = expectOk(await world.properties.create(newProperty(one.id), now));
      const inOther = expectOk(await world.properties.create(newProperty(other.id), now));
      const create = (organizationId: OrganizationId) =>
        ({ kind: 'create-properties', organizationId, items: [] }) as const;
      const remove = (...items: readonly PropertyId[]) => ({ kind: 'delete-properties', items }) as const;
      const listed: TaskId[] = [];
      for (const [account, order, isListed] of [
        [owner, create(one.id), true],
        [owner, create(other.id), false],
        [member, remove(inOne.id), true],
        [member, { kind: 'update-properties', items: [{ id: inOne.id, change: {} }] }, true],
        // Properties of several organizations, of another organization, and properties that do not exist.
        [owner, remove(inOne.id, inOther.id), false],
        [owner, remove(inOther.id), false],
        [owner, remove(inOne.id, 999_999 as PropertyId), false],
        // A user without access.
        [stranger, remove(inOne.id), false],
        [stranger, create(one.id), false],
      ] as const) {
        const id = await enqueue(world, account, order);
        if (isListed) listed.unshift(id);
        const found = await world.tasks.byIdIn(id, one.id);
        expect([found?.id, found?.organizationId]).toEqual(isListed ? [id, one.id] : [undefined, undefined]);
      }
      const page = async (offset: number, limit: number) =>
        (await world.tasks.pageIn(one.id, { offset, limit })).map(({ id }) => id);
      expect(await page(0, 9)).toEqual(listed);
      expect(await page(1, 1)).toEqual(listed.slice(1, 2));
      expect(await page(3, 9)).toEqual([]);
    });

    test('stores a task, and returns it only to its account', async () => {
      const world = await open();
      const [account, other] = [await addAccount(world), await addAccount(world)];
      const id = await enqueue(world, account);
      const stored = { id, actor: userActor(account), order: DELETION, failures: 0, createdAt: now };
      expect(await world.tasks.byId(id, userActor(account))).toEqual({
        ...stored,
        organizationId: undefined,
        finishedAt: undefined,
        results: undefined,
      });
      expect(await world.tasks.byId(id, userActor(other))).toBeUndefined();
      expect(await world.tasks.byId(newId(), userActor(account))).toBeUndefined();
    });

    test('returns to a limited actor only tasks with the same limit', async () => {
      const world = await open();
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

    test('lists part of the tasks of an actor, newest first', async () => {
      const world = await open();
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

    test('counts the unfinished tasks of all accounts, and returns the time of the oldest one', async () => {
      const world = await open();
      const account = await addAccount(world);
      const add = async (at: Instant) =>
        world.tasks.enqueue({ id: newId(), actor: userActor(account), order: DELETION }, LIMITS, at);
      expect(await world.tasks.backlog()).toEqual({ unfinished: 0, oldestAt: undefined });
      const { id } = await leaseOne(world);
      await add(later(now, 5));
      expect(await world.tasks.backlog()).toEqual({ unfinished: 2, oldestAt: now });
      await world.tasks.finish(id, 'a', [], now);
      expect(await world.tasks.backlog()).toEqual({ unfinished: 1, oldestAt: later(now, 5) });
    });

    test('rejects more unfinished tasks of one account than the limit', async () => {
      const world = await open();
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

    test('replaces the oldest finished tasks of an account at the total limit', async () => {
      const world = await open();
      const [account, other] = [await addAccount(world), await addAccount(world)];
      const limits = { unfinished: 2, total: 3 };
      const add = async (of: Account) => {
        const id = newId();
        expectOk(await world.tasks.enqueue({ id, actor: userActor(of), order: DELETION }, limits, now));
        return id;
      };
      const finishNext = async () => {
        const task = await world.tasks.claim(leaseOf('a'), now);
        await world.tasks.finish(task?.id ?? newId(), 'a', [], now);
      };
      const foreign = await add(other);
      await finishNext();
      const ids: TaskId[] = [];
      for (let i = 0; i < 5; i++) {
        ids.push(await add(account));
        if (i < 4) await finishNext();
      }
      const stored = await Promise.all(ids.map((id) => world.tasks.byId(id, userActor(account))));
      expect(stored.map((task) => task !== undefined)).toEqual([false, false, true, true, true]);
      expect(await world.tasks.byId(foreign, userActor(other))).toMatchObject({ id: foreign });
    });

    test('changes nothing if the key was revoked in the meantime', async () => {
      const world = await open();
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

    test('changes nothing if the account was disabled in the meantime', async () => {
      const world = await open();
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

    test('records each created, changed, or deleted property in the audit log, and no rejected steps', async () => {
      const world = await open();
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
      const [created] = (await world.tasks.finish(id, 'a', steps, at)) ?? [];
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
        { ...common, action: 'property-deleted', object: `${two.name} (${two.sitekey})` },
        {
          ...common,
          action: 'property-updated',
          object: `Renamed (${one.sitekey}): name "${one.name}" -> "Renamed"`,
        },
        { ...common, action: 'property-created', object: `New (${created?.sitekey})` },
      ]);
    });

    test('leases the tasks of one account one after another, and tasks of several accounts in parallel', async () => {
      const world = await open();
      const [one, two] = [await addAccount(world), await addAccount(world)];
      const ids = [await enqueue(world, one), await enqueue(world, one), await enqueue(world, two)];
      expect((await world.tasks.claim(leaseOf('a'), now))?.id).toBe(ids[0]);
      expect((await world.tasks.claim(leaseOf('b'), now))?.id).toBe(ids[2]);
      expect(await world.tasks.claim(leaseOf('c'), now)).toBeUndefined();
      expect(await world.tasks.finish(ids[0] as TaskId, 'a', [], now)).toEqual([]);
      expect((await world.tasks.claim(leaseOf('c'), now))?.id).toBe(ids[1]);
    });

    test('leases a task again after its lease has expired, and then ignores the first holder', async () => {
      const world = await open();
      const { id } = await leaseOne(world);
      const almost = later(now, MINUTE - 1);
      expect(await world.tasks.claim(leaseOf('b', almost), almost)).toBeUndefined();
      const expired = later(now, MINUTE);
      expect((await world.tasks.claim(leaseOf('b', expired), expired))?.id).toBe(id);
      expect(await world.tasks.renew(id, leaseOf('a', expired))).toBe(false);
      expect(await world.tasks.finish(id, 'a', [], expired)).toBeUndefined();
      expect(await world.tasks.finish(id, 'b', [], expired)).toEqual([]);
      expect(await world.tasks.finish(id, 'b', [], expired)).toBeUndefined();
    });

    test('renews a lease', async () => {
      const world = await open();
      const { id } = await leaseOne(world);
      expect(await world.tasks.renew(id, leaseOf('a', later(now, MINUTE - 1)))).toBe(true);
      expect(await world.tasks.claim(leaseOf('b'), later(now, MINUTE))).toBeUndefined();
    });

    test('postpones a task whose planning failed, and counts the failure', async () => {
      const world = await open();
      const { id } = await leaseOne(world);
      const retryAt = later(now, 5000);
      await world.tasks.postpone(id, 'another token', retryAt);
      await world.tasks.postpone(id, 'a', retryAt);
      expect(await world.tasks.claim(leaseOf('b'), later(now, 4999))).toBeUndefined();
      expect(await world.tasks.claim(leaseOf('b'), retryAt)).toMatchObject({ id, failures: 1 });
    });

    test('treats a lease that ends too late as expired, because the clock was set back', async () => {
      const world = await open();
      const { id } = await leaseOne(world);
      const slightlyEarlier = later(now, -MINUTE);
      expect(await world.tasks.claim(leaseOf('b', slightlyEarlier), slightlyEarlier)).toBeUndefined();
      const earlier = later(now, -MINUTE - 1);
      expect((await world.tasks.claim(leaseOf('b', earlier), earlier))?.id).toBe(id);
    });

    test('returns the results of finished tasks only', async () => {
      const world = await open();
      const { id } = await leaseOne(world);
      const other = await leaseOne(world);
      const unknown = 'f'.repeat(32) as TaskId;
      expect(await world.tasks.resultsOf([])).toEqual(new Map());
      expect(await world.tasks.resultsOf([id, other.id, unknown])).toEqual(new Map());
      const rejected = { problem: 'domain-unresolved', name: 'x' } as const;
      await world.tasks.finish(id, 'a', [{ do: 'reject', result: rejected }], now);
      expect(await world.tasks.resultsOf([other.id, id, unknown])).toEqual(new Map([[id, [rejected]]]));
    });

    test('ends the leases of stopped servers when a server starts', async () => {
      const world = await open();
      const { id } = await leaseOne(world);
      await world.tasks.releaseAbandoned();
      const next = await world.tasks.claim(leaseOf('b'), now);
      const results = await world.tasks.finish(id, 'a', [], now);
      // Servers that may still be running keep their leases.
      if (isClustered) expect([next, results]).toEqual([undefined, []]);
      else expect([next?.id, results]).toEqual([id, undefined]);
    });

    test('runs all steps and stores the results in their order', async () => {
      const world = await open();
      const { account, id } = await leaseOne(world);
      const organization = await addOrganization(world, account);
      const old = expectOk(await world.properties.create(newProperty(organization.id), now));
      const gone = expectOk(await world.properties.create(newProperty(organization.id), now));
      const fresh = newProperty(organization.id);
      const change = { name: 'Renamed', level: 7, allowsLocalhost: true };
      const rejected = { problem: 'domain-unresolved', name: 'x' } as const;
      const steps: readonly TaskStep[] = [
        { do: 'create', property: fresh },
        { do: 'reject', result: rejected },
        { do: 'update', id: old.id, change },
        { do: 'delete', id: gone.id },
      ];
      const results = await world.tasks.finish(id, 'a', steps, now);
      const created = await world.properties.bySitekey(fresh.sitekey);
      expect(results).toEqual([
        { propertyId: created?.id as PropertyId, name: fresh.name, sitekey: fresh.sitekey },
        rejected,
        { propertyId: old.id, name: 'Renamed', sitekey: old.sitekey },
        { propertyId: gone.id, name: gone.name, sitekey: gone.sitekey },
      ]);
      expect(await world.properties.byId(old.id)).toEqual({ ...old, ...change });
      expect(await world.properties.byId(gone.id)).toBeUndefined();
      expect(await world.tasks.byId(id, userActor(account))).toMatchObject({ results, finishedAt: now });
    });

    test('changes nothing if a step fails unexpectedly', async () => {
      const world = await open();
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

    test('applies all steps of an import, or none of them and records nothing', async () => {
      const world = await open();
      const account = await addAccount(world);
      const organization = await addOrganization(world, account);
      const old = expectOk(await world.properties.create(newProperty(organization.id), now));
      const order: TaskOrder = { kind: 'import-properties', organizationId: organization.id, items: [] };
      const run = async (steps: readonly TaskStep[]) => {
        const id = await enqueue(world, account, order);
        await world.tasks.claim(leaseOf('a'), now);
        const results = await world.tasks.finish(id, 'a', steps, now);
        expect(await world.tasks.byId(id, userActor(account))).toMatchObject({ results, finishedAt: now });
        return results;
      };
      const update: TaskStep = { do: 'update', id: old.id, change: { level: 9 } };
      const rejected = await run([create(organization, 'New'), update, create(organization, old.name)]);
      expect(rejected).toEqual([
        { name: 'New', problem: 'import-not-applied' },
        { propertyId: old.id, problem: 'import-not-applied' },
        { name: old.name, problem: 'property-name-taken' },
      ]);
      expect(await world.properties.list()).toEqual([old]);
      expect(await world.audit.page({}, undefined, 10)).toEqual([]);
      const applied = await run([create(organization, 'New'), update]);
      expect(applied?.map(({ problem, name }) => [problem, name])).toEqual([
        [undefined, 'New'],
        [undefined, old.name],
      ]);
      expect(await world.properties.byId(old.id)).toEqual({ ...old, level: 9 });
      const actions = (await world.audit.page({}, undefined, 10)).map(({ action }) => action);
      expect(actions).toEqual(['property-updated', 'property-created']);
    });

    test('rehearses steps with the results of the real ones, and changes nothing', async () => {
      const world = await open({ organizations: 5, properties: 2 });
      const account = await addAccount(world);
      const organization = await addOrganization(world, account);
      const foreign = await addOrganization(world);
      const old = expectOk(await world.properties.create(newProperty(organization.id), now));
      const steps: readonly TaskStep[] = [
        { do: 'update', id: old.id, change: { name: 'Renamed' } },
        create(organization, old.name),
        create(organization, 'Above the quota'),
        create(foreign, 'New'),
      ];
      const problems = ['none', 'none', 'properties-limit', 'organization-not-yours'];
      for (let round = 0; round < 2; round++) {
        const results = await world.tasks.rehearse(userActor(account), steps, now);
        expect(results.map(({ problem = 'none' }) => problem as string)).toEqual(problems);
        expect(await world.properties.list()).toEqual([old]);
        expect(await world.audit.page({}, undefined, 10)).toEqual([]);
      }
      expect(await world.tasks.rehearse(userActor(account), [], now)).toEqual([]);
    });

    describe('checks each step when it runs', () => {
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
          'an organization of another user',
          async ({ foreign }) => create(foreign, 'New'),
          'organization-not-yours',
        ],
        [
          'a deleted organization',
          async ({ world, mine }) => {
            await world.organizations.remove(mine.id, now);
            return create(mine, 'New');
          },
          'organization-unknown',
        ],
        [
          'an update of a property of another user',
          async ({ theirs }) => ({ do: 'update', id: theirs.id, change: { level: 2 } }),
          'property-not-yours',
        ],
        [
          'a deletion of a property of another user',
          async ({ theirs }) => ({ do: 'delete', id: theirs.id }),
          'property-not-yours',
        ],
        [
          'an update of an unknown property',
          async () => ({ do: 'update', id: 999 as PropertyId, change: {} }),
          'property-gone',
        ],
        [
          'a deletion of an unknown property',
          async () => ({ do: 'delete', id: 999 as PropertyId }),
          'property-gone',
        ],
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
        [
          'an update without changes',
          async ({ ours }) => ({ do: 'update', id: ours.id, change: {} }),
          undefined,
        ],
      ];

      test.each(cases)('%s', async (_title, stepOf, problem) => {
        const world = await open();
        const { account, id } = await leaseOne(world);
        const scene = await setScene(world, account);
        const step = await stepOf(scene);
        const before = await world.properties.list();
        const [result] = (await world.tasks.finish(id, 'a', [step], now)) ?? [];
        expect(result?.problem).toBe(problem as never);
        if (problem !== undefined) expect(await world.properties.list()).toEqual(before);
      });
    });

    test('stays within the limits of the actor', async () => {
      const world = await open();
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

    test('stops at the quota of the owner, even within a batch', async () => {
      const world = await open({ organizations: 5, properties: 2 });
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

    test('runs each step on the result of the steps before it', async () => {
      const world = await open();
      const { account, id } = await leaseOne(world);
      const organization = await addOrganization(world, account);
      const add = async (name: string) =>
        expectOk(await world.properties.create(newProperty(organization.id, { name }), now)).id;
      const [a, b, c] = [await add('A'), await add('B'), await add('C')];
      const rename = (property: PropertyId, name: string): TaskStep => ({
        do: 'update',
        id: property,
        change: { name },
      });
      const steps: readonly TaskStep[] = [
        rename(a, 'b'),
        rename(a, 'D'),
        rename(b, 'A'),
        rename(a, 'B'),
        create(organization, 'c'),
        { do: 'delete', id: c },
        create(organization, 'c'),
        create(organization, 'C'),
        rename(c, 'E'),
        create(organization, 'D'),
      ];
      const results = (await world.tasks.finish(id, 'a', steps, now)) ?? [];
      const [taken, gone] = ['property-name-taken', 'property-gone'] as const;
      expect(results.map(({ problem }) => problem ?? 'done')).toEqual([
        taken,
        'done',
        'done',
        'done',
        taken,
        'done',
        'done',
        taken,
        gone,
        'done',
      ]);
      const stored = await world.properties.list();
      expect(stored.map((property) => [property.id, property.name])).toEqual([
        [a, 'B'],
        [b, 'A'],
        [results[6]?.propertyId as PropertyId, 'c'],
        [results[9]?.propertyId as PropertyId, 'D'],
      ]);
    });

    test('leases only the oldest task of each account to parallel callers', async () => {
      const world = await open();
      const accounts = [];
      for (const _ of [1, 2, 3, 4]) accounts.push(await addAccount(world));
      const first: TaskId[] = [];
      for (const account of accounts) {
        first.push(await enqueue(world, account));
        await enqueue(world, account);
      }
      const claims = Array.from({ length: 12 }, (_, i) => world.tasks.claim(leaseOf(`token ${i}`), now));
      const claimed = (await Promise.all(claims)).flatMap((task) => (task === undefined ? [] : [task.id]));
      // A caller may get nothing while others lease tasks.
      for (let task = await world.tasks.claim(leaseOf('z'), now); task; ) {
        claimed.push(task.id);
        task = await world.tasks.claim(leaseOf('z'), now);
      }
      expect(claimed.toSorted()).toEqual(first.toSorted());
    });

    test('purges only old finished tasks', async () => {
      const world = await open();
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

/** An organization of the account with two properties, and an organization of another user with one. */
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
