import { createLatest } from '../../lib/lazy.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Actor } from '../../model/actor.ts';
import type { InstallationStore } from '../../model/ports/installation.ts';
import type { EntryFor } from '../audit.ts';

/**
 * Maintenance mode. Solutions are still verified and recorded as used, but changes are rejected, and the first verification of a
 * solution returns code 9. Administrators and the command line turn it on and off; it is also on while the main database fails.
 */
export type Maintenance = {
  readonly isOn: () => boolean;
  readonly set: (actor: Actor, isOn: boolean) => Promise<Outcome<void, 'admin-only'>>;
  /** Reads the stored state again, because another process may have changed it. */
  readonly refresh: () => Promise<void>;
  /** Records that the main database failed. @returns false if a failure was already recorded */
  readonly recordFailure: () => boolean;
  /** Ends the maintenance that a failure started. */
  readonly recordRecovery: () => void;
  /** Whether the main database failed and has not recovered since. */
  readonly hasFailed: () => boolean;
  /** Calls the listener now and after every change, with the result of `isOn`. */
  readonly watch: (listener: (isOn: boolean) => void) => void;
};

/** @param deps.isAlwaysOn whether the configuration keeps maintenance mode on in this process */
export function createMaintenance(deps: {
  readonly store: Pick<InstallationStore, 'isInMaintenance' | 'setMaintenance'>;
  readonly isAlwaysOn: boolean;
  readonly entryFor: EntryFor;
}): Maintenance {
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
    async set(actor, isOnNow) {
      if (!actor.isAdmin) return reject('admin-only');
      const audited = { action: 'maintenance-switched', subject: isOnNow ? 'on' : 'off' } as const;
      await store.setMaintenance(isOnNow, await entryFor(actor, audited));
      await apply(async () => isOnNow);
      return done(undefined);
    },
    refresh: () => apply(store.isInMaintenance),
    recordFailure() {
      const isFirst = !hasFailed;
      hasFailed = true;
      onChange(isOn());
      return isFirst;
    },
    recordRecovery() {
      hasFailed = false;
      onChange(isOn());
    },
    hasFailed: () => hasFailed,
    watch(listener) {
      onChange = listener;
      listener(isOn());
    },
  };
}
