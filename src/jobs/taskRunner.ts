import type { Random } from '../lib/ids.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { pacer } from '../lib/pacer.ts';
import { startPeriodic } from '../lib/periodic.ts';
import { type Clock, type Instant, later, MINUTE, SECOND } from '../lib/time.ts';
import type { Lease, TaskStep, TaskStore } from '../model/ports/task.ts';
import { StoreFailure } from '../model/storeFailure.ts';
import type { Task, TaskId } from '../model/task.ts';
import { createTaskWaiters, type TaskWaiters } from './taskWaiters.ts';
import { startWaitCheck } from './watches.ts';

/** Executes tasks, oldest first, one at a time for each user. */
export type TaskRunner = Awaited<ReturnType<typeof startTaskRunner>>;

/** A task whose planning succeeded or failed. */
type PlannedTask = {
  readonly task: Task;
  readonly token: string;
  readonly steps: readonly TaskStep[] | undefined;
  /** The error if there are no steps. */
  readonly cause?: unknown;
};

export type TaskRunnerOptions = {
  readonly tasks: Pick<
    TaskStore,
    'claim' | 'renew' | 'postpone' | 'releaseAbandoned' | 'resultsOf' | 'finish'
  >;
  /** Whether other servers run tasks too. */
  readonly isClustered: boolean;
  /** Decides the steps of a task; can take a long time. */
  readonly plan: (task: Task) => Promise<readonly TaskStep[]>;
  /** While true, no task is started and nothing is written. */
  readonly isPaused: () => boolean;
  /** Called when the database fails. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: TaskMeter;
};

/** Counts the work of the task runner. */
export type TaskMeter = {
  /** @param waitedSeconds from the submission of the task to its end */
  finished(items: { readonly succeeded: number; readonly rejected: number }, waitedSeconds: number): void;
  /** An attempt to run a task failed. */
  failed(): void;
};

/** Maximum number of tasks that are planned in parallel. Planning waits for the network and needs little memory. */
const MAX_RUNNING = 512;
/** Interval of checks for expired leases, the end of maintenance, and tasks from other processes. */
const CHECK_MS = SECOND;
/** A lease is renewed three times before it would expire. */
const LEASE = MINUTE;
const RENEW_MS = LEASE / 4;
/** Delay after a failure, multiplied by the number of failures. */
const RETRY_AFTER = 5 * SECOND;
/** Delay after a failure of the database. */
const DATABASE_RETRY_AFTER = 5 * SECOND;
/** After this many failures, all items of a task are rejected, so that the task does not block its user's other tasks. */
const MAX_FAILURES = 5;

/**
 * Immediately continues the unfinished tasks of an earlier process.
 *
 * Wakers of the queue: a new task (`checkQueue`), a plan that has ended, the end of the pause after a failure, and in every state the
 * check once a second, which also notices the end of maintenance and expired leases.
 */
export async function startTaskRunner(options: TaskRunnerOptions) {
  const { tasks } = options;
  const planned: PlannedTask[] = [];
  let running = 0;
  let hasFailed = false;
  let isStopped = false;
  await tasks.releaseAbandoned();
  const waiters = createTaskWaiters();
  const waitCheck = startWaitCheck({ ...options, waiters, everyMs: CHECK_MS });
  const finish = createFinish(options, waiters);

  const isPaused = () => isStopped || options.isPaused();
  const leases = createLeases(options, isPaused);
  const mayWrite = () => !isPaused() && !hasFailed;

  /** Planned tasks come first: they make room, and allow their users' next tasks to start. */
  async function work(): Promise<void> {
    await finishPlanned();
    await startTasks();
  }

  async function finishPlanned(): Promise<void> {
    while (mayWrite()) {
      const next = planned.shift();
      if (next === undefined) return;
      try {
        await finish(next);
        running--;
      } catch (error) {
        // Written when the database works again, or by another process if the lease has expired in the meantime.
        planned.unshift(next);
        pause(error);
      }
      await pacer.turn();
    }
  }

  async function startTasks(): Promise<void> {
    while (running < MAX_RUNNING && mayWrite()) {
      const lease = newLease(options);
      try {
        const task = await tasks.claim(lease, options.clock());
        if (task === undefined) return;
        running++;
        void plan(task, lease);
      } catch (error) {
        pause(error);
      }
      await pacer.turn();
    }
  }

  function pause(error: unknown): void {
    hasFailed = true;
    const resume = () => {
      hasFailed = false;
      void periodic.run();
    };
    setTimeout(resume, DATABASE_RETRY_AFTER).unref();
    options.onFailure(error);
  }

  async function plan(task: Task, { token }: Lease): Promise<void> {
    const stopRenewing = leases.keep(task, token);
    planned.push(await planTask(options, task, token));
    stopRenewing();
    void periodic.run();
  }

  const periodic = startPeriodic({ work, everyMs: CHECK_MS });
  void periodic.run();
  return {
    /** Checks the queue now. Without this call, the runner notices a new task within a second. */
    checkQueue: (): void => void periodic.run(),
    /**
     * Waits until this runner or another server finishes a task. It may not detect a task that was finished before the call, so read the
     * task after calling.
     *
     * @returns the results; undefined after 8 seconds, if too many callers wait, or if the runner stops
     */
    finished: waiters.wait,
    /** Number of tasks that this runner has leased and not finished. */
    running: (): number => running,
    /** Checks now whether other servers have finished tasks that callers wait for. Without this call, the runner notices within a second. */
    checkWaits: waitCheck.checkNow,
    /** Starts no more tasks. Another server, or the next process if there is only one server, continues tasks that are still being planned. */
    async stop(): Promise<void> {
      isStopped = true;
      waiters.stop();
      waitCheck.stop();
      void periodic.stop();
      if (options.isClustered) await leases.release();
    },
  };
}

/** The leases of the tasks that are being planned. */
function createLeases({ tasks, clock, onFailure }: TaskRunnerOptions, isPaused: () => boolean) {
  const tokens = new Map<TaskId, string>();

  return {
    /** Renews a task's lease at regular intervals. @returns a function that stops the renewals */
    keep({ id }: Task, token: string): () => void {
      tokens.set(id, token);
      async function work(): Promise<void> {
        await tasks.renew(id, { token, until: later(clock(), LEASE) }).catch(onFailure);
      }
      // A lease may expire during a pause, because no other process starts tasks either.
      const { stop } = startPeriodic({ work, everyMs: RENEW_MS, isPaused });
      return () => {
        tokens.delete(id);
        void stop();
      };
    },
    /** Ends all leases, so that other servers can continue the tasks immediately. If it fails, the leases expire. */
    async release(): Promise<void> {
      try {
        for (const [id, token] of tokens) await tasks.renew(id, { token, until: 0 as Instant });
      } catch (error) {
        onFailure(error);
      }
    },
  };
}

/** Never rejects. */
async function planTask({ plan }: TaskRunnerOptions, task: Task, token: string): Promise<PlannedTask> {
  try {
    const hasGivenUp = task.failures >= MAX_FAILURES;
    return { task, token, steps: hasGivenUp ? task.order.items.map(rejectItem) : await plan(task) };
  } catch (cause) {
    return { task, token, steps: undefined, cause };
  }
}

/** Writes the result of a planned task, or postpones the task after a failure. @throws StoreFailure if neither can be written */
function createFinish({ tasks, clock, log, meter }: TaskRunnerOptions, waiters: TaskWaiters) {
  async function writeResults(task: Task, token: string, steps: readonly TaskStep[]): Promise<void> {
    const results = await tasks.finish(task.id, token, steps, clock());
    if (results === undefined) return;
    waiters.finish(task.id, results);
    const rejected = results.filter(({ problem }) => problem !== undefined).length;
    const facts = { task: task.id, kind: task.order.kind, items: results.length, rejected };
    const waitedMs = Math.round(clock() - task.createdAt);
    log.info('task-finished', { ...facts, waited_ms: waitedMs });
    // Negative if the clock was set back.
    meter.finished({ succeeded: results.length - rejected, rejected }, Math.max(0, waitedMs) / 1000);
  }

  async function postpone({ id, failures }: Task, token: string, cause: unknown): Promise<void> {
    meter.failed();
    log.error('task-failed', { task: id, failures: failures + 1, reason: reasonOf(cause) });
    await tasks.postpone(id, token, later(clock(), (failures + 1) * RETRY_AFTER));
  }

  return async ({ task, token, steps, cause }: PlannedTask): Promise<void> => {
    if (steps === undefined) return postpone(task, token, cause);
    try {
      await writeResults(task, token, steps);
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      await postpone(task, token, error);
    }
  };
}

function newLease({ random, clock }: TaskRunnerOptions): Lease {
  return { token: random(new Uint8Array(16)).toHex(), until: later(clock(), LEASE) };
}

function rejectItem(): TaskStep {
  return { do: 'reject', result: { problem: 'internal-error' } };
}
