import { SECOND } from '../lib/time.ts';
import { timer as systemTimer, type Timer } from '../lib/timer.ts';
import type { TaskId, TaskResult } from '../model/task.ts';

/** Callers that wait for tasks to finish. */
export type TaskWaiters = ReturnType<typeof createTaskWaiters>;

/** Less than the timeouts of browsers and common proxies. */
const WAIT_MS = 8 * SECOND;
const WAITERS_MAX = 1000;

type Settle = (results: readonly TaskResult[] | undefined) => void;

/** Wakers: `finish`, `stop`, or the timer of the caller, whichever is first. @see TaskWaiters */
export function createTaskWaiters(timer: Timer = systemTimer) {
  const waiting = new Map<Settle, TaskId>();
  let isStopped = false;
  return {
    /** @returns the results of a task; undefined after 8 seconds, immediately if 1,000 callers already wait, or when `stop` is called */
    wait(id: TaskId): Promise<readonly TaskResult[] | undefined> {
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
    /** The tasks that callers wait for. */
    ids: (): readonly TaskId[] => [...new Set(waiting.values())],
    /** Passes the results to the callers that wait for this task. */
    finish(id: TaskId, results: readonly TaskResult[]): void {
      for (const [settle, waitedFor] of waiting) if (waitedFor === id) settle(results);
    },
    /** Ends all current waits, and all later ones immediately. */
    stop(): void {
      isStopped = true;
      for (const settle of waiting.keys()) settle(undefined);
    },
  };
}
