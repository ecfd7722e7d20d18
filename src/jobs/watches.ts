import type { Awaitable } from '../lib/awaitable.ts';
import type { Log } from '../lib/log.ts';
import { type Periodic, startPeriodic } from '../lib/periodic.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { DatabaseServers } from '../model/ports/cluster.ts';
import type { TaskStore } from '../model/ports/task.ts';
import type { TaskWaiters } from './taskWaiters.ts';

/** Checks several times per second whether another process changed something. */
export type ChangeWatch = {
  /** Checks now instead of at the end of the interval. */
  readonly checkSoon: () => void;
  readonly stop: () => Promise<void>;
};

type ChangeWatchOptions = {
  /** Returns a number that differs after every change; throws or rejects if it cannot be read. */
  readonly version: () => Awaitable<number>;
  readonly onChange: () => Promise<void>;
  /** Whether the database failed. Each check then calls `recover`. */
  readonly hasFailed: () => boolean;
  readonly recover: () => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  readonly everyMs: number;
};

/** The first check, and the first successful one after a failure, count as a change, because one may have been missed. */
export function startChangeWatch(options: ChangeWatchOptions): ChangeWatch {
  let last = Number.NaN;

  async function check(): Promise<void> {
    try {
      const version = await options.version();
      if (version !== last) await options.onChange();
      last = version;
      if (options.hasFailed()) await options.recover();
    } catch (error) {
      last = Number.NaN;
      options.onFailure(error);
    }
  }

  const periodic = startPeriodic({ work: check, everyMs: options.everyMs });
  return { checkSoon: () => void periodic.run(), stop: periodic.stop };
}

type ServerWatchOptions = {
  readonly servers: DatabaseServers;
  readonly log: Log;
  /** Called with the number of servers that accept writes. */
  readonly onCount: (primaries: number) => void;
  readonly everyMs: number;
};

/** Checks the database servers. Logs when several of them start to accept writes, and when only one does so again. */
export function startServerWatch(options: ServerWatchOptions): Pick<Periodic, 'run' | 'stop'> {
  const { servers, log, onCount, everyMs } = options;
  let reported = '';

  async function work(): Promise<void> {
    const { writable, used } = await servers.check();
    onCount(writable.length);
    const names = writable.length > 1 ? writable.join(', ') : '';
    if (names !== '' && names !== reported)
      log.error('two-primaries', { servers: names, used: used ?? 'none' });
    if (names === '' && reported !== '') log.info('one-primary', { server: used ?? 'none' });
    reported = names;
  }

  const { run, stop } = startPeriodic({ work, everyMs });
  return { run, stop };
}

/** Checks for tasks that other servers have finished. */
type WaitCheck = {
  /** Checks now instead of at the end of the interval. */
  readonly checkNow: () => void;
  readonly stop: () => void;
};

type WaitCheckOptions = {
  readonly tasks: Pick<TaskStore, 'resultsOf'>;
  readonly waiters: Pick<TaskWaiters, 'ids' | 'finish'>;
  /** Whether other servers run tasks too. If not, nothing is checked. */
  readonly isClustered: boolean;
  readonly everyMs: number;
  readonly onFailure: (error: unknown) => void;
};

/** Checks at regular intervals. Reads the store only while callers wait. */
export function startWaitCheck(options: WaitCheckOptions): WaitCheck {
  const { tasks, waiters, isClustered, everyMs, onFailure } = options;
  if (!isClustered) return { checkNow() {}, stop() {} };

  async function work(): Promise<void> {
    const ids = waiters.ids();
    if (ids.length === 0) return;
    try {
      for (const [id, results] of await tasks.resultsOf(ids)) waiters.finish(id, results);
    } catch (error) {
      onFailure(error);
    }
  }

  const { run, stop } = startPeriodic({ work, everyMs });
  return { checkNow: () => void run(), stop: () => void stop() };
}

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
