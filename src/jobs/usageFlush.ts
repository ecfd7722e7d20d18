import type { Random } from '../lib/ids.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { pacer } from '../lib/pacer.ts';
import { startPeriodic } from '../lib/periodic.ts';
import type { UsageBatch } from '../model/statistics.ts';

type PeriodicFlushOptions = {
  /** Writes one batch. @returns whether there is more to write @throws if it cannot be written */
  readonly flush: () => Promise<boolean>;
  readonly everyMs: number;
  /** While true, nothing is written. */
  readonly isPaused: () => boolean;
  readonly onFailure: (error: unknown) => void;
};

/** Starts the flushes. Other events are handled between two batches. */
export function startPeriodicFlush(options: PeriodicFlushOptions) {
  const { flush, everyMs, isPaused, onFailure } = options;

  async function work(): Promise<void> {
    try {
      while (!isPaused() && (await flush())) await pacer.turn();
    } catch (error) {
      onFailure(error);
    }
  }

  const periodic = startPeriodic({ work, everyMs });
  return {
    /** Flushes one last time. */
    async stop(): Promise<void> {
      await periodic.stop();
      await periodic.run();
    },
  };
}

/**
 * Returns a function that writes a batch of records. After a failure, call it again with the same records: they keep their batch number,
 * so the store adds them only once, even if the failed call stored them. Other events are handled between batches.
 */
export function createUsageWriter<Item>(deps: {
  readonly add: (records: readonly Item[], batch: UsageBatch) => Promise<void>;
  readonly random: Random;
}): (records: readonly Item[]) => Promise<void> {
  const writer = deps.random(new Uint8Array(16)).toHex();
  let number = 1;
  return async (records) => {
    await deps.add(records, { writer, number });
    number++;
    await pacer.turn();
  };
}

/** Writes usage counters from memory to the database. */
export type UsageFlush = ReturnType<typeof startUsageFlush>;

type UsageFlushOptions = {
  /** Writes everything that was counted before the call. If it rejects, the next call writes the rest. */
  readonly flush: () => Promise<void>;
  /** Number of events that are not written yet. */
  readonly pending: () => number;
  /** Number of events lost for lack of space since the last call. */
  readonly takeLost: () => number;
  /** While true, the database fails and only `flush` and `stop` write. */
  readonly isPaused: () => boolean;
  readonly everyMs: number;
  readonly log: Log;
};

/** Logs the first of consecutive failures and the recovery. */
export function startUsageFlush(options: UsageFlushOptions) {
  const { everyMs, isPaused, log } = options;
  let hasFailed = false;
  let isScheduled = false;

  async function work(): Promise<void> {
    try {
      await options.flush();
      if (hasFailed) log.info('statistics-recovered');
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn('statistics-failed', { reason: reasonOf(error) });
      hasFailed = true;
    }
    logLost(options.takeLost());
  }

  function logLost(events: number): void {
    if (events > 0) log.warn('statistics-lost', { events });
  }

  const periodic = startPeriodic({ work, everyMs, isPaused });
  return {
    /** Flushes in the next iteration of the event loop, unless `isPaused` returns true. */
    flushSoon(): void {
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        if (!isPaused()) void periodic.run();
      });
    },
    /** Never rejects. @returns resolves when everything that was counted before the call is written, or could not be written */
    flush: periodic.run,
    /** Flushes one last time. Events that cannot be written are lost. */
    async stop(): Promise<void> {
      const wasRunning = periodic.isRunning();
      await periodic.stop();
      // If a run just failed, possibly after seconds of waiting, another attempt would only delay the shutdown.
      if (!wasRunning || !hasFailed) await periodic.run();
      logLost(options.pending());
    },
  };
}
