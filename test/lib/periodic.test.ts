import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { type Periodic, startPeriodic } from '../../src/lib/periodic.ts';

const EVERY_MS = 1000;

let periodic: Periodic;
let isPaused: boolean;
/** Runs that were started; each ends when the test resolves it. */
let runs: PromiseWithResolvers<void>[];

const realImmediate = globalThis.setImmediate;
const settle = () => new Promise<void>((resolve) => realImmediate(() => resolve()));

async function advance(milliseconds = EVERY_MS): Promise<void> {
  jest.advanceTimersByTime(milliseconds);
  await settle();
}

async function finish(run: number): Promise<void> {
  runs[run]?.resolve();
  await settle();
}

beforeEach(() => {
  jest.useFakeTimers();
  isPaused = false;
  runs = [];
  periodic = startPeriodic({
    work() {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    everyMs: EVERY_MS,
    isPaused: () => isPaused,
  });
});

afterEach(() => {
  void periodic.stop();
  jest.useRealTimers();
});

describe('periodic work', () => {
  test('runs after each interval', async () => {
    await advance(EVERY_MS - 1);
    expect(runs).toHaveLength(0);
    await advance(1);
    expect(runs).toHaveLength(1);
    await finish(0);
    await advance();
    expect(runs).toHaveLength(2);
  });

  test('skips an interval while a run is in progress', async () => {
    await advance(3 * EVERY_MS);
    expect(runs).toHaveLength(1);
    expect(periodic.isRunning()).toBe(true);
    await finish(0);
    expect([runs.length, periodic.isRunning()]).toEqual([1, false]);
    await advance();
    expect(runs).toHaveLength(2);
  });

  test('skips an interval while it is paused, but runs on request', async () => {
    isPaused = true;
    await advance();
    expect(runs).toHaveLength(0);
    void periodic.run();
    expect(runs).toHaveLength(1);
  });

  test('runs once more for all requests during a run', async () => {
    const results: string[] = [];
    void periodic.run().then(() => results.push('first'));
    for (let i = 0; i < 3; i++) void periodic.run().then(() => results.push('second'));
    await settle();
    expect(runs).toHaveLength(1);
    await finish(0);
    expect([runs.length, results]).toEqual([2, ['first']]);
    void periodic.run();
    await finish(1);
    expect(runs).toHaveLength(3);
    expect(results).toEqual(['first', 'second', 'second', 'second']);
  });

  test('does not run after it is stopped, which waits for the current and the requested run', async () => {
    void periodic.run();
    void periodic.run();
    let isStopped = false;
    void periodic.stop().then(() => {
      isStopped = true;
    });
    await finish(0);
    expect([runs.length, isStopped]).toEqual([2, false]);
    await finish(1);
    expect(isStopped).toBe(true);
    await advance(5 * EVERY_MS);
    expect(runs).toHaveLength(2);
  });

  test('runs on request after it is stopped', async () => {
    await periodic.stop();
    void periodic.run();
    expect(runs).toHaveLength(1);
  });

  /** The reactions to a run's promise take several microtasks, and a request can arrive in each of them. */
  test('never overlaps, whenever a request arrives after a run has ended', async () => {
    for (let microtasks = 0; microtasks < 8; microtasks++) {
      let running = 0;
      let most = 0;
      let ended = Promise.resolve();
      const overlapping = startPeriodic({
        async work() {
          most = Math.max(most, ++running);
          await ended;
          running--;
        },
        everyMs: EVERY_MS,
      });
      const end = Promise.withResolvers<void>();
      ended = end.promise;
      void overlapping.run();
      const requested = overlapping.run();
      end.resolve();
      for (let i = 0; i < microtasks; i++) await undefined;
      await Promise.all([requested, overlapping.run()]);
      await overlapping.stop();
      expect([microtasks, most]).toEqual([microtasks, 1]);
    }
  });

  test('a run that fails starts the requested run, and rejects only its own promise', async () => {
    const first = periodic.run();
    const second = periodic.run();
    runs[0]?.reject(new Error('failed'));
    expect(await first.catch((error: Error) => error.message)).toBe('failed');
    await settle();
    expect(runs).toHaveLength(2);
    await finish(1);
    expect(await second).toBeUndefined();
  });

  test('stopping also waits for a run that was requested during the last one', async () => {
    void periodic.run();
    void periodic.run();
    let isStopped = false;
    void periodic.stop().then(() => {
      isStopped = true;
    });
    await finish(0);
    void periodic.run();
    await finish(1);
    expect([runs.length, isStopped]).toEqual([3, false]);
    await finish(2);
    expect(isStopped).toBe(true);
  });
});
