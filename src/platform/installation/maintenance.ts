import type { Awaitable } from '../../lib/awaitable.ts';
import { createLatest } from '../../lib/lazy.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import type { InstallationStore } from '../../model/ports/installation.ts';
import type { PlanStore } from '../../model/ports/organization.ts';
import type { EffectiveSetting, StorageFacts, SystemFacts } from '../../model/system.ts';
import type { EntryFor } from '../audit.ts';

/**
 * Maintenance mode. Solutions are still verified and recorded as used, but changes are rejected, and the first verification of a
 * solution returns code 9. Administrators and the command line turn it on and off; it is also on while the main database fails.
 */
export type Maintenance = ReturnType<typeof createMaintenance>;

/** @param deps.isAlwaysOn whether the configuration keeps maintenance mode on in this process */
export function createMaintenance(deps: {
  readonly store: Pick<InstallationStore, 'isInMaintenance' | 'setMaintenance'>;
  readonly isAlwaysOn: boolean;
  readonly entryFor: EntryFor;
}) {
  const { store, isAlwaysOn, entryFor } = deps;
  let isSwitchedOn = false;
  let hasFailed = false;
  let onChange: (isOn: boolean) => void = () => {};
  const apply = createLatest((isOnNow: boolean) => {
    isSwitchedOn = isOnNow;
    onChange(isOn());
  });
  const isOn = () => isAlwaysOn || isSwitchedOn || hasFailed;

  return {
    isOn,
    async set(actor: Actor, isOnNow: boolean): Promise<Outcome<void, 'admin-only'>> {
      if (!actor.isAdmin) return reject('admin-only');
      const audited = { action: 'maintenance-switched', object: isOnNow ? 'on' : 'off' } as const;
      await store.setMaintenance(isOnNow, await entryFor(actor, audited));
      await apply(async () => isOnNow);
      return done(undefined);
    },
    /** Reads the stored state again, because another process may have changed it. */
    refresh: (): Promise<void> => apply(store.isInMaintenance),
    /** Records that the main database failed. @returns false if a failure was already recorded */
    recordFailure(): boolean {
      const isFirst = !hasFailed;
      hasFailed = true;
      onChange(isOn());
      return isFirst;
    },
    /** Ends the maintenance that a failure started. */
    recordRecovery(): void {
      hasFailed = false;
      onChange(isOn());
    },
    /** Whether the main database failed and has not recovered since. */
    hasFailed: (): boolean => hasFailed,
    /** Calls the listener now and after every change, with the result of `isOn`. */
    watch(listener: (isOn: boolean) => void): void {
      onChange = listener;
      listener(isOn());
    },
  };
}

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
