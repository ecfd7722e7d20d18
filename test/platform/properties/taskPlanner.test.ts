import { describe, expect, test } from 'bun:test';
import { reject } from '../../../src/lib/outcome.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import type { Property, PropertyId } from '../../../src/model/property.ts';
import type { Access } from '../../../src/platform/organizations/access.ts';
import { createPlanTask } from '../../../src/platform/properties/taskPlanner.ts';
import { userActor } from '../../support/actors.ts';

const actor = userActor({ id: 1 as AccountId });
const access: Access = {
  use: async () => reject('organization-not-yours'),
  own: async () => reject('organization-not-owned'),
};
describe('lookups', () => {
  // Whoever had an id could learn from 1209 or 1214 whether a guess of the domain was right.
  test('are not made for a property that the actor may not change', async () => {
    const asked: string[] = [];
    const planTask = createPlanTask({
      beginLookups: () => async (domain) => {
        asked.push(domain);
        return 'missing';
      },
      properties: {
        byId: async (id) =>
          ({
            id,
            organizationId: 7 as OrganizationId,
            domain: 'example.com',
          }) as Partial<Property> as Property,
      },
      access,
      random: (bytes) => bytes,
    });
    const item = { id: 1 as PropertyId, change: { domain: 'nowhere.example' } };
    const steps = await planTask({ order: { kind: 'update-properties', items: [item] }, actor });
    expect(asked).toEqual([]);
    expect(steps).toEqual([{ do: 'update', ...item }]);
  });
});
