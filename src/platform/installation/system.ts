import type { Awaitable } from '../../lib/awaitable.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import type { PlanStore } from '../../model/ports/plan.ts';
import type { EffectiveSetting, StorageFacts, SystemFacts } from '../../model/system.ts';
import type { Maintenance } from './maintenance.ts';

/** @see SystemFacts */
export type DescribeSystem = ReturnType<typeof createDescribeSystem>;

/** Describes the installation, for administrators and the command line. */
export function createDescribeSystem(deps: {
  readonly version: string;
  readonly settings: readonly EffectiveSetting[];
  /** @throws if the storage cannot be read */
  readonly measure: () => Awaitable<StorageFacts>;
  readonly plans: Pick<PlanStore, 'list'>;
  readonly maintenance: Pick<Maintenance, 'isOn'>;
  readonly clock: Clock;
}) {
  const { version, settings, measure, plans, maintenance, clock } = deps;
  return async (actor: Actor): Promise<Outcome<SystemFacts, 'admin-only'>> => {
    if (!actor.isAdmin) return reject('admin-only');
    const now = { at: clock(), isInMaintenance: maintenance.isOn() };
    return done({ version, ...now, storage: await measure(), plans: await plans.list(), settings });
  };
}
