import { describe, expect, test } from 'bun:test';
import { createHoldTime, MAX_HOLD_MS } from '../../../src/storage/postgres/ledger/holdTime.ts';

/** Numbers from 0 to before 1, always the same (Park and Miller, "Random number generators", 1988). */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Observes commits, and returns the hold times after each of them. */
function observe(holdTime: ReturnType<typeof createHoldTime>, count: number, next: () => number): number[] {
  return Array.from({ length: count }, () => {
    holdTime.observe(next());
    return holdTime.milliseconds();
  });
}

test('claims are not held before the first commits', () => {
  expect(createHoldTime().milliseconds()).toBe(0);
});

test.each([
  ['of the same duration', () => () => 0.4],
  ['on a remote database', () => () => 30],
  [
    'that vary by a factor of two',
    () =>
      (
        (random) => () =>
          0.5 + 0.5 * random()
      )(createRandom()),
  ],
  [
    'on a slow disk that vary by a factor of two',
    () =>
      (
        (random) => () =>
          8 + 8 * random()
      )(createRandom()),
  ],
  [
    'of which a tenth is very slow',
    () =>
      (
        (random) => () =>
          random() < 0.1 ? 200 : 0.4
      )(createRandom()),
  ],
])('claims are not held while the database is idle: commits %s', (_, createNext) => {
  expect(Math.max(...observe(createHoldTime(), 20_000, createNext()))).toBe(0);
});

test('claims are held up to the limit while commits take much longer than the shortest, and no longer after that', () => {
  const holdTime = createHoldTime();
  observe(holdTime, 100, () => 0.5);
  const busy = observe(holdTime, 200, () => 10);
  expect(Math.max(...busy)).toBe(MAX_HOLD_MS);
  expect(busy.at(-1)).toBe(MAX_HOLD_MS);
  const calm = observe(holdTime, 1000, () => 0.5);
  expect(calm.at(-1)).toBe(0);
});

test('the hold time changes in steps of at most 5 ms', () => {
  const holdTime = createHoldTime();
  const random = createRandom();
  const times = [0, ...observe(holdTime, 50_000, () => 0.5 + (random() < 0.3 ? 0 : 50 * random()))];
  const steps = times.slice(1).map((time, i) => Math.abs(time - (times[i] as number)));
  expect(Math.max(...steps)).toBe(5);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...times)).toBeLessThanOrEqual(MAX_HOLD_MS);
});

test('a database that has become slower permanently is not busy forever', () => {
  const holdTime = createHoldTime();
  observe(holdTime, 1000, () => 0.5);
  const slower = observe(holdTime, 10_000, () => 10);
  expect(Math.max(...slower)).toBe(MAX_HOLD_MS);
  expect(slower.at(-1)).toBe(0);
});

test('the hold time does not oscillate if any hold time makes the database seem idle', () => {
  const holdTime = createHoldTime();
  observe(holdTime, 100, () => 0.5);
  const times = observe(holdTime, 100_000, () => (holdTime.milliseconds() === 0 ? 10 : 0.5));
  const changes = times.filter((time, i) => i > 0 && time !== times[i - 1]).length;
  // Without the memory of earlier decreases, 100,000 commits would change the hold time 2,500 times.
  expect(changes).toBeLessThan(70);
  expect(times.filter((time) => time === 0).length).toBeLessThan(1500);
});

test.each([2, 5, 20, 100])('%d nodes on one database reach stable hold times', (nodeCount) => {
  // The utilization without groups is 95%. The duration of a commit follows a queue (M/M/1); 1 ms is the shortest.
  const rate = 950 / nodeCount;
  const nodes = Array.from({ length: nodeCount }, createHoldTime);
  const random = createRandom();
  let changes = 0;
  for (const node of nodes) observe(node, 100, () => 1);
  for (let round = 0; round < 20_000; round++) {
    const transactions = nodes.reduce(
      (sum, node) => sum + rate / Math.min(8, 1 + (rate * node.milliseconds()) / 1000),
      0,
    );
    const mean = 1 / (1 - transactions / 1000);
    for (const node of nodes) {
      const before = node.milliseconds();
      node.observe(1 + (mean - 1) * 2 * random());
      if (round >= 10_000 && node.milliseconds() !== before) changes++;
    }
  }
  // 625 decisions per node.
  expect(changes / nodeCount).toBeLessThan(20);
});

describe('the hold time', () => {
  const WINDOW = 16;
  /** Durations when commits usually take one millisecond: neither 2.5 nor 4 is calm or busy. */
  const [CALM, BETWEEN, BUSY] = [1, 3, 10];

  /** A hold time after a window of usual commits. */
  function open() {
    const holdTime = createHoldTime();
    const windows = (count: number, duration: number) =>
      Array.from({ length: count }, () => {
        for (let commit = 0; commit < WINDOW; commit++) holdTime.observe(duration);
        return holdTime.milliseconds();
      });
    windows(1, CALM);
    return { windows, holdTime };
  }

  test('increases by 5 ms with each busy window of 16 commits, up to 25 ms', () => {
    const { windows, holdTime } = open();
    for (let commit = 0; commit < WINDOW - 1; commit++) holdTime.observe(BUSY);
    expect(holdTime.milliseconds()).toBe(0);
    holdTime.observe(BUSY);
    expect(holdTime.milliseconds()).toBe(5);
    expect(windows(6, BUSY)).toEqual([10, 15, 20, 25, 25, 25]);
  });

  test('does not change between calm and busy', () => {
    const { windows } = open();
    windows(3, BUSY);
    for (const duration of [2.5, 3, 4]) expect(windows(6, duration)).toEqual(Array(6).fill(15));
    expect(windows(1, 4.001)).toEqual([20]);
    expect(windows(4, 2.499)).toEqual([20, 20, 20, 15]);
  });

  test('decreases by 5 ms after each four consecutive calm windows', () => {
    const { windows } = open();
    windows(3, BUSY);
    expect(windows(9, CALM)).toEqual([15, 15, 15, 10, 10, 10, 10, 5, 5]);
    windows(1, BETWEEN);
    expect(windows(4, CALM)).toEqual([5, 5, 5, 0]);
  });

  test('decreases after twice as many calm windows each time it has increased after a decrease', () => {
    const { windows } = open();
    windows(5, BUSY);
    windows(3, CALM);
    // It has not decreased, so four windows remain enough, but they start again.
    windows(1, BUSY);
    expect(windows(4, CALM)).toEqual([25, 25, 25, 20]);
    windows(2, BUSY);
    expect(windows(8, CALM)).toEqual([...Array(7).fill(25), 20]);
    windows(1, BUSY);
    expect(windows(16, CALM)).toEqual([...Array(15).fill(25), 20]);
  });

  test('decreases as early as at first after it was calm without holding claims', () => {
    const { windows } = open();
    windows(1, BUSY);
    windows(4, CALM);
    windows(1, BUSY);
    expect(windows(8, CALM)).toEqual([...Array(7).fill(5), 0]);
    windows(8, CALM);
    windows(1, BUSY);
    expect(windows(4, CALM)).toEqual([5, 5, 5, 0]);
    windows(4, CALM);
    windows(1, BUSY);
    expect(windows(4, CALM)).toEqual([5, 5, 5, 0]);
  });

  test('depends on the shortest commit, which is forgotten gradually after 512 commits', () => {
    const { windows, holdTime } = open();
    windows(31, CALM);
    // The last 512 commits contain one of 1 ms.
    expect(windows(1, 4.2)).toEqual([5]);
    windows(31, 2.6);
    windows(32, 2.6);
    // Then, the shortest commit is taken to be 1.5 ms, so commits are busy above 5.5 ms.
    const before = holdTime.milliseconds();
    expect(windows(2, 5.4)).toEqual([before, before]);
    expect(windows(1, 9)[0]).toBeGreaterThan(before);
  });
});
