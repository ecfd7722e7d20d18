import { describe, expect, test } from 'bun:test';
import type { TaskRunnerOptions } from '../../src/jobs/taskRunner.ts';
import { StoreFailure } from '../../src/model/storeFailure.ts';
import type { Task } from '../../src/model/task.ts';
import { numberOf } from './fakeTasks.ts';
import { settle, stepsOf, useScene } from './runnerScene.ts';

const { scene, start, advance, waiting, endPlan, written, eventsOf } = useScene();

describe('planning that fails', () => {
  test('is retried after 5, 10, 15, 20, and 25 s; then every item is rejected, and the next task runs', async () => {
    scene.tasks.add(1, 3);
    scene.tasks.add(1);
    const plan = async (task: Task) => {
      scene.started.push(numberOf(task));
      if (numberOf(task) === 1) throw new Error('broken');
      return stepsOf(task);
    };
    await start({ plan });
    const failedAt: number[] = [];
    for (let i = 0; i < 80; i++) {
      if (scene.tasks.postponedTo.length > failedAt.length) failedAt.push(scene.time);
      await advance(1000);
    }
    expect(scene.tasks.postponedTo.map((until, i) => until - (failedAt[i] ?? 0))).toEqual([
      5000, 10_000, 15_000, 20_000, 25_000,
    ]);
    expect(scene.started).toEqual([1, 1, 1, 1, 1, 2]);
    const rejection = { do: 'reject', result: { problem: 'internal-error' } } as const;
    expect(scene.tasks.steps.get(1)).toEqual([rejection, rejection, rejection]);
    expect(written('finish')).toEqual(['finish 1', 'finish 2']);
    expect(eventsOf('task-failed').map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5]);
    expect(eventsOf('task-finished')[0]).toMatchObject({ items: 3, rejected: 3 });
    expect(scene.metered.slice(0, 6)).toMatchObject([
      ...Array.from({ length: 5 }, () => 'failed'),
      { succeeded: 0, rejected: 3 },
    ]);
  });

  test("does not delay other users' tasks", async () => {
    for (const user of [1, 2]) scene.tasks.add(user);
    await start(waiting);
    await endPlan(1, 'badly');
    await endPlan(2);
    expect(written('finish')).toEqual(['finish 2']);
  });
});

describe('a database that fails', () => {
  const FULL = new StoreFailure('SQLITE_FULL: database or disk is full');

  /** A queue whose given methods fail while `isBroken`. */
  function broken(failure: Error, ...names: readonly (keyof TaskRunnerOptions['tasks'])[]) {
    const state = { isBroken: true, tries: 0 };
    const failing = { ...scene.tasks } as Record<string, unknown>;
    for (const name of names) {
      const method = scene.tasks[name] as (...args: readonly unknown[]) => Promise<unknown>;
      failing[name] = async (...args: readonly unknown[]) => {
        if (!state.isBroken) return method(...args);
        state.tries++;
        throw failure;
      };
    }
    return { state, tasks: failing as TaskRunnerOptions['tasks'] };
  }

  test('when a task is claimed is reported, and not tried again for five seconds', async () => {
    const { state, tasks: failing } = broken(FULL, 'claim');
    scene.tasks.add(1);
    const { checkQueue } = await start({ tasks: failing });
    for (let i = 0; i < 20; i++) checkQueue();
    await settle();
    expect([state.tries, scene.failures.length]).toEqual([1, 1]);
    await advance(10_000);
    expect(state.tries).toBe(3);
    state.isBroken = false;
    await advance(5000);
    expect(written('finish')).toEqual(['finish 1']);
  });

  test('when a task is finished is not tried again for five seconds; the task is not planned again', async () => {
    const { state, tasks: failing } = broken(FULL, 'finish');
    scene.tasks.add(1);
    const { checkQueue } = await start({ tasks: failing });
    for (let i = 0; i < 20; i++) checkQueue();
    await settle();
    expect([state.tries, scene.failures]).toEqual([1, [FULL]]);
    await advance(10_000);
    expect(state.tries).toBe(3);
    state.isBroken = false;
    await advance(5000);
    expect(written('finish')).toEqual(['finish 1']);
    expect(written('postpone')).toEqual([]);
    expect(scene.started).toEqual([1]);
    expect(eventsOf('task-failed')).toEqual([]);
  });

  test('for another reason postpones only that task', async () => {
    const { state, tasks: failing } = broken(new Error('no such column'), 'finish');
    scene.tasks.add(1);
    await start({ tasks: failing });
    expect(written('postpone')).toEqual(['postpone 1']);
    expect(eventsOf('task-failed')[0]).toMatchObject({ failures: 1, reason: 'no such column' });
    expect(scene.failures).toEqual([]);
    state.isBroken = false;
    await advance(5000);
    expect(scene.tasks.steps.get(1)).toEqual([{ do: 'delete', id: 0 as never }]);
  });

  test('when a lease is renewed is reported, while planning continues', async () => {
    const { tasks: failing } = broken(FULL, 'renew');
    scene.tasks.add(1);
    await start({ ...waiting, tasks: failing });
    await advance(16_000);
    expect(scene.failures).toHaveLength(1);
    await endPlan(1);
    expect(written('finish')).toEqual(['finish 1']);
  });
});
