import { type Log, reasonOf } from '../lib/log.ts';

/** Writes down now and then what is counted in memory. */
export type Flush = {
  /** Soon, without waiting for the time. */
  readonly nudge: () => void;
  /** Now; never throws. @returns when what was counted before is written, or could not be */
  readonly now: () => Promise<void>;
  /** A last time, then never again. What cannot be written is lost. */
  readonly stop: () => Promise<void>;
};

export type FlushOptions = {
  /** Writes all that was counted before; what it could not is kept for the next time. */
  readonly flush: () => Promise<void>;
  /** Events that are not written yet. */
  readonly pending: () => number;
  /** Events that found no room since this was last asked. */
  readonly takeLost: () => number;
  /** While true, nothing is written: the database fails. */
  readonly isPaused: () => boolean;
  readonly everyMs: number;
  readonly log: Log;
};

/** A failure is told once, and when it is over. Never two writes at a time. */
export function startFlush(options: FlushOptions): Flush {
  const { log } = options;
  let running: Promise<void> | undefined;
  let hasFailed = false;
  let isNudged = false;

  async function write(): Promise<void> {
    try {
      await options.flush();
      if (hasFailed) log.info('statistics-recovered');
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn('statistics-failed', { reason: reasonOf(error) });
      hasFailed = true;
    }
    tellLost(options.takeLost());
  }

  function tellLost(events: number): void {
    if (events > 0) log.warn('statistics-lost', { events });
  }

  /** Who comes while it writes waits for the next one: this one may have been past what it counted. */
  async function now(): Promise<void> {
    while (running !== undefined) await running;
    running = write();
    await running;
    running = undefined;
  }

  async function look(): Promise<void> {
    if (running === undefined && !options.isPaused()) await now();
  }

  const timer = setInterval(() => void look(), options.everyMs);
  return {
    nudge() {
      if (isNudged) return;
      isNudged = true;
      setImmediate(() => {
        isNudged = false;
        void look();
      });
    },
    now,
    async stop() {
      clearInterval(timer);
      const isLast = running !== undefined;
      await running;
      // What has failed this moment, perhaps after seconds of patience, is not tried once more: somebody waits.
      if (!isLast || !hasFailed) await now();
      tellLost(options.pending());
    },
  };
}
