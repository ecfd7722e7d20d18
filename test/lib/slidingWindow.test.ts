import { describe, expect, test } from 'bun:test';
import { createSlidingWindow } from '../../src/lib/slidingWindow.ts';
import { createVirtualTime } from '../support/virtualTime.ts';

function createScene(limit = 4) {
  const time = createVirtualTime();
  const window = createSlidingWindow({ limit, periodMs: 1000, now: time.now, timer: time.timer });
  const started: [name: string, at: number][] = [];
  /** Makes a reservation, starts it immediately, and settles it. */
  const go = async (name: string, count = 1, actual = count) => {
    const reservation = await window.reserve(count);
    reservation.start();
    started.push([name, time.now()]);
    reservation.settle(actual);
  };
  return { time, window, started, go };
}

describe('a window of four events per second', () => {
  test('starts four immediately and the others a second later, in order', async () => {
    const { time, started, go } = createScene();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) void go(name);
    while (await time.step()) {}
    expect(started).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
      ['d', 0],
      ['e', 1000],
      ['f', 1000],
    ]);
  });

  test('applies to every second, wherever it begins', async () => {
    const { time, started, go } = createScene();
    for (let i = 0; i < 40; i++) {
      void go(`${i}`);
      await time.pass(90);
    }
    while (await time.step()) {}
    const times = started.map(([, at]) => at);
    expect(times).toHaveLength(40);
    for (const at of times)
      expect(times.filter((one) => one >= at && one < at + 1000).length).toBeLessThanOrEqual(4);
  });

  test('returns unused events to the limit', async () => {
    const { time, started, go } = createScene();
    for (const name of ['a', 'b', 'c']) void go(name, 3, 1);
    await time.pass(0);
    expect(started.map(([name]) => name)).toEqual(['a', 'b']);
    await time.pass(1000);
    expect(started.map(([name]) => name)).toEqual(['a', 'b', 'c']);
  });

  test('counts additional events', async () => {
    const { time, started, go } = createScene();
    void go('a', 1, 6);
    await time.pass(0);
    void go('b', 3);
    while (await time.step()) {}
    expect(started).toEqual([
      ['a', 0],
      ['b', 1000],
    ]);
  });

  test('counts a reservation in full until it starts, and for a second after that', async () => {
    const { time, window, started, go } = createScene();
    const reservation = await window.reserve(4);
    void go('b');
    await time.pass(5000);
    expect(started).toEqual([]);
    reservation.start();
    reservation.settle(4);
    await time.pass(999);
    expect(started).toEqual([]);
    await time.pass(1);
    expect(started).toEqual([['b', 6000]]);
  });

  test('continues when the period has passed, even if reservations are not settled', async () => {
    const { time, window, started, go } = createScene();
    const reservation = await window.reserve(3);
    void go('b', 2);
    reservation.start();
    await time.pass(1000);
    expect(started).toEqual([['b', 1000]]);
  });

  test('is idle a second after the last event', async () => {
    const { time, window, go } = createScene();
    expect(window.isIdle()).toBe(true);
    await go('a');
    expect(window.isIdle()).toBe(false);
    await time.pass(1000);
    expect(window.isIdle()).toBe(true);
  });
});
