import { describe, expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import type { FakeTasks } from './fakeTasks.ts';
import { MINUTE, settle, useScene } from './runnerScene.ts';

const { scene, start, turn, waiting, endPlan, written, eventsOf } = useScene();

describe('the order', () => {
  test("one user's tasks end one after another, in the order given", async () => {
    for (let i = 0; i < 5; i++) scene.tasks.add(1);
    await start();
    await settle(40);
    const each = [1, 2, 3, 4, 5].flatMap((number) => [`claim ${number}`, `finish ${number}`]);
    expect(scene.tasks.written).toEqual(['release', ...each]);
  });

  test("the next of a user's tasks is not planned while one is", async () => {
    for (let i = 0; i < 2; i++) scene.tasks.add(1);
    await start(waiting);
    await turn(3000);
    expect(scene.begun).toEqual([1]);
    await endPlan(1);
    expect(scene.begun).toEqual([1, 2]);
  });

  test('users go side by side: the quick one ends while the slow one is planned', async () => {
    for (const user of [1, 2, 2]) scene.tasks.add(user);
    await start(waiting);
    expect(scene.begun).toEqual([1, 2]);
    await endPlan(2);
    await endPlan(3);
    expect(written('finish')).toEqual(['finish 2', 'finish 3']);
  });

  test('512 users at once, and the next when one of them has ended', async () => {
    for (let user = 1; user <= 520; user++) scene.tasks.add(user);
    await start(waiting);
    await settle(600);
    expect(scene.begun).toHaveLength(512);
    await turn(2000);
    expect(scene.begun).toHaveLength(512);
    await endPlan(40);
    expect(scene.begun).toHaveLength(513);
    expect(scene.begun.at(-1)).toBe(513);
  });

  // A thousand tasks that needed no network were carried out in one go, and no visitor got a puzzle for seconds.
  test('between two writes requests get their turn', async () => {
    for (let user = 1; user <= 4; user++) for (let i = 0; i < 3; i++) scene.tasks.add(user);
    await start();
    let most = 0;
    while (written('finish').length < 12) {
      const before = scene.tasks.written.length;
      await settle(1);
      most = Math.max(most, scene.tasks.written.length - before);
    }
    expect(most).toBe(1);
  });
});

describe('a nudge', () => {
  test('wakes at once, without the clock', async () => {
    const { nudge } = await start();
    scene.tasks.add(1);
    await settle();
    expect(scene.begun).toEqual([]);
    nudge();
    await settle();
    expect(written('finish')).toEqual(['finish 1']);
  });

  test('during a look that is past it is not lost', async () => {
    const { claim } = scene.tasks;
    let hasCome = false;
    const late: FakeTasks = {
      ...scene.tasks,
      async claim(lease, now) {
        const found = await claim(lease, now);
        if (found === undefined && !hasCome) {
          hasCome = true;
          scene.tasks.add(1);
          scene.runner?.nudge();
        }
        return found;
      },
    };
    const { nudge } = await start({ tasks: late });
    // The look at the start came before there was a runner to nudge.
    hasCome = false;
    nudge();
    await settle();
    expect(written('finish')).toEqual(['finish 1', 'finish 2']);
  });

  test('that never comes costs a second', async () => {
    await start();
    scene.tasks.add(1);
    await turn(1000);
    expect(written('finish')).toEqual(['finish 1']);
  });
});

describe('in maintenance', () => {
  test('nothing is taken up, and all of it afterwards', async () => {
    scene.isPaused = true;
    scene.tasks.add(1);
    const { nudge } = await start();
    nudge();
    await turn(3000);
    expect(scene.tasks.written).toEqual(['release']);
    scene.isPaused = false;
    await turn(1000);
    expect(written('finish')).toEqual(['finish 1']);
  });

  // It was written all the same, where the planning had begun before.
  test('nothing is written of what was planned before it began; it ends afterwards, planned once', async () => {
    for (const user of [1, 2]) scene.tasks.add(user);
    await start(waiting);
    scene.isPaused = true;
    const before = scene.tasks.written.length;
    await endPlan(1);
    await endPlan(2, 'badly');
    await turn(3 * MINUTE);
    expect(scene.tasks.written).toHaveLength(before);
    scene.isPaused = false;
    await turn(1000);
    expect(scene.tasks.written.slice(before)).toEqual(['finish 1', 'postpone 2']);
    expect(scene.begun).toEqual([1, 2]);
  });

  test('no lease is renewed', async () => {
    scene.tasks.add(1);
    await start(waiting);
    scene.isPaused = true;
    await turn(MINUTE);
    expect(written('renew')).toEqual([]);
  });
});

describe('a lease', () => {
  test('is renewed every quarter of a minute, as long as planning takes', async () => {
    scene.tasks.add(1);
    await start(waiting);
    await turn(2 * MINUTE + 5000);
    expect(written('renew')).toHaveLength(8);
    expect(scene.begun).toEqual([1]);
    await endPlan(1);
    await turn(MINUTE);
    expect(written('renew')).toHaveLength(8);
    expect(written('finish')).toEqual(['finish 1']);
  });

  test('that was lost makes the plan worthless', async () => {
    scene.tasks.add(1);
    await start(waiting);
    scene.tasks.steal(1);
    await endPlan(1);
    expect(written('finish')).toEqual([]);
    expect(eventsOf('task-finished')).toEqual([]);
    await turn(MINUTE);
    expect(scene.begun).toEqual([1, 1]);
  });

  test('of an earlier process is ended before anything is taken up', async () => {
    scene.tasks.add(1);
    await scene.tasks.claim({ token: 'of the dead', until: 1e15 as Instant }, 0 as Instant);
    scene.tasks.written.length = 0;
    await start();
    expect(scene.tasks.written).toEqual(['release', 'claim 1', 'finish 1']);
  });
});

describe('stopping', () => {
  test('leaves what is planned to the next start, and takes up nothing more', async () => {
    for (const user of [1, 2]) scene.tasks.add(user);
    const { stop, nudge } = await start(waiting);
    stop();
    const before = scene.tasks.written.length;
    scene.tasks.add(3);
    nudge();
    await endPlan(1);
    await endPlan(2, 'badly');
    await turn(MINUTE);
    expect(scene.tasks.written).toHaveLength(before);
    await start();
    expect(written('finish')).toEqual(['finish 1', 'finish 2', 'finish 3']);
  });

  test('in the middle of a look ends it', async () => {
    for (let user = 1; user <= 30; user++) scene.tasks.add(user);
    const { stop } = await start(waiting);
    stop();
    const before = scene.tasks.written.length;
    expect(before).toBeLessThan(30);
    await settle(50);
    expect(scene.tasks.written).toHaveLength(before);
  });
});
