import { describe, expect, test } from 'bun:test';
import { refuse } from '../../src/lib/outcome.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import { DEFAULT_SETTINGS, type Property, type PropertyId } from '../../src/model/property.ts';
import type { TaskOrder } from '../../src/model/task.ts';
import type { Access } from '../../src/platform/access.ts';
import { createPlanTask } from '../../src/platform/batches.ts';
import type { Resolution } from '../../src/platform/resolve.ts';

const caller = { accountId: 1 as AccountId, organizationId: undefined };
const access: Access = {
  use: async () => refuse('organization-not-yours'),
  own: async () => refuse('organization-not-owned'),
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** So many properties, each of a domain of its own. */
function creation(user: number, items: number): TaskOrder {
  return {
    kind: 'create-properties',
    organizationId: user as OrganizationId,
    items: Array.from({ length: items }, (_, i) => ({
      ...DEFAULT_SETTINGS,
      name: `Site ${i}`,
      domain: `d${i}.u${user}.example.com`,
    })),
  };
}

describe('look-ups', () => {
  test('are 256 at once in all; one that ends makes room for the task that has none', async () => {
    const waiting = new Map<string, (resolution: Resolution) => void>();
    const planTask = createPlanTask({
      resolve: (domain) => new Promise((resolve) => waiting.set(domain, resolve)),
      properties: { byId: async () => undefined },
      access,
      random: (bytes) => bytes,
    });
    // Each would ask for sixteen at a time: twenty tasks are more than there are places.
    for (let user = 1; user <= 20; user++) void planTask({ order: creation(user, 128), caller });
    await turn();
    expect(waiting.size).toBe(256);
    // Everybody who waited before has had a place by then, and silence goes on for all of them.
    for (const domain of [...waiting.keys()].slice(0, 64)) waiting.get(domain)?.('unanswered');
    await turn();
    const quick = planTask({ order: creation(99, 1), caller });
    await turn();
    expect(waiting.has('d0.u99.example.com')).toBe(false);
    waiting.get([...waiting.keys()].at(-1) ?? '')?.('unanswered');
    await turn();
    expect(waiting.has('d0.u99.example.com')).toBe(true);
    waiting.get('d0.u99.example.com')?.('found');
    expect(await quick).toMatchObject([{ do: 'create' }]);
  });

  // Whoever had an id could learn from 1209 or 1214 whether a guess of the domain was right.
  test('are not made for a property that the caller may not change', async () => {
    const asked: string[] = [];
    const planTask = createPlanTask({
      resolve: async (domain) => {
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
    const steps = await planTask({ order: { kind: 'update-properties', items: [item] }, caller });
    expect(asked).toEqual([]);
    expect(steps).toEqual([{ do: 'update', ...item }]);
  });
});
