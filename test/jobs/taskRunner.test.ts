import { describe, expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import type { FakeTasks } from './fakeTasks.ts';
import { MINUTE, settle, useScene } from './runnerScene.ts';

const { scene, start, advance, waiting, endPlan, written, eventsOf } = useScene();

describe('order of execution', () => {
  test("one user's tasks run one after another, in the order of submission", async () => {
    for (let i = 0; i < 5; i++) scene.tasks.add(1);
    await start();
    await settle(40);
    const each = [1, 2, 3, 4, 5].flatMap((number) => [`claim ${number}`, `finish ${number}`]);
    expect(scene.tasks.written).toEqual(['release', ...each]);
  });

  test("a user's next task is not planned while one is in progress", async () => {
    for (let i = 0; i < 2; i++) scene.tasks.add(1);
    await start(waiting);
    await advance(3000);
    expect(scene.started).toEqual([1]);
    await endPlan(1);
    expect(scene.started).toEqual([1, 2]);
  });

  test('tasks of different users run in parallel', async () => {
    for (const user of [1, 2, 2]) scene.tasks.add(user);
    await start(waiting);
    expect(scene.started).toEqual([1, 2]);
    await endPlan(2);
    await endPlan(3);
    expect(written('finish')).toEqual(['finish 2', 'finish 3']);
  });

  test('at most 512 tasks are planned in parallel', async () => {
    for (let user = 1; user <= 520; user++) scene.tasks.add(user);
    await start(waiting);
    await settle(600);
    expect(scene.started).toHaveLength(512);
    await advance(2000);
    expect(scene.started).toHaveLength(512);
    await endPlan(40);
    expect(scene.started).toHaveLength(513);
    expect(scene.started.at(-1)).toBe(513);
  });

  // Regression: a thousand tasks without network access were executed at once and delayed puzzles by seconds.
  test('other events are handled between two writes', async () => {
    for (let user = 1; user <= 4; user++) for (let i = 0; i < 3; i++) scene.tasks.add(user);
    await start();
    let maxWrites = 0;
    while (written('finish').length < 12) {
      const before = scene.tasks.written.length;
      await settle(1);
      maxWrites = Math.max(maxWrites, scene.tasks.written.length - before);
    }
    expect(maxWrites).toBe(1);
  });
});

describe('checking the queue on request', () => {
  test('starts a new task immediately', async () => {
    const { checkQueue } = await start();
    scene.tasks.add(1);
    await settle();
    expect(scene.started).toEqual([]);
    checkQueue();
    await settle();
    expect(written('finish')).toEqual(['finish 1']);
  });

  test('repeats a check that is in progress', async () => {
    const { claim } = scene.tasks;
    let hasAdded = false;
    const late: FakeTasks = {
      ...scene.tasks,
      async claim(lease, now) {
        const found = await claim(lease, now);
        if (found === undefined && !hasAdded) {
          hasAdded = true;
          scene.tasks.add(1);
          scene.runner?.checkQueue();
        }
        return found;
      },
    };
    const { checkQueue } = await start({ tasks: late });
    // The first check ran before `scene.runner` was set.
    hasAdded = false;
    checkQueue();
    await settle();
    expect(written('finish')).toEqual(['finish 1', 'finish 2']);
  });

  test('is not necessary: the runner notices a new task within a second', async () => {
    await start();
    scene.tasks.add(1);
    await advance(1000);
    expect(written('finish')).toEqual(['finish 1']);
  });
});

describe('during maintenance', () => {
  test('no task is started until it ends', async () => {
    scene.isPaused = true;
    scene.tasks.add(1);
    const { checkQueue } = await start();
    checkQueue();
    await advance(3000);
    expect(scene.tasks.written).toEqual(['release']);
    scene.isPaused = false;
    await advance(1000);
    expect(written('finish')).toEqual(['finish 1']);
  });

  // Regression: tasks whose planning had begun before were written.
  test('planned tasks are not written until it ends, and are not planned again', async () => {
    for (const user of [1, 2]) scene.tasks.add(user);
    await start(waiting);
    scene.isPaused = true;
    const before = scene.tasks.written.length;
    await endPlan(1);
    await endPlan(2, 'badly');
    await advance(3 * MINUTE);
    expect(scene.tasks.written).toHaveLength(before);
    scene.isPaused = false;
    await advance(1000);
    expect(scene.tasks.written.slice(before)).toEqual(['finish 1', 'postpone 2']);
    expect(scene.started).toEqual([1, 2]);
  });

  test('no lease is renewed', async () => {
    scene.tasks.add(1);
    await start(waiting);
    scene.isPaused = true;
    await advance(MINUTE);
    expect(written('renew')).toEqual([]);
  });
});

describe('a lease', () => {
  test('is renewed every 15 seconds during planning', async () => {
    scene.tasks.add(1);
    await start(waiting);
    await advance(2 * MINUTE + 5000);
    expect(written('renew')).toHaveLength(8);
    expect(scene.started).toEqual([1]);
    await endPlan(1);
    await advance(MINUTE);
    expect(written('renew')).toHaveLength(8);
    expect(written('finish')).toEqual(['finish 1']);
  });

  test('that was lost prevents the task from being finished', async () => {
    scene.tasks.add(1);
    await start(waiting);
    scene.tasks.steal(1);
    await endPlan(1);
    expect(written('finish')).toEqual([]);
    expect(eventsOf('task-finished')).toEqual([]);
    await advance(MINUTE);
    expect(scene.started).toEqual([1, 1]);
  });

  test('of an earlier process is released before any task starts', async () => {
    scene.tasks.add(1);
    await scene.tasks.claim({ token: 'earlier process', until: 1e15 as Instant }, 0 as Instant);
    scene.tasks.written.length = 0;
    await start();
    expect(scene.tasks.written).toEqual(['release', 'claim 1', 'finish 1']);
  });
});

describe('stopping', () => {
  test('leaves tasks in the planning phase to the next process, and starts no further task', async () => {
    for (const user of [1, 2]) scene.tasks.add(user);
    const { stop, checkQueue } = await start(waiting);
    stop();
    const before = scene.tasks.written.length;
    scene.tasks.add(3);
    checkQueue();
    await endPlan(1);
    await endPlan(2, 'badly');
    await advance(MINUTE);
    expect(scene.tasks.written).toHaveLength(before);
    await start();
    expect(written('finish')).toEqual(['finish 1', 'finish 2', 'finish 3']);
  });

  test('ends a check that is in progress', async () => {
    for (let user = 1; user <= 30; user++) scene.tasks.add(user);
    const { stop } = await start(waiting);
    stop();
    const before = scene.tasks.written.length;
    expect(before).toBeLessThan(30);
    await settle(50);
    expect(scene.tasks.written).toHaveLength(before);
  });
});
