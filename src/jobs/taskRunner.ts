import { hexOf } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { type Clock, later, MINUTE, SECOND } from '../lib/time.ts';
import type { Lease, TaskStep, TaskStore } from '../model/ports/task.ts';
import { StoreFailure } from '../model/storeFailure.ts';
import type { Task } from '../model/task.ts';
import { createTaskWaiters, type TaskWaiters } from './taskWaiters.ts';

/** Carries out tasks, oldest first, one of each user at a time. */
export type Runner = {
  /** There may be something to do. A nudge that is lost costs one look, a second. */
  readonly nudge: () => void;
  /**
   * Waits until this runner finishes a task. Does not see a task that was finished before the call, so read the task after calling.
   *
   * @returns the results; undefined after 8 seconds, if too many callers wait, or if the runner stops
   */
  readonly finished: TaskWaiters['wait'];
  /** Takes up nothing more; what is being planned is left to the next start. */
  readonly stop: () => void;
};

/** A task whose planning has ended, one way or the other. */
type Planned = {
  readonly task: Task;
  readonly token: string;
  readonly steps: readonly TaskStep[] | undefined;
  /** Why there are no steps. */
  readonly cause?: unknown;
};

export type RunnerOptions = {
  readonly tasks: Pick<TaskStore, 'claim' | 'renew' | 'postpone' | 'releaseAll' | 'finish'>;
  /** Task -> steps; may take long. */
  readonly plan: (task: Task) => Promise<readonly TaskStep[]>;
  /** While true, nothing is taken up and nothing written. */
  readonly isPaused: () => boolean;
  /** Told when the database failed. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

/** Users whose tasks are planned side by side: planning waits for the network, and holds little. */
const WIDTH = 512;
/** How often is looked for what no nudge told of: lapsed leases, a maintenance that ended. */
const LOOK_MS = SECOND;
/** A lease is renewed three times before it would lapse. */
const LEASE = MINUTE;
const RENEW_MS = LEASE / 4;
/** After a breakdown, times the number of breakdowns. */
const RETRY_AFTER = 5 * SECOND;
/** Looks that are left out when the database has just failed: what is tried in vain every second helps nobody. */
const REST_LOOKS = 5;
/** Then every item is refused: a task that cannot be planned must not hold up its user's others for ever. */
const MAX_FAILURES = 5;

/** Takes up at once what an earlier process left unfinished. */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { tasks } = options;
  const planned: Planned[] = [];
  let running = 0;
  let restingLooks = 0;
  let isLooking = false;
  let isNudged = false;
  let isStopped = false;
  await tasks.releaseAll();
  const waiters = createTaskWaiters();
  const ending = createEnding(options, waiters);

  const mayWrite = (): boolean => !isStopped && !options.isPaused();

  async function look(): Promise<void> {
    isNudged = true;
    if (isLooking) return;
    isLooking = true;
    // Who nudges during a look gets another one: this one may have been past it.
    while (isNudged && mayWrite()) {
      isNudged = false;
      await endPlanned();
      await takeUp();
    }
    isLooking = false;
  }

  /** First what is planned: it makes room, and its user's next task can be taken up. */
  async function endPlanned(): Promise<void> {
    while (restingLooks === 0 && mayWrite()) {
      const next = planned.shift();
      if (next === undefined) return;
      try {
        await ending(next);
        running--;
      } catch (error) {
        // It is planned, and written when the storage is well again; if its lease has been lost by then, not by us.
        planned.unshift(next);
        rest(error);
      }
      await nextTurn();
    }
  }

  async function takeUp(): Promise<void> {
    while (running < WIDTH && restingLooks === 0 && mayWrite()) {
      const lease = newLease(options);
      try {
        const task = await tasks.claim(lease, options.clock());
        if (task === undefined) return;
        running++;
        void plan(task, lease);
      } catch (error) {
        rest(error);
      }
      await nextTurn();
    }
  }

  function rest(error: unknown): void {
    restingLooks = REST_LOOKS;
    options.onFailure(error);
  }

  async function plan(task: Task, { token }: Lease): Promise<void> {
    const letGo = keepLease(options, mayWrite, task, token);
    planned.push(await planning(options, task, token));
    letGo();
    void look();
  }

  const timer = setInterval(() => {
    restingLooks = Math.max(0, restingLooks - 1);
    void look();
  }, LOOK_MS);
  void look();
  return {
    nudge: () => void look(),
    finished: waiters.wait,
    stop() {
      isStopped = true;
      waiters.stop();
      clearInterval(timer);
    },
  };
}

/** @returns how to keep it no longer */
function keepLease(
  { tasks, clock, onFailure }: RunnerOptions,
  mayWrite: () => boolean,
  { id }: Task,
  token: string,
): () => void {
  async function renew(): Promise<void> {
    // A lease that lapses in a pause is still good for the end, for nobody else takes anything up meanwhile.
    if (!mayWrite()) return;
    try {
      await tasks.renew(id, { token, until: later(clock(), LEASE) });
    } catch (error) {
      onFailure(error);
    }
  }

  const timer = setInterval(() => void renew(), RENEW_MS);
  return () => clearInterval(timer);
}

/** Never throws: a plan that broke down is an ending too. */
async function planning({ plan }: RunnerOptions, task: Task, token: string): Promise<Planned> {
  try {
    const hasGivenUp = task.failures >= MAX_FAILURES;
    return { task, token, steps: hasGivenUp ? task.order.items.map(giveUp) : await plan(task) };
  } catch (cause) {
    return { task, token, steps: undefined, cause };
  }
}

/** Writes down how a planned task ends, or that it broke down. @throws StoreFailure where neither can be written */
function createEnding({ tasks, clock, log }: RunnerOptions, waiters: TaskWaiters) {
  async function finish(task: Task, token: string, steps: readonly TaskStep[]): Promise<void> {
    const results = await tasks.finish(task.id, token, steps, clock());
    if (results === undefined) return;
    waiters.finish(task.id, results);
    const refused = results.filter(({ problem }) => problem !== undefined).length;
    const facts = { task: task.id, kind: task.order.kind, items: results.length, refused };
    log.info('task-finished', { ...facts, waited_ms: Math.round(clock() - task.createdAt) });
  }

  async function postpone({ id, failures }: Task, token: string, cause: unknown): Promise<void> {
    log.error('task-failed', { task: id, failures: failures + 1, reason: reasonOf(cause) });
    await tasks.postpone(id, token, later(clock(), (failures + 1) * RETRY_AFTER));
  }

  return async ({ task, token, steps, cause }: Planned): Promise<void> => {
    if (steps === undefined) return postpone(task, token, cause);
    try {
      await finish(task, token, steps);
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      await postpone(task, token, error);
    }
  };
}

function newLease({ random, clock }: RunnerOptions): Lease {
  return { token: hexOf(random(new Uint8Array(16))), until: later(clock(), LEASE) };
}

/** Invariant: between two writes requests get their turn; a queue that drains must not hold up a visitor. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function giveUp(): TaskStep {
  return { do: 'refuse', result: { problem: 'internal-error' } };
}
