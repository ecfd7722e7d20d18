import type { Plan } from '../plan.ts';

export interface PlanStore {
  /** By name; the default plan is always there. */
  list(): Promise<readonly Plan[]>;
  /** Makes a plan, or gives it other quotas. */
  set(plan: Plan): Promise<Plan>;
}
