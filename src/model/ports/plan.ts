import type { Plan } from '../plan.ts';

export interface PlanStore {
  /** Lists the stored and the built-in plans by name. */
  list(): Promise<readonly Plan[]>;
  /** Creates a plan, or replaces its quotas. */
  set(plan: Plan): Promise<Plan>;
}
