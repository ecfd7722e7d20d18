import { SECOND } from '../lib/time.ts';
import { timer as systemTimer, type Timer } from '../lib/timer.ts';
import type { TaskId, TaskResult } from '../model/task.ts';

/** Callers that wait for tasks to finish. */
export type TaskWaiters = {
  /** @returns the results of a task; undefined after 8 seconds, immediately if 1,000 callers already wait, or when `stop` is called */
  readonly wait: (id: TaskId) => Promise<readonly TaskResult[] | undefined>;
  /** The tasks that callers wait for. */
  readonly ids: () => readonly TaskId[];
  /** Passes the results to the callers that wait for this task. */
  readonly finish: (id: TaskId, results: readonly TaskResult[]) => void;
  /** Ends all current waits, and all later ones immediately. */
  readonly stop: () => void;
};

/** Less than the timeouts of browsers and common proxies. */
const WAIT_MS = 8 * SECOND;
const WAITERS_MAX = 1000;

type Settle = (results: readonly TaskResult[] | undefined) => void;

/**
 * Wakers: `finish`, `stop`, or the timer of the caller, whichever is first.
 *
 * @see TaskWaiters
 */
export function createTaskWaiters(timer: Timer = systemTimer): TaskWaiters {
  const waiting = new Map<Settle, TaskId>();
  let isStopped = false;
  return {
    wait(id) {
      if (isStopped || waiting.size >= WAITERS_MAX) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const settle: Settle = (results) => {
          cancel();
          waiting.delete(settle);
          resolve(results);
        };
        const cancel = timer(WAIT_MS, () => settle(undefined));
        waiting.set(settle, id);
      });
    },
    ids: () => [...new Set(waiting.values())],
    finish(id, results) {
      for (const [settle, waitedFor] of waiting) if (waitedFor === id) settle(results);
    },
    stop() {
      isStopped = true;
      for (const settle of waiting.keys()) settle(undefined);
    },
  };
}
