import { and, count, eq, isNull } from 'drizzle-orm';
import type { AccountId } from '../../model/account.ts';
import { builtInPlans, type Plan, type Quotas } from '../../model/plan.ts';
import type { PlanStore } from '../../model/ports/organization.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { countRows } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { accounts, organizations, plans, properties } from '../schema.ts';

/** @see PlanStore @param defaults the quotas of the default plan until an administrator sets it */
export function createPlanStore({ orm }: StoreDatabase, defaults: Quotas, { change }: Changes): PlanStore {
  return {
    async list() {
      const stored: readonly Plan[] = await orm.select().from(plans);
      const names = new Set(stored.map(({ name }) => name));
      const all = [...stored, ...builtInPlans(defaults).filter(({ name }) => !names.has(name))];
      return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    set: (plan, entry) =>
      change(entry, async (tx) => {
        const { name: _, ...set } = plan;
        await tx.insert(plans).values(plan).onConflictDoUpdate({ target: plans.name, set });
        return plan;
      }),
  };
}

/** The number of objects that an account may still create; negative if the plan was reduced. Call it in the creating transaction. */
export type RemainingQuotas = ReturnType<typeof createRemainingQuotas>;

/** @see RemainingQuotas */
export function createRemainingQuotas(defaults: Quotas) {
  const builtIn = new Map(builtInPlans(defaults).map((plan) => [plan.name, plan]));

  async function quotasOf(tx: Executor, accountId: AccountId): Promise<Quotas> {
    const [found] = await tx
      .select({ name: accounts.plan, stored: plans })
      .from(accounts)
      .leftJoin(plans, eq(plans.name, accounts.plan))
      .where(eq(accounts.id, accountId));
    // The foreign key rejects an owner that does not exist.
    if (found === undefined) return defaults;
    // Plans are never deleted; only a built-in plan can have no row.
    return found.stored ?? builtIn.get(found.name) ?? { organizations: 0, properties: 0 };
  }

  const isOwnedBy = (accountId: AccountId) =>
    and(eq(organizations.ownerId, accountId), isNull(organizations.deletedAt));

  return {
    async organizations(tx: Executor, accountId: AccountId): Promise<number> {
      const quotas = await quotasOf(tx, accountId);
      return quotas.organizations - (await countRows(tx, organizations, isOwnedBy(accountId)));
    },
    /** In all organizations that the account owns. */
    async properties(tx: Executor, accountId: AccountId): Promise<number> {
      const quotas = await quotasOf(tx, accountId);
      const [owned] = await tx
        .select({ properties: count() })
        .from(organizations)
        .innerJoin(properties, eq(properties.organizationId, organizations.id))
        .where(and(isOwnedBy(accountId), isNull(properties.deletedAt)));
      return quotas.properties - (owned?.properties ?? 0);
    },
  };
}
