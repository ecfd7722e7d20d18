import { describe, expect, test } from 'bun:test';
import { HOUR, type Instant } from '../../src/lib/time.ts';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { Organization } from '../../src/model/organization.ts';
import type { Scope } from '../../src/model/ports/statistics.ts';
import type { Property, PropertyId, Sitekey } from '../../src/model/property.ts';
import {
  type Bucket,
  COUNTS_SIZE,
  type Day,
  firstHourOf,
  type Hour,
  toDay,
  toHour,
  type UsageRecord,
} from '../../src/model/statistics.ts';
import { expectOk } from '../support/server.ts';
import { addOrganization, newProperty, now, type OpenWorld, type World } from './world.ts';

const today = toDay(now);
const noon = (firstHourOf(today) + 12) as Hour;
const UNKNOWN_SITEKEY = 'f'.repeat(32) as Sitekey;

/** Counts that are zero except at these positions. */
function counts(some: Readonly<Record<number, number>>): number[] {
  const all = new Array<number>(COUNTS_SIZE).fill(0);
  for (const [position, count] of Object.entries(some)) all[Number(position)] = count;
  return all;
}

function record(
  sitekey: Sitekey | undefined,
  hour: number,
  some: Readonly<Record<number, number>>,
): UsageRecord {
  return { sitekey, hour: hour as Hour, counts: counts(some) };
}

/** The positions that are not zero. */
function shown(buckets: readonly Bucket<Hour | Day>[]) {
  return buckets
    .map(({ at, counts }) => {
      const some = Array.from(counts).flatMap((count, position) => (count === 0 ? [] : [[position, count]]));
      return [at as number, Object.fromEntries(some)] as const;
    })
    .toSorted(([a], [b]) => a - b);
}

async function addProperty(world: World, to?: Organization): Promise<Property> {
  const { id } = to ?? (await addOrganization(world));
  return expectOk(await world.properties.create(newProperty(id), now));
}

/** All stored counts. */
async function storedOf({ statistics }: World, of: PropertyId | Scope, around: Day = today) {
  const scope = typeof of === 'number' ? { property: of } : of;
  const [from, until] = [(around - 400) as Day, (around + 3) as Day];
  return {
    hours: shown(await statistics.byHour(scope, firstHourOf(from), firstHourOf(until))),
    days: shown(await statistics.byDay(scope, from, until)),
  };
}

async function rollUp({ statistics }: World, before: Hour): Promise<number> {
  let all = 0;
  for (let some = -1; some !== 0; all += some) some = await statistics.rollUp(before);
  return all;
}

/** The contract of StatisticsStore. */
export function describeStatisticsStore(name: string, open: OpenWorld): void {
  describe(`statistics store (${name})`, () => {
    test('keeps the counts of API keys apart from those of properties, also after a roll-up', async () => {
      const world = await open();
      const { sitekey, id } = await addProperty(world);
      const [key, other] = [7 as ApiKeyId, 8 as ApiKeyId];
      const of = (one: ApiKeyId, some: Readonly<Record<number, number>>) => ({
        ...record(undefined, noon, some),
        key: one,
      });
      await world.statistics.add([
        of(key, { 0: 5, 1: 2 }),
        record(sitekey, noon, { 0: 3 }),
        of(other, { 2: 1 }),
      ]);
      await world.statistics.add([of(key, { 0: 1 })]);
      expect((await storedOf(world, { key })).hours).toEqual([[noon, { 0: 6, 1: 2 }]]);
      expect((await storedOf(world, { key: other })).hours).toEqual([[noon, { 2: 1 }]]);
      expect((await storedOf(world, id)).hours).toEqual([[noon, { 0: 3 }]]);
      expect((await storedOf(world, 'all')).hours).toEqual([[noon, { 0: 3 }]]);
      expect((await storedOf(world, 'none')).hours).toEqual([]);
      const [found] = await world.statistics.byHourOf([{ key }], noon, (noon + 1) as Hour);
      expect(shown(found?.hours ?? [])).toEqual([[noon, { 0: 6, 1: 2 }]]);
      await rollUp(world, (noon + 1) as Hour);
      expect(await storedOf(world, { key })).toEqual({ hours: [], days: [[today, { 0: 6, 1: 2 }]] });
    });

    test('adds counts by hour and property', async () => {
      const world = await open();
      const [one, other] = [await addProperty(world), await addProperty(world)];
      const last = COUNTS_SIZE - 1;
      await world.statistics.add([
        record(one.sitekey, noon, { 0: 5, 3: 1 }),
        record(other.sitekey, noon, { 0: 7 }),
        record(one.sitekey, noon + 1, { [last]: 1 }),
      ]);
      await world.statistics.add([record(one.sitekey, noon, { 0: 2, 4: 2 ** 40 })]);
      expect((await storedOf(world, one.id)).hours).toEqual([
        [noon, { 0: 7, 3: 1, 4: 2 ** 40 }],
        [noon + 1, { [last]: 1 }],
      ]);
      expect((await storedOf(world, other.id)).hours).toEqual([[noon, { 0: 7 }]]);
    });

    test('adds two records of the same property and hour in one call', async () => {
      const world = await open();
      const { id, sitekey } = await addProperty(world);
      await world.statistics.add([record(sitekey, noon, { 0: 1 }), record(sitekey, noon, { 0: 2 })]);
      expect((await storedOf(world, id)).hours).toEqual([[noon, { 0: 3 }]]);
    });

    test('finds a property by its sitekey even if the id is another one, and accepts records without trailing zeros', async () => {
      const world = await open();
      const { id, sitekey } = await addProperty(world);
      const other = await addProperty(world);
      const common = { sitekey, hour: noon } as const;
      await world.statistics.add([
        { ...common, counts: [1] },
        { ...common, id, counts: [0, 0, 5] },
        { ...common, id: other.id, counts: [2] },
      ]);
      expect((await storedOf(world, id)).hours).toEqual([[noon, { 0: 3, 2: 5 }]]);
      expect((await storedOf(world, other.id)).hours).toEqual([]);
    });

    test('lists only the hours and days from the start to before the end', async () => {
      const { statistics, ...world } = await open();
      const { id, sitekey } = await addProperty({ statistics, ...world });
      const scope = { property: id };
      await statistics.add([-24, -1, 0, 1, 24].map((hours) => record(sitekey, noon + hours, { 0: 1 })));
      const hours = await statistics.byHour(scope, (noon - 1) as Hour, (noon + 1) as Hour);
      expect(shown(hours).map(([at]) => at)).toEqual([noon - 1, noon]);
      expect(await statistics.byHour(scope, noon, noon)).toEqual([]);
      const days = await statistics.byDay(scope, today, (today + 1) as Day);
      expect(shown(days)).toEqual([[today, { 0: 3 }]]);
    });

    test('lists the properties of an hour by id, in parts, without the sums of organizations and of the installation', async () => {
      const world = await open();
      const properties = [await addProperty(world), await addProperty(world), await addProperty(world)];
      await world.statistics.add([
        ...properties.map(({ sitekey }, i) => record(sitekey, noon, { 0: i + 1, 4: 2 })),
        record(properties[0]?.sitekey, noon + 1, { 0: 9 }),
        record(UNKNOWN_SITEKEY, noon, { 0: 5 }),
      ]);
      const list = async (hour: number, after: number, limit: number) => {
        const rows = await world.statistics.inHour(hour as Hour, after, limit);
        return rows.map(({ id, counts }) => [id, counts[0], counts[4]] as const);
      };
      const [a, b, c] = properties.map(({ id }) => id);
      expect(await list(noon, 0, 2)).toEqual([
        [a as PropertyId, 1, 2],
        [b as PropertyId, 2, 2],
      ]);
      expect(await list(noon, b as number, 2)).toEqual([[c as PropertyId, 3, 2]]);
      expect(await list(noon, c as number, 2)).toEqual([]);
      expect(await list(noon + 1, 0, 5)).toEqual([[a as PropertyId, 9, 0]]);
      expect(await list(noon + 2, 0, 5)).toEqual([]);
    });

    test('adds the counts of unknown and deleted properties to those without a property', async () => {
      const world = await open();
      const [organization, gone] = [await addOrganization(world), await addOrganization(world)];
      const [live, orphan] = [await addProperty(world, organization), await addProperty(world, gone)];
      expectOk(await world.organizations.remove(gone.id, now));
      await world.statistics.add([
        record(undefined, noon, { 8: 1 }),
        record(UNKNOWN_SITEKEY, noon, { 8: 2 }),
        record(orphan.sitekey, noon, { 8: 4 }),
        record(live.sitekey, noon, { 8: 8 }),
      ]);
      expect((await storedOf(world, 'none')).hours).toEqual([[noon, { 8: 7 }]]);
      expect((await storedOf(world, orphan.id)).hours).toEqual([]);
      expect((await storedOf(world, live.id)).hours).toEqual([[noon, { 8: 8 }]]);
    });

    test('sums up organizations and the installation, by hour and by day', async () => {
      const world = await open();
      const [own, other] = [await addOrganization(world), await addOrganization(world)];
      const [a, b] = [await addProperty(world, own), await addProperty(world, own)];
      const c = await addProperty(world, other);
      await world.statistics.add([
        record(a.sitekey, noon, { 0: 1 }),
        record(b.sitekey, noon, { 0: 2, 1: 1 }),
        record(c.sitekey, noon, { 0: 4 }),
        record(undefined, noon, { 0: 8, 8: 1 }),
        record(a.sitekey, noon - 24, { 0: 16 }),
        record(undefined, noon + 1, { 8: 2 }),
      ]);
      const expectSums = async () => {
        expect((await storedOf(world, { organization: own.id })).days).toEqual([
          [today - 1, { 0: 16 }],
          [today, { 0: 3, 1: 1 }],
        ]);
        expect((await storedOf(world, { organization: other.id })).days).toEqual([[today, { 0: 4 }]]);
        expect((await storedOf(world, 'all')).days).toEqual([
          [today - 1, { 0: 16 }],
          [today, { 0: 15, 1: 1, 8: 3 }],
        ]);
      };
      await expectSums();
      expect((await storedOf(world, 'all')).hours).toEqual([
        [noon - 24, { 0: 16 }],
        [noon, { 0: 15, 1: 1, 8: 1 }],
        [noon + 1, { 8: 2 }],
      ]);
      await rollUp(world, (noon + 1) as Hour);
      await expectSums();
    });

    test('rolls up old hours into days without losing or duplicating counts', async () => {
      const world = await open();
      const properties = await Promise.all(Array.from({ length: 12 }, () => addProperty(world)));
      const hours = Array.from({ length: 48 }, (_, hour) => firstHourOf(today) + hour);
      for (const { sitekey } of properties) {
        await world.statistics.add(hours.map((hour) => record(sitekey, hour, { 0: 1, 1: hour })));
      }
      await world.statistics.add([record(undefined, noon, { 8: 3 })]);
      const before = await Promise.all(properties.map(({ id }) => storedOf(world, id)));
      // From noon of the first day to noon of the second.
      for (const until of [noon, (noon + 24) as Hour]) {
        // Each property and its organization, and the sum of all properties.
        expect(await rollUp(world, until)).toBe(until === noon ? 12 * 25 : 24 * 25 + 1);
        const after = await Promise.all(properties.map(({ id }) => storedOf(world, id)));
        expect(after.map(({ days }) => days)).toEqual(before.map(({ days }) => days));
        for (const { hours } of after) expect(hours.map(([at]) => at).every((at) => at >= until)).toBe(true);
      }
      expect(await storedOf(world, 'none')).toEqual({ hours: [], days: [[today, { 8: 3 }]] });
    });

    test('adds late counts to days that were rolled up before', async () => {
      const world = await open();
      const { id, sitekey } = await addProperty(world);
      for (let round = 0; round < 2; round++) {
        await world.statistics.add([record(sitekey, noon, { 0: 1 })]);
        await rollUp(world, (noon + 100) as Hour);
      }
      expect(await storedOf(world, id)).toEqual({ hours: [], days: [[today, { 0: 2 }]] });
    });

    test('purges old days', async () => {
      const { statistics, ...rest } = await open();
      const world = { statistics, ...rest };
      const { id, sitekey } = await addProperty(world);
      await statistics.add([-24, 0].map((hours) => record(sitekey, noon + hours, { 0: 1 })));
      await rollUp(world, (noon + 100) as Hour);
      expect(await statistics.purge((today - 1) as Day)).toBe(0);
      // The property, its organization, and the sum of all properties.
      expect(await statistics.purge(today)).toBe(3);
      expect(await statistics.purge(today)).toBe(0);
      expect((await storedOf(world, id)).days).toEqual([[today, { 0: 1 }]]);
    });

    test('purges the counts of purged properties only', async () => {
      const world = await open();
      const [staying, leaving] = [await addOrganization(world), await addOrganization(world)];
      const [live, orphan] = [await addProperty(world, staying), await addProperty(world, leaving)];
      for (const { sitekey } of [live, orphan]) {
        await world.statistics.add([0, 24, 48].map((hours) => record(sitekey, noon + hours, { 0: 1 })));
      }
      await rollUp(world, (noon + 25) as Hour);
      expectOk(await world.organizations.remove(leaving.id, now));
      const monthLater = (now + 31 * 24 * HOUR) as Instant;
      while ((await world.properties.purge(monthLater)) > 0);
      // The remaining hour is not rolled up: the day would be invisible and never be deleted.
      await rollUp(world, toHour(monthLater));
      expect(await storedOf(world, orphan.id)).toEqual({ hours: [], days: [] });
      expect((await storedOf(world, live.id)).days).toHaveLength(3);
    });
  });
}
