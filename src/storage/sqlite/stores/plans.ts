import { and, count, eq, isNull } from 'drizzle-orm';
import type { AccountId } from '../../../model/account.ts';
import { builtInPlans, type Plan, type Quotas } from '../../../model/plan.ts';
import type { PlanStore } from '../../../model/ports/plan.ts';
import type { MainDatabase } from '../open.ts';
import { accounts, organizations, plans, properties } from '../schema.ts';

/** @see PlanStore @param defaults the default plan's, until it is set here */
export function createPlanStore({ orm }: MainDatabase, defaults: Quotas): PlanStore {
  return {
    async list() {
      const kept: readonly Plan[] = orm.select().from(plans).all();
      const set = new Set(kept.map(({ name }) => name));
      const all = [...kept, ...builtInPlans(defaults).filter(({ name }) => !set.has(name))];
      return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    async set(plan) {
      const { organizations, properties } = plan;
      const target = plans.name;
      orm.insert(plans).values(plan).onConflictDoUpdate({ target, set: { organizations, properties } }).run();
      return plan;
    },
  };
}

/** How much more an account may have, right now; to be asked in the transaction that uses it up. */
export type Room = {
  /** Organizations that the account may still make; negative where its plan was cut. */
  readonly forOrganizations: (accountId: AccountId) => number;
  /** The same of properties, in all organizations that it owns. */
  readonly forProperties: (accountId: AccountId) => number;
};

/** @see Room */
export function createRoom({ orm }: MainDatabase, defaults: Quotas): Room {
  const builtIn = new Map(builtInPlans(defaults).map((plan) => [plan.name, plan]));

  function quotasOf(accountId: AccountId): Quotas {
    const found = orm
      .select({ name: accounts.plan, set: plans })
      .from(accounts)
      .leftJoin(plans, eq(plans.name, accounts.plan))
      .where(eq(accounts.id, accountId))
      .get();
    // The foreign key rejects an owner that does not exist.
    if (found === undefined) return defaults;
    // Plans are never deleted: only a built-in one may have no row.
    return found.set ?? builtIn.get(found.name) ?? { organizations: 0, properties: 0 };
  }

  const isOwnedBy = (accountId: AccountId) =>
    and(eq(organizations.ownerId, accountId), isNull(organizations.deletedAt));

  return {
    forOrganizations(accountId) {
      const owned = orm.select({ n: count() }).from(organizations).where(isOwnedBy(accountId)).get();
      return quotasOf(accountId).organizations - (owned?.n ?? 0);
    },
    forProperties(accountId) {
      const owned = orm
        .select({ n: count() })
        .from(organizations)
        .innerJoin(properties, eq(properties.organizationId, organizations.id))
        .where(and(isOwnedBy(accountId), isNull(properties.deletedAt)))
        .get();
      return quotasOf(accountId).properties - (owned?.n ?? 0);
    },
  };
}
