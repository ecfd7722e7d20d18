import type { Log } from '../lib/log.ts';
import { MINUTE, SECOND } from '../lib/time.ts';

/** Delay between two attempts, in milliseconds; it doubles with each attempt. */
const [SHORTEST_MS, LONGEST_MS] = [200, 5 * SECOND];
/** A failure this long after the last attempt begins a new outage with short delays. */
const OUTAGE_ENDS_MS = MINUTE;

/**
 * Ends the maintenance that a failure of the main database caused when the database can be read and written again. The delay is not
 * reset if the database fails soon after a recovery, so an unstable disk does not change the mode many times per second.
 *
 * @returns a function that is called several times per second during an outage, and tries when an attempt is due
 */
export function createDatabaseRecovery(deps: {
  /** Reads, and writes more than most changes do. @throws if either fails */
  readonly tryDatabase: () => Promise<void>;
  readonly endMaintenance: () => void;
  /** Milliseconds of a clock that never goes backward. */
  readonly now: () => number;
  readonly log: Pick<Log, 'info'>;
}): () => Promise<void> {
  const { tryDatabase, endMaintenance, now, log } = deps;
  let delay = SHORTEST_MS;
  let triedAt = Number.NEGATIVE_INFINITY;

  return async () => {
    const elapsed = now() - triedAt;
    if (elapsed < delay) return;
    delay = elapsed > OUTAGE_ENDS_MS ? SHORTEST_MS : Math.min(2 * delay, LONGEST_MS);
    triedAt = now();
    await tryDatabase();
    endMaintenance();
    log.info('database-recovered');
  };
}
