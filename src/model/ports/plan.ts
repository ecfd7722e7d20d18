import type { AuditEntry } from '../audit.ts';
import type { Plan } from '../plan.ts';

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface PlanStore {
  /** Lists the stored and the built-in plans by name. */
  list(): Promise<readonly Plan[]>;
  /** Creates a plan, or replaces its quotas. */
  set(plan: Plan, entry?: AuditEntry): Promise<Plan>;
}
