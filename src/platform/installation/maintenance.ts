import type { InstallationStore } from '../../model/ports/installation.ts';

/**
 * In maintenance claims are still made and proofs still checked, but accounts perhaps not: a first verification has
 * code 9. The operator switches it; it also holds by itself while the main database fails.
 */
export type Maintenance = {
  readonly isOn: () => boolean;
  readonly set: (isOn: boolean) => Promise<void>;
  /** Reads the switch again: another process may have turned it. */
  readonly refresh: () => Promise<void>;
  /** The main database failed. @returns whether that is news */
  readonly noteFailure: () => boolean;
  /** From a failure until the next `refresh` that succeeds. */
  readonly hasFailed: () => boolean;
};

/** @param startsOn the configuration's word, which holds as long as this process */
export function createMaintenance(store: InstallationStore, startsOn: boolean): Maintenance {
  let isSwitchedOn = false;
  let hasFailed = false;

  return {
    isOn: () => startsOn || isSwitchedOn || hasFailed,
    async set(isOn) {
      await store.setMaintenance(isOn);
      isSwitchedOn = isOn;
    },
    async refresh() {
      isSwitchedOn = await store.isInMaintenance();
      hasFailed = false;
    },
    noteFailure() {
      const isNews = !hasFailed;
      hasFailed = true;
      return isNews;
    },
    hasFailed: () => hasFailed,
  };
}
