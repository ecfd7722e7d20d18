import { expect, test } from 'bun:test';
import { HOUR, type Instant } from '../../../src/lib/time.ts';
import { COMMAND_LINE } from '../../../src/model/actor.ts';
import type { OwnedOrganization } from '../../../src/model/organization.ts';
import type { PropertyCounts } from '../../../src/model/ports/statistics.ts';
import type { Property, PropertyId } from '../../../src/model/property.ts';
import { createBusiest } from '../../../src/platform/properties/busiest.ts';

const NOW = 1000;

/** @param byHour the puzzles by hour and property id @param deleted ids of deleted properties */
function busiestOf(
  byHour: ReadonlyMap<number, ReadonlyMap<number, number>>,
  deleted: readonly number[] = [],
) {
  const reads: number[] = [];
  const busiest = createBusiest({
    statistics: {
      async inHour(hour, after, limit) {
        reads.push(hour);
        const rows = [...(byHour.get(hour) ?? [])].map(([id, count]) => ({ id, counts: [count] }));
        const sorted = rows.filter(({ id }) => id > after).sort((a, b) => a.id - b.id);
        return sorted.slice(0, limit) as unknown as readonly PropertyCounts[];
      },
    },
    properties: {
      byId: async (id: PropertyId) =>
        deleted.includes(id) ? undefined : ({ id, organizationId: 1 } as unknown as Property),
    },
    organizations: { byId: async () => ({ name: 'Ann' }) as OwnedOrganization },
    clock: () => (NOW * HOUR + 5) as Instant,
  });
  const list = async (hours: number, limit: number) =>
    (await busiest(COMMAND_LINE, hours, limit)).map(({ property, totals }) => [
      property.id as number,
      totals.issued,
    ]);
  return { list, reads };
}

test('an hour with more properties than one query returns is read completely', async () => {
  const many = new Map(Array.from({ length: 12_000 }, (_, i) => [i + 1, i + 1] as const));
  const { list, reads } = busiestOf(new Map([[NOW, many]]));
  expect(await list(1, 2)).toEqual([
    [12_000, 12_000],
    [11_999, 11_999],
  ]);
  expect(reads).toEqual([NOW, NOW, NOW]);
});

test('counts are added over the hours, deleted properties are skipped, and equal ones are ordered by id', async () => {
  const hours = new Map([
    [
      NOW,
      new Map([
        [1, 5],
        [2, 7],
        [3, 0],
        [4, 50],
      ]),
    ],
    [
      NOW - 1,
      new Map([
        [1, 5],
        [5, 10],
      ]),
    ],
    [NOW - 2, new Map([[2, 100]])],
    [NOW + 1, new Map([[2, 100]])],
  ]);
  const { list, reads } = busiestOf(hours, [4]);
  expect(await list(2, 10)).toEqual([
    [1, 10],
    [5, 10],
    [2, 7],
  ]);
  expect(reads).toEqual([NOW - 1, NOW]);
  expect(await list(2, 1)).toEqual([[1, 10]]);
});
