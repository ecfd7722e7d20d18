import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { createTaskWaiters } from '../../src/jobs/taskWaiters.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';
import { StoreFailure } from '../../src/model/storeFailure.ts';
import type { TaskId } from '../../src/model/task.ts';
import { settle, useScene } from './runnerScene.ts';

const idOf = (number: number) => number.toString(16).padStart(32, '0') as TaskId;
const RESULTS = [{ propertyId: 7 as PropertyId }];

describe('waiting for a task', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('returns the results to every caller that waits for this task, and to no other', async () => {
    const waiters = createTaskWaiters();
    const [first, second, other] = [waiters.wait(idOf(1)), waiters.wait(idOf(1)), waiters.wait(idOf(2))];
    waiters.finish(idOf(1), RESULTS);
    expect(await Promise.all([first, second])).toEqual([RESULTS, RESULTS]);
    waiters.stop();
    expect(await other).toBeUndefined();
  });

  test('ends without results after eight seconds', async () => {
    const waiters = createTaskWaiters();
    let ended = false;
    const wait = waiters.wait(idOf(1)).then((results) => {
      ended = true;
      return results;
    });
    jest.advanceTimersByTime(7999);
    await Promise.resolve();
    expect(ended).toBe(false);
    jest.advanceTimersByTime(1);
    expect(await wait).toBeUndefined();
  });

  test('ends at once if 1,000 callers wait, until one of them has its answer', async () => {
    const waiters = createTaskWaiters();
    const waits = Array.from({ length: 1000 }, (_, number) => waiters.wait(idOf(number)));
    expect(await waiters.wait(idOf(1))).toBeUndefined();
    waiters.finish(idOf(0), RESULTS);
    expect(await waits[0]).toEqual(RESULTS);
    const next = waiters.wait(idOf(1));
    waiters.finish(idOf(1), RESULTS);
    expect(await next).toEqual(RESULTS);
    waiters.stop();
  });

  test('ends at once after a stop', async () => {
    const waiters = createTaskWaiters();
    waiters.stop();
    expect(await waiters.wait(idOf(1))).toBeUndefined();
  });
});

describe('the runner', () => {
  const { scene, start, waiting, advance, endPlan, written } = useScene();

  test('reports the results of a task when it is finished', async () => {
    scene.tasks.add(1);
    const { finished } = await start(waiting);
    let results: unknown;
    void finished(idOf(1)).then((ended) => {
      results = ended;
    });
    await settle();
    expect(results).toBeUndefined();
    await endPlan(1);
    expect(results).toEqual([{}]);
  });

  test('reports the results of a task that another server finished', async () => {
    scene.tasks.add(1);
    const { finished, checkWaits } = await start({ ...waiting, isClustered: true });
    let results: unknown;
    void finished(idOf(1)).then((ended) => {
      results = ended;
    });
    checkWaits();
    await settle();
    expect(results).toBeUndefined();
    const token = scene.tasks.tokenOf(1) ?? '';
    await scene.tasks.finish(idOf(1), token, [{ do: 'reject', result: RESULTS[0] as never }], 0 as Instant);
    checkWaits();
    await settle();
    expect(results).toEqual(RESULTS);
  });

  test('notices within a second, without a call, that another server finished a task', async () => {
    scene.tasks.add(1);
    const { finished } = await start({ ...waiting, isClustered: true });
    const wait = finished(idOf(1));
    const token = scene.tasks.tokenOf(1) ?? '';
    await scene.tasks.finish(idOf(1), token, [{ do: 'reject', result: RESULTS[0] as never }], 0 as Instant);
    await advance(1000);
    expect(await wait).toEqual(RESULTS);
  });

  test('continues after a failure to read the results', async () => {
    const { finished, checkWaits } = await start({
      ...waiting,
      isClustered: true,
      tasks: {
        ...scene.tasks,
        async resultsOf() {
          throw new StoreFailure('broken');
        },
      },
    });
    const wait = finished(idOf(1));
    checkWaits();
    await settle();
    expect(scene.failures).toHaveLength(1);
    await advance(8000);
    expect(await wait).toBeUndefined();
  });

  test('lets other servers continue the tasks that it was planning when it stopped', async () => {
    scene.tasks.add(1);
    const runner = await start({ ...waiting, isClustered: true });
    await runner.stop();
    const lease = { token: 'other', until: 60_000 as Instant };
    expect((await scene.tasks.claim(lease, 0 as Instant))?.id).toBe(idOf(1));
    await endPlan(1);
    expect(written('finish')).toEqual([]);
  });

  test('ends all waits when it stops', async () => {
    scene.tasks.add(1);
    const runner = await start(waiting);
    const wait = runner.finished(idOf(1));
    void runner.stop();
    expect(await wait).toBeUndefined();
  });
});
