import type { Awaitable } from '../lib/awaitable.ts';
import { startPeriodic } from '../lib/periodic.ts';

/** Checks several times per second whether another process changed something. */
export type ChangeWatch = {
  /** Checks now instead of at the end of the interval. */
  readonly checkSoon: () => void;
  readonly stop: () => Promise<void>;
};

export type ChangeWatchOptions = {
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
