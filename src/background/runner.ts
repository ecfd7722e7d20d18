import { hexOf } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { type Clock, later, MINUTE, SECOND } from '../lib/time.ts';
import type { Lease, TaskStep, TaskStore } from '../model/ports.ts';
import type { Task } from '../model/task.ts';

/** Carries out tasks, oldest first, one of each user at a time. */
export type Runner = {
  /** There may be something to do. A nudge that is lost costs one look, a second. */
  readonly nudge: () => void;
  /** Takes up nothing more; what is being planned is left to the next start. */
  readonly stop: () => void;
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
const WIDTH = 64;
/** How often is looked for what no nudge told of: lapsed leases, a maintenance that ended. */
const LOOK_MS = SECOND;
/** A lease is renewed three times before it would lapse. */
const LEASE = MINUTE;
const RENEW_MS = LEASE / 4;
/** After a breakdown, times the number of breakdowns. */
const RETRY_AFTER = 5 * SECOND;
/** Then every item is refused: a task that cannot be planned must not hold up its user's others for ever. */
const MAX_FAILURES = 5;

/** Takes up at once what an earlier process left unfinished. */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { tasks, clock, log } = options;
  let running = 0;
  let isLooking = false;
  let isNudged = false;
  let isStopped = false;
  await tasks.releaseAll();

  async function look(): Promise<void> {
    isNudged = true;
    if (isLooking) return;
    isLooking = true;
    // Who nudges during a look gets another one: this one may have been past it.
    while (isNudged && !isStopped && !options.isPaused()) {
      isNudged = false;
      try {
        await takeUp();
      } catch (error) {
        options.onFailure(error);
      }
    }
    isLooking = false;
  }

  async function takeUp(): Promise<void> {
    while (running < WIDTH && !isStopped) {
      const lease = newLease();
      const task = await tasks.claim(lease, clock());
      if (task === undefined) return;
      running++;
      void run(task, lease);
    }
  }

  function newLease(): Lease {
    return { token: hexOf(options.random(new Uint8Array(16))), until: later(clock(), LEASE) };
  }

  async function run(task: Task, { token }: Lease): Promise<void> {
    const renewal = setInterval(() => void renew(task, token), RENEW_MS);
    try {
      const hasGivenUp = task.failures >= MAX_FAILURES;
      const steps = hasGivenUp ? task.order.items.map(giveUp) : await options.plan(task);
      if (!isStopped) await finish(task, token, steps);
    } catch (error) {
      await postpone(task, token, error);
    } finally {
      clearInterval(renewal);
      running--;
      void look();
    }
  }

  async function postpone({ id, failures }: Task, token: string, cause: unknown): Promise<void> {
    if (isStopped) return;
    log.error('task-failed', { task: id, failures: failures + 1, reason: reasonOf(cause) });
    try {
      await tasks.postpone(id, token, later(clock(), (failures + 1) * RETRY_AFTER));
    } catch (error) {
      // The lease lapses, and it is taken up again.
      options.onFailure(error);
    }
  }

  async function renew({ id }: Task, token: string): Promise<void> {
    if (isStopped) return;
    try {
      await tasks.renew(id, { token, until: later(clock(), LEASE) });
    } catch (error) {
      options.onFailure(error);
    }
  }

  async function finish(task: Task, token: string, steps: readonly TaskStep[]): Promise<void> {
    const results = await tasks.finish(task.id, token, steps, clock());
    if (results === undefined) return;
    const refused = results.filter(({ problem }) => problem !== undefined).length;
    const facts = { task: task.id, kind: task.order.kind, items: results.length, refused };
    log.info('task-finished', { ...facts, waited_ms: Math.round(clock() - task.createdAt) });
  }

  const timer = setInterval(() => void look(), LOOK_MS);
  void look();
  return {
    nudge: () => void look(),
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

function giveUp(): TaskStep {
  return { do: 'refuse', result: { problem: 'internal-error' } };
}
