import { expect, test } from 'bun:test';
import { startTaskRunner } from '../../src/jobs/taskRunner.ts';
import { createTaskWaiters } from '../../src/jobs/taskWaiters.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Instant } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import type { TaskId, TaskResult } from '../../src/model/task.ts';
import { withSeeds } from '../support/randomScheduler.ts';
import { createFakeTasks } from './fakeTasks.ts';
import { stepsOf } from './runnerScene.ts';

const RESULTS: readonly TaskResult[] = [];

test('every wait for a task ends with its results, its time limit, or the end of the runner', async () => {
  await withSeeds(300, async ({ random, time, mustSettle, run }) => {
    const waiters = createTaskWaiters(time.timer);
    const taskOf = () => `task ${random(3)}` as TaskId;
    const wait = () => void mustSettle('wait', waiters.wait(taskOf()));
    const finish = () => waiters.finish(taskOf(), RESULTS);
    const actions = Array.from({ length: 16 }, () => (random(3) === 0 ? finish : wait));
    if (random(2) === 0) actions.splice(random(16), 0, waiters.stop);
    await run(actions);
    expect(waiters.ids()).toEqual([]);
  });
});

test('every task is finished, in every order of new tasks, plans, failures, and answers of the store', async () => {
  await withSeeds(100, async ({ random, hold, holdOrFail, time, run }) => {
    const stored = createFakeTasks();
    const clock = () => time.now() as Instant;
    let nonce = 0;
    const runner = await startTaskRunner({
      tasks: {
        ...stored,
        claim: (lease, now) => hold().then(() => stored.claim(lease, now)),
        finish: (...finished) => hold().then(() => stored.finish(...finished)),
        postpone: (...postponed) => hold().then(() => stored.postpone(...postponed)),
      },
      plan: (task) => holdOrFail().then(() => stepsOf(task)),
      isClustered: false,
      isPaused: () => false,
      onFailure() {},
      clock,
      random: (bytes) => bytes.fill(++nonce),
      log: createLog({ limits: LOG_LIMITS, level: 'error', format: 'json', clock, write() {} }),
      meter: { finished() {}, failed() {} },
    });
    const add = () => {
      stored.add(random(3));
      runner.checkQueue();
    };
    let checks = 0;
    /** Stands for the check once a second. */
    const check = () => {
      runner.checkQueue();
      if (stored.steps.size < 6 && ++checks < 1000) time.timer(10_000, check);
    };
    check();
    await run(Array(6).fill(add));
    expect([stored.steps.size, runner.running()]).toEqual([6, 0]);
    await runner.stop();
  });
});
