import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Actor } from '../../model/actor.ts';
import { describeChange } from '../../model/audit.ts';
import { describePlan, type Plan, parsePlanName } from '../../model/plan.ts';
import type { PlanStore } from '../../model/ports/organization.ts';
import type { EntryFor } from '../audit.ts';

/** Use cases for plans, for administrators and the command line. */
export type Plans = ReturnType<typeof createPlans>;

const QUOTA_NAMES = { organizations: 'organizations', properties: 'properties' } as const;

/** @see Plans */
export function createPlans(deps: { readonly store: PlanStore; readonly entryFor: EntryFor }) {
  const { store, entryFor } = deps;
  return {
    /** Lists all plans by name, including the built-in plans; empty for other users. */
    async list(actor: Actor): Promise<readonly Plan[]> {
      return actor.isAdmin ? store.list() : [];
    },
    /** Creates a plan, or changes its quotas. Existing organizations and properties remain. */
    async set(actor: Actor, plan: Plan): Promise<Outcome<Plan, 'admin-only' | 'plan-name-malformed'>> {
      if (!actor.isAdmin) return reject('admin-only');
      const name = parsePlanName(plan.name);
      if (!name.ok) return name;
      const before = (await store.list()).find((one) => one.name === plan.name);
      const changed = before && describeChange(before, plan, QUOTA_NAMES);
      const object = changed ? `${plan.name}: ${changed}` : describePlan(plan);
      return done(await store.set(plan, await entryFor(actor, { action: 'plan-set', object })));
    },
  };
}
