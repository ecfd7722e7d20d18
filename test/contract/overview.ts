import { describe, expect, test } from 'bun:test';
import { type Instant, later } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import type { Organization } from '../../src/model/organization.ts';
import { DAYS_RETAINED } from '../../src/model/period.ts';
import type {
  OrganizationOrder,
  OverviewFilter,
  OverviewOrder,
  OverviewState,
  OverviewStore,
} from '../../src/model/ports/statistics.ts';
import type { Property, Sitekey } from '../../src/model/property.ts';
import { COUNTER, COUNTS_SIZE, type Hour, toHour } from '../../src/model/statistics.ts';
import type { TaskId, TaskResult } from '../../src/model/task.ts';
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

const thisHour = toHour(now);
const ALL = { offset: 0, limit: 100 } as const;

type Counted = { readonly issued?: number; readonly verified?: number };

async function count({ statistics }: World, { sitekey }: Property, hoursAgo: number, counted: Counted) {
  const counts = new Array<number>(COUNTS_SIZE).fill(0);
  counts[COUNTER.issued] = counted.issued ?? 0;
  counts[COUNTER.verified] = counted.verified ?? 0;
  await statistics.add([{ sitekey, hour: (thisHour - hoursAgo) as Hour, counts }]);
}

async function summarize({ statistics }: World, hour = thisHour): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) after = await statistics.summarize(hour, after);
}

/** Two organizations with three properties, of which the account can access all, and another account's property. */
async function addProperties(world: World) {
  const [account, other] = [await addAccount(world), await addAccount(world)];
  const [own, joined, foreign] = [
    await addOrganization(world, account),
    await addOrganization(world, other),
    await addOrganization(world, other),
  ];
  await world.organizations.addMember(joined.id, account.id, now);
  const add = async ({ id }: Organization, name: string, domain = 'example.com') =>
    expectOk(await world.properties.create(newProperty(id, { name, domain }), now));
  const properties = [await add(own, 'Charlie'), await add(joined, 'Alpha', 'shop.example.org')] as const;
  const bravo = await add(own, 'Bravo');
  await add(foreign, 'Alpha');
  return { account, other, own, joined, charlie: properties[0], alpha: properties[1], bravo };
}

async function namesOf(
  { properties }: OverviewStore,
  filter: OverviewFilter,
  order: OverviewOrder = 'name_asc',
): Promise<readonly string[]> {
  return (await properties(filter, { ...ALL, order })).map(({ name }) => name);
}

/** The names of the properties in a state, by creation. */
async function namesIn(
  { properties, inState }: OverviewStore,
  { state, ...filter }: OverviewFilter & { readonly state: OverviewState },
  limit = 10,
): Promise<readonly string[]> {
  const ids = await inState(filter, state, { order: 'date_desc', limit });
  expect(await inState(filter, state, { order: 'date_asc', limit: 10 })).toEqual(
    (await inState(filter, state, { order: 'date_desc', limit: 10 })).toReversed(),
  );
  return (await properties({ ...filter, ids, state }, { ...ALL, order: 'date_asc' })).map(({ name }) => name);
}

/** The contract of OverviewStore, and of the activity by which it sorts. */
export function describeOverviewStore(name: string, open: OpenWorld): void {
  describe(`overview store (${name})`, () => {
    test('lists the properties of all organizations of an account, in each order', async () => {
      const world = await open();
      const { account, charlie, alpha, bravo } = await addProperties(world);
      await count(world, alpha, -23, { issued: 5 });
      await count(world, bravo, 0, { issued: 7 });
      await count(world, charlie, 1, { issued: 9 });
      await summarize(world, (thisHour + 23) as Hour);
      const { overview } = world;
      const filter = { accountId: account.id };
      expect(await namesOf(overview, filter, 'name_asc')).toEqual(['Alpha', 'Bravo', 'Charlie']);
      expect(await namesOf(overview, filter, 'name_desc')).toEqual(['Charlie', 'Bravo', 'Alpha']);
      expect(await namesOf(overview, filter, 'date_asc')).toEqual(['Charlie', 'Alpha', 'Bravo']);
      expect(await namesOf(overview, filter, 'date_desc')).toEqual(['Bravo', 'Alpha', 'Charlie']);
      // The counts of Charlie are older than 24 hours.
      expect(await namesOf(overview, filter, 'use_desc')).toEqual(['Bravo', 'Alpha', 'Charlie']);
      expect(await namesOf(overview, filter, 'use_asc')).toEqual(['Charlie', 'Alpha', 'Bravo']);
      expect(await overview.properties(filter, { offset: 1, limit: 1, order: 'use_desc' })).toMatchObject([
        { name: 'Alpha' },
      ]);
    });

    test('reads whether an account has a key for verification, and a property that has verified a solution', async () => {
      const world = await open();
      const { account, other, joined, charlie } = await addProperties(world);
      const read = () => world.overview.progress(account.id, now);
      expect(await read()).toEqual({ hasKey: false, hasVerified: false });
      const add = async (key: ReturnType<typeof newKey>) =>
        expectOk(await world.apiKeys.create(key, KEYS_MAX, now));
      await add(newKey(account, { scope: 'portal' }));
      await add(newKey(account, { expiresAt: now }));
      await add(newKey(other));
      const { id } = await add(newKey(account));
      expect(await read()).toEqual({ hasKey: true, hasVerified: false });
      await world.apiKeys.revoke(id, now);
      expect(await read()).toEqual({ hasKey: false, hasVerified: false });
      await add(newKey(other, { isOrganizationOwned: true, organizationId: joined.id }));
      await count(world, charlie, 0, { issued: 1, verified: 1 });
      await summarize(world);
      expect(await read()).toEqual({ hasKey: true, hasVerified: true });
      const stranger = await addAccount(world);
      expect(await world.overview.progress(stranger.id, now)).toEqual({ hasKey: false, hasVerified: false });
    });

    test('lists a property as soon as it exists, and not after it or its organization was deleted', async () => {
      const world = await open();
      const { account, other, own, joined, alpha } = await addProperties(world);
      const { overview } = world;
      const filter = { accountId: account.id };
      expect(await namesOf(overview, filter, 'use_desc')).toEqual(['Bravo', 'Alpha', 'Charlie']);
      await deleteProperty(world, other, alpha);
      expect(await namesOf(overview, filter, 'use_desc')).toEqual(['Bravo', 'Charlie']);
      expect((await overview.counts()).properties).toBe(3);
      expectOk(await world.organizations.remove(own.id, now));
      expect(await namesOf(overview, filter, 'use_desc')).toEqual([]);
      expect(await namesOf(overview, { accountId: other.id }, 'date_asc')).toEqual(['Alpha']);
      expect(await namesOf(overview, { accountId: other.id, organizationId: joined.id })).toEqual([]);
    });

    test('lists only properties of the organization, in the state, and with the ids of the filter', async () => {
      const world = await open();
      const { account, own, charlie, alpha, bravo } = await addProperties(world);
      const { overview } = world;
      const accountId = account.id;
      expectOk(await world.properties.setEnabled(bravo.id, false, now));
      await count(world, alpha, 0, { verified: 1 });
      await count(world, charlie, -30, { verified: 1 });
      // Without a summary, it is not known whether there was a verification.
      expect(await namesIn(overview, { accountId, state: 'unverified' })).toEqual([]);
      await summarize(world, (thisHour + 30) as Hour);
      expect(await namesOf(overview, { accountId, organizationId: own.id })).toEqual(['Bravo', 'Charlie']);
      expect(await namesIn(overview, { accountId, state: 'disabled' })).toEqual(['Bravo']);
      expect(await namesIn(overview, { accountId, state: 'unverified' })).toEqual(['Bravo']);
      const ids = [alpha.id, charlie.id];
      expect(await namesOf(overview, { accountId, ids })).toEqual(['Alpha', 'Charlie']);
      expect(await namesOf(overview, { accountId, ids, organizationId: own.id })).toEqual(['Charlie']);
      expect(await namesOf(overview, { accountId, ids, state: 'disabled' })).toEqual([]);
      expect(await namesOf(overview, { accountId, ids: [] })).toEqual([]);
    });

    test('finds earlier verifications in the days when it first computes the activity', async () => {
      const world = await open();
      const { account, bravo } = await addProperties(world);
      await count(world, bravo, 0, { verified: 1 });
      while ((await world.statistics.rollUp((thisHour + 1) as Hour)) > 0);
      await summarize(world, (thisHour + 60) as Hour);
      const filter = { accountId: account.id, state: 'unverified' } as const;
      expect(await namesIn(world.overview, filter)).toEqual(['Charlie', 'Alpha']);
    });

    test.each([
      [DAYS_RETAINED, ['Charlie', 'Alpha']],
      [DAYS_RETAINED + 1, ['Bravo', 'Charlie', 'Alpha']],
    ])('searches only days that are retained: a verification %d days ago', async (days, unverified) => {
      const world = await open();
      const { account, bravo } = await addProperties(world);
      await count(world, bravo, 0, { verified: 1 });
      const later = (thisHour + 24 * days) as Hour;
      while ((await world.statistics.rollUp(later)) > 0);
      await summarize(world, later);
      const filter = { accountId: account.id, state: 'unverified' } as const;
      expect((await namesIn(world.overview, filter)).toSorted()).toEqual(unverified.toSorted());
    });

    test('finds spikes by the week before, and forgets them later', async () => {
      const world = await open();
      const { account, charlie, alpha, bravo } = await addProperties(world);
      for (const property of [charlie, alpha]) await count(world, property, 50, { issued: 400 });
      await count(world, charlie, 1, { issued: 1000 });
      // Twice as many as in the busiest hour of the week is not a spike, and a new property has none.
      await count(world, alpha, 0, { issued: 800 });
      await count(world, bravo, 0, { issued: 5000 });
      const filter = { accountId: account.id, state: 'spike' } as const;
      await summarize(world);
      expect(await namesIn(world.overview, filter)).toEqual(['Charlie']);
      await summarize(world, (thisHour + 1) as Hour);
      expect(await namesIn(world.overview, filter)).toEqual([]);
    });

    test('recomputes the activity as hours pass', async () => {
      const world = await open();
      const { account, charlie } = await addProperties(world);
      const accountId = account.id;
      await count(world, charlie, 0, { issued: 3 });
      await summarize(world);
      expect(await namesOf(world.overview, { accountId }, 'use_desc')).toEqual(['Charlie', 'Bravo', 'Alpha']);
      await summarize(world, (thisHour + 24) as Hour);
      expect(await namesOf(world.overview, { accountId }, 'use_desc')).toEqual(['Bravo', 'Alpha', 'Charlie']);
    });

    test('searches names, domains, and sitekeys, newest first, only in accessible organizations', async () => {
      const world = await open();
      const { account, own, alpha, bravo, charlie } = await addProperties(world);
      const { overview } = world;
      const filter = { accountId: account.id };
      const find = (
        text: string,
        limit = 100,
        organizationId = undefined as Organization['id'] | undefined,
      ) =>
        overview.findProperties(
          { ...filter, organizationId },
          { name: text, domain: text, sitekey: text },
          limit,
        );
      expect(await find('alph')).toEqual([alpha.id]);
      expect(await find('example.org')).toEqual([alpha.id]);
      expect(await find(charlie.sitekey.slice(20))).toEqual([charlie.id]);
      expect(await find('example')).toEqual([bravo.id, alpha.id, charlie.id]);
      expect(await find('example', 2)).toEqual([bravo.id, alpha.id]);
      expect(await find('example', 100, own.id)).toEqual([bravo.id, charlie.id]);
      expect(await find('nothing')).toEqual([]);
      expect(await find('\0')).toEqual([]);
    });

    test('finds properties by the start of the sitekey', async () => {
      const world = await open();
      const { account, own } = await addProperties(world);
      const keys = ['abcdef00', 'abcdef01', 'abcdee00'].map((start) => start.padEnd(32, '7') as Sitekey);
      for (const sitekey of keys)
        expectOk(await world.properties.create(newProperty(own.id, { sitekey }), now));
      const starting = async (prefix: string, limit = 10, { id } = account) =>
        (await world.overview.bySitekeyPrefix(id, prefix, limit)).map(({ sitekey }) => sitekey);
      expect(await starting('abcdef')).toEqual([keys[0], keys[1]] as Sitekey[]);
      expect(await starting('abcdef', 1)).toEqual([keys[0]] as Sitekey[]);
      expect(await starting(keys[2] as string)).toEqual([keys[2]] as Sitekey[]);
      expect(await starting('abcdef', 10, await addAccount(world))).toEqual([]);
    });

    test('lists organizations by name, with the role and the numbers of properties and members', async () => {
      const world = await open();
      const { account, own, joined } = await addProperties(world);
      expectOk(await world.organizations.rename(own.id, 'Zebra'));
      expectOk(await world.organizations.rename(joined.id, 'Älter'));
      const list = (text: string, slice = ALL as { offset: number; limit: number }) =>
        world.overview.organizations(account.id, text, slice);
      expect(await list('')).toMatchObject([
        { name: 'Zebra', role: 'owner', properties: 2, members: 1 },
        { name: 'Älter', role: 'member', properties: 1, members: 2 },
      ]);
      expect(await list('ält')).toMatchObject([{ name: 'Älter' }]);
      expect(await list('', { offset: 1, limit: 1 })).toMatchObject([{ name: 'Älter' }]);
      expect(await list('nothing')).toEqual([]);
    });

    test('lists organizations in each order, in pages', async () => {
      const world = await open();
      const { account, own, joined } = await addProperties(world);
      expectOk(await world.organizations.rename(own.id, 'Bravo'));
      expectOk(await world.organizations.rename(joined.id, 'Alpha'));
      const list = async (order: OrganizationOrder, slice = { offset: 0, limit: 9 }) =>
        (await world.overview.organizations(account.id, '', { order, ...slice })).map(({ name }) => name);
      expect(await list('name_asc')).toEqual(['Alpha', 'Bravo']);
      expect(await list('name_desc')).toEqual(['Bravo', 'Alpha']);
      expect(await list('properties_desc')).toEqual(['Bravo', 'Alpha']);
      expect(await list('properties_asc')).toEqual(['Alpha', 'Bravo']);
      expect(await list('members_desc')).toEqual(['Alpha', 'Bravo']);
      expect(await list('members_asc')).toEqual(['Bravo', 'Alpha']);
      expect(await list('members_asc', { offset: 1, limit: 1 })).toEqual(['Alpha']);
    });

    test('lists the recent tasks of API keys in which an item was rejected', async () => {
      const world = await open();
      const account = await addAccount(world);
      const key = expectOk(await world.apiKeys.create(newKey(account), KEYS_MAX, now));
      const rejected: TaskResult = { problem: 'property-gone' };
      const named: TaskResult = { name: '"problem":' };
      await finishTask(world, account, key.id, [named], now);
      await finishTask(world, account, undefined, [rejected], now);
      const old = await finishTask(world, account, key.id, [rejected], later(now, -1));
      const recent = await finishTask(world, account, key.id, [rejected, named], now);
      const list = async (since: Instant, limit = 10) =>
        (await world.overview.failedTasks(account.id, since, limit)).map(({ id }) => id);
      expect(await list(later(now, -2))).toEqual([recent, old]);
      expect(await list(later(now, -1))).toEqual([recent]);
      expect(await list(later(now, -2), 1)).toEqual([recent]);
      expect(await world.overview.failedTasks((await addAccount(world)).id, later(now, -2), 10)).toEqual([]);
    });

    test('reads the hours of properties, organizations, and the whole installation', async () => {
      const world = await open();
      const { own, joined, charlie, alpha, bravo } = await addProperties(world);
      const { statistics } = world;
      await count(world, charlie, 0, { issued: 1 });
      await count(world, bravo, 0, { issued: 2 });
      await count(world, bravo, 1, { issued: 4 });
      await count(world, alpha, 0, { issued: 8 });
      await statistics.add([{ sitekey: undefined, hour: thisHour, counts: [16] }]);
      const scopes = [
        { property: bravo.id },
        { organization: own.id },
        { organization: joined.id },
        'all',
        'none',
        { property: charlie.id },
      ] as const;
      const read = async (from: number) => {
        const found = await statistics.byHourOf(scopes, from as Hour, (thisHour + 1) as Hour);
        return found.map(({ hours }) => hours.map(({ at, counts }) => [thisHour - at, counts[0]]));
      };
      expect(await read(thisHour)).toEqual([[[0, 2]], [[0, 3]], [[0, 8]], [[0, 27]], [[0, 16]], [[0, 1]]]);
      expect((await read(thisHour - 1))[1]).toEqual([
        [1, 4],
        [0, 3],
      ]);
      // The counts of a deleted property remain in the sums.
      await deleteProperty(world, { id: own.ownerId }, bravo);
      expect((await read(thisHour))[1]).toEqual([[0, 3]]);
    });
  });
}

let tasks = 0;

/** Runs a task whose planned results are given. */
async function finishTask(
  { tasks: store }: World,
  account: Account,
  keyId: Parameters<typeof userActor>[1] extends { keyId?: infer Id } | undefined ? Id : never,
  results: readonly TaskResult[],
  at: Instant,
): Promise<TaskId> {
  const id = (++tasks).toString(16).padStart(32, 'e') as TaskId;
  const actor = userActor(account, keyId === undefined ? {} : { keyId });
  const order = { kind: 'delete-properties', items: [] } as const;
  expectOk(await store.enqueue({ id, actor, order }, { unfinished: 10, total: 100 }, at));
  const token = `token ${tasks}`;
  await store.claim({ token, until: later(at, 60_000) }, at);
  const steps = results.map((result) => ({
    do: 'reject' as const,
    result: result as TaskResult & { problem: NonNullable<TaskResult['problem']> },
  }));
  await store.finish(id, token, steps, at);
  return id;
}

async function deleteProperty(
  { tasks: store }: World,
  { id }: Pick<Account, 'id'>,
  property: Property,
): Promise<void> {
  const task = (++tasks).toString(16).padStart(32, 'd') as TaskId;
  const order = { kind: 'delete-properties', items: [property.id] } as const;
  const limits = { unfinished: 10, total: 100 };
  expectOk(await store.enqueue({ id: task, actor: userActor({ id }), order }, limits, now));
  await store.claim({ token: 'delete', until: later(now, 60_000) }, now);
  await store.finish(task, 'delete', [{ do: 'delete', id: property.id }], now);
}
