import { and, count, eq, isNull } from 'drizzle-orm';
import type { AccountId } from '../../../model/account.ts';
import { builtInPlans, type Plan, type Quotas } from '../../../model/plan.ts';
import type { PlanStore } from '../../../model/ports/plan.ts';
import type { MainDatabase } from '../open.ts';
import { countRows } from '../queries.ts';
import type { Change } from '../recordedChange.ts';
import { accounts, organizations, plans, properties } from '../schema.ts';

/** @see PlanStore @param defaults the quotas of the default plan until it is set */
export function createPlanStore({ orm }: MainDatabase, defaults: Quotas, change: Change): PlanStore {
  return {
    async list() {
      const stored: readonly Plan[] = orm.select().from(plans).all();
      const names = new Set(stored.map(({ name }) => name));
      const all = [...stored, ...builtInPlans(defaults).filter(({ name }) => !names.has(name))];
      return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    set: (plan, entry) =>
      change(entry, () => {
        const { name: _, ...set } = plan;
        orm.insert(plans).values(plan).onConflictDoUpdate({ target: plans.name, set }).run();
        return plan;
      }),
  };
}

/** The number of objects that an account may still create; negative if the plan was reduced. Call it in the creating transaction. */
export type RemainingQuotas = {
  readonly organizations: (accountId: AccountId) => number;
  /** In all organizations that the account owns. */
  readonly properties: (accountId: AccountId) => number;
};

/** @see RemainingQuotas */
export function createRemainingQuotas(database: MainDatabase, defaults: Quotas): RemainingQuotas {
  const { orm } = database;
  const builtIn = new Map(builtInPlans(defaults).map((plan) => [plan.name, plan]));

  function quotasOf(accountId: AccountId): Quotas {
    const found = orm
      .select({ name: accounts.plan, stored: plans })
      .from(accounts)
      .leftJoin(plans, eq(plans.name, accounts.plan))
      .where(eq(accounts.id, accountId))
      .get();
    // The foreign key rejects an owner that does not exist.
    if (found === undefined) return defaults;
    // Plans are never deleted; only a built-in plan can have no row.
    return found.stored ?? builtIn.get(found.name) ?? { organizations: 0, properties: 0 };
  }

  const isOwnedBy = (accountId: AccountId) =>
    and(eq(organizations.ownerId, accountId), isNull(organizations.deletedAt));

  return {
    organizations: (accountId) =>
      quotasOf(accountId).organizations - countRows(database, organizations, isOwnedBy(accountId)),
    properties(accountId) {
      const owned = orm
        .select({ properties: count() })
        .from(organizations)
        .innerJoin(properties, eq(properties.organizationId, organizations.id))
        .where(and(isOwnedBy(accountId), isNull(properties.deletedAt)))
        .get();
      return quotasOf(accountId).properties - (owned?.properties ?? 0);
    },
  };
}
