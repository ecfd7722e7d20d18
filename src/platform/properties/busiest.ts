import type { Clock } from '../../lib/time.ts';
import type { SystemActor } from '../../model/actor.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';
import type { PropertyStore } from '../../model/ports/property.ts';
import type { StatisticsStore } from '../../model/ports/statistics.ts';
import type { Property, PropertyId } from '../../model/property.ts';
import { type Hour, toHour } from '../../model/statistics.ts';
import { type Totals, toTotals } from './statistics.ts';

/** A property with its counts in some hours. */
export type BusyProperty = {
  readonly property: Property;
  readonly organizationName: string;
  readonly totals: Totals;
};

/** Maximum number of rows that one query returns. */
const PAGE_SIZE = 5000;

type Deps = {
  readonly statistics: Pick<StatisticsStore, 'inHour'>;
  readonly properties: Pick<PropertyStore, 'byId'>;
  readonly organizations: Pick<OrganizationStore, 'byId'>;
  readonly clock: Clock;
};

/**
 * Creates the use case that lists the properties with the most puzzles, most first, among those that still exist. It reads the statistics
 * of all properties, so it is for the command line only. The number of hours includes the current one; it and the limit are at least 1.
 */
export function createBusiest({ statistics, properties, organizations, clock }: Deps) {
  /** @returns the counts of each property that has any */
  async function sum(hours: number): Promise<ReadonlyMap<PropertyId, Totals>> {
    const sums = new Map<PropertyId, Totals>();
    const now = toHour(clock());
    for (let hour = now - hours + 1; hour <= now; hour++) {
      let after = 0;
      for (;;) {
        const rows = await statistics.inHour(hour as Hour, after, PAGE_SIZE);
        for (const { id, counts } of rows) sums.set(id, add(sums.get(id), toTotals(counts)));
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE_SIZE) break;
        after = last.id;
      }
    }
    return sums;
  }

  return async (_: SystemActor, hours: number, limit: number): Promise<readonly BusyProperty[]> => {
    const sums = await sum(hours);
    const sorted = [...sums].sort(([a, { issued }], [b, { issued: other }]) => other - issued || a - b);
    const names = new Map<OrganizationId, string | undefined>();
    const found: BusyProperty[] = [];
    for (const [id, totals] of sorted) {
      if (found.length === limit || totals.issued === 0) break;
      const property = await properties.byId(id);
      if (property === undefined) continue;
      const { organizationId } = property;
      if (!names.has(organizationId))
        names.set(organizationId, (await organizations.byId(organizationId))?.name);
      const organizationName = names.get(organizationId);
      if (organizationName !== undefined) found.push({ property, organizationName, totals });
    }
    return found;
  };
}

function add(sum: Totals | undefined, totals: Totals): Totals {
  if (sum === undefined) return totals;
  return {
    issued: sum.issued + totals.issued,
    verified: sum.verified + totals.verified,
    repeated: sum.repeated + totals.repeated,
    failed: sum.failed + totals.failed,
  };
}
