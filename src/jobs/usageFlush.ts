import { type Log, reasonOf } from '../lib/log.ts';
import { startPeriodic } from '../lib/periodic.ts';

/** Writes usage counters from memory to the database. */
export type UsageFlush = {
  /** Flushes in the next iteration of the event loop, unless `isPaused` returns true. */
  readonly flushSoon: () => void;
  /** Never rejects. @returns resolves when everything that was counted before the call is written, or could not be written */
  readonly flush: () => Promise<void>;
  /** Flushes one last time. Events that cannot be written are lost. */
  readonly stop: () => Promise<void>;
};

export type UsageFlushOptions = {
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
export function startUsageFlush(options: UsageFlushOptions): UsageFlush {
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
    flushSoon() {
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        if (!isPaused()) void periodic.run();
      });
    },
    flush: periodic.run,
    async stop() {
      const wasRunning = periodic.isRunning();
      await periodic.stop();
      // If a run just failed, possibly after seconds of waiting, another attempt would only delay the shutdown.
      if (!wasRunning || !hasFailed) await periodic.run();
      logLost(options.pending());
    },
  };
}
