import { describe, expect, test } from 'bun:test';
import { createTickLimiter } from '../../src/lib/tickLimiter.ts';

function createScene(perTick: number) {
  const scheduled: (() => void)[] = [];
  const waitForTick = createTickLimiter(perTick, (run) => scheduled.push(run));
  const log: number[] = [];
  return {
    scheduled,
    log,
    enter: async (number: number) => {
      await waitForTick();
      log.push(number);
    },
    /** Runs one iteration of the loop. */
    tick: async () => {
      for (const run of scheduled.splice(0)) run();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

describe('a tick limiter', () => {
  test('lets callers continue immediately up to the limit', () => {
    const waitForTick = createTickLimiter(2, () => {});
    expect([waitForTick(), waitForTick()]).toEqual([undefined, undefined]);
    expect(waitForTick()).toBeInstanceOf(Promise);
  });

  test('lets a fixed number continue in each iteration of the loop, in the order of the calls', async () => {
    const { enter, tick, log } = createScene(2);
    const all = [1, 2, 3, 4, 5].map(enter);
    await Promise.resolve();
    expect(log).toEqual([1, 2]);
    await tick();
    expect(log).toEqual([1, 2, 3, 4]);
    const late = enter(6);
    await tick();
    expect(log).toEqual([1, 2, 3, 4, 5, 6]);
    await Promise.all([...all, late]);
  });

  test('schedules nothing without callers', async () => {
    const { enter, tick, scheduled } = createScene(1);
    await enter(1);
    await tick();
    await tick();
    expect(scheduled).toEqual([]);
  });
});
