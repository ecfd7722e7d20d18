import { type Outcome, reject } from '../../lib/outcome.ts';
import type { Account } from '../../model/account.ts';
import { type Plan, parsePlanName } from '../../model/plan.ts';
import type { AccountStore } from '../../model/ports/account.ts';
import type { PlanStore } from '../../model/ports/plan.ts';
import type { Accounts } from './accounts.ts';

export type Plans = {
  /** By name, the default one among them. */
  readonly list: () => Promise<readonly Plan[]>;
  /** Makes a plan, or gives it other quotas, which hold at once; what is there already stays. */
  readonly set: (plan: Plan) => Promise<Outcome<Plan, 'plan-name-malformed'>>;
  readonly choose: (
    email: string,
    plan: string,
  ) => Promise<Outcome<Account, 'account-unknown' | 'plan-unknown'>>;
};

/** Use cases around plans: how much a user may have. */
export function createPlans(deps: {
  readonly store: PlanStore;
  readonly accountStore: AccountStore;
  readonly accounts: Pick<Accounts, 'byEmail'>;
}): Plans {
  return {
    list: () => deps.store.list(),
    async set(plan) {
      const name = parsePlanName(plan.name);
      return name.ok ? { ok: true, value: await deps.store.set(plan) } : name;
    },
    async choose(email, plan) {
      const account = await deps.accounts.byEmail(email);
      if (!account.ok) return account;
      const name = parsePlanName(plan);
      return name.ok ? deps.accountStore.setPlan(account.value.id, name.value) : reject('plan-unknown');
    },
  };
}
