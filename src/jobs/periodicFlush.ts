import { pacer } from '../lib/pacer.ts';
import { startPeriodic } from '../lib/periodic.ts';

/** Writes data from memory to the database at regular intervals. */
export type PeriodicFlush = {
  /** Flushes one last time. */
  readonly stop: () => Promise<void>;
};

export type PeriodicFlushOptions = {
  /** Writes one batch. @returns whether there is more to write @throws if it cannot be written */
  readonly flush: () => Promise<boolean>;
  readonly everyMs: number;
  /** While true, nothing is written. */
  readonly isPaused: () => boolean;
  readonly onFailure: (error: unknown) => void;
};

/** Starts the flushes. Other events are handled between two batches. */
export function startPeriodicFlush(options: PeriodicFlushOptions): PeriodicFlush {
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
    async stop() {
      await periodic.stop();
      await periodic.run();
    },
  };
}
