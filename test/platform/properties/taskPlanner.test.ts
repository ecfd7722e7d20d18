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
  requireMember: async () => reject('organization-not-yours'),
  requireOwner: async () => reject('organization-not-owned'),
};
describe('lookups', () => {
  // Otherwise, codes 1209 and 1214 would reveal whether a guess of the stored domain is right.
  test('are not made for a property that the actor cannot change', async () => {
    const lookedUp: string[] = [];
    const planTask = createPlanTask({
      beginLookups: () => async (domain) => {
        lookedUp.push(domain);
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
    expect(lookedUp).toEqual([]);
    expect(steps).toEqual([{ do: 'update', ...item }]);
  });
});
