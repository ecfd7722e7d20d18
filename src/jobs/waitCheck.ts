import { startPeriodic } from '../lib/periodic.ts';
import type { TaskStore } from '../model/ports/task.ts';
import type { TaskWaiters } from './taskWaiters.ts';

/** Checks for tasks that other servers have finished. */
export type WaitCheck = {
  /** Checks now instead of at the end of the interval. */
  readonly checkNow: () => void;
  readonly stop: () => void;
};

export type WaitCheckOptions = {
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
