import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import type { EffectiveSetting, StorageFacts, SystemFacts } from '../../model/system.ts';
import type { Plans } from '../users/plans.ts';
import type { Maintenance } from './maintenance.ts';

/** @see SystemFacts */
export type DescribeSystem = (actor: Actor) => Promise<Outcome<SystemFacts, 'admin-only'>>;

/** What there is to know of the installation as a whole, for administrators and the command line. */
export function createDescribeSystem(deps: {
  readonly version: string;
  readonly settings: readonly EffectiveSetting[];
  /** @throws where the storage cannot be read */
  readonly measure: () => StorageFacts;
  readonly plans: Pick<Plans, 'list'>;
  readonly maintenance: Pick<Maintenance, 'isOn'>;
  readonly clock: Clock;
}): DescribeSystem {
  const { version, settings, measure, plans, maintenance, clock } = deps;
  return async (actor) => {
    if (!actor.isAdmin) return reject('admin-only');
    const now = { at: clock(), isInMaintenance: maintenance.isOn() };
    return done({ version, ...now, storage: measure(), plans: await plans.list(), settings });
  };
}
