import { expect, test } from 'bun:test';
import { startPeriodicFlush } from '../../src/jobs/usageFlush.ts';

/** A flush whose timer does not run during the test. */
function open(batches: number) {
  const state = { left: batches, isPaused: false, failure: undefined as Error | undefined };
  const failures: unknown[] = [];
  const periodicFlush = startPeriodicFlush({
    async flush() {
      if (state.failure !== undefined) throw state.failure;
      state.left--;
      return state.left > 0;
    },
    everyMs: 3_600_000,
    isPaused: () => state.isPaused,
    onFailure: (error) => failures.push(error),
  });
  return { periodicFlush, state, failures };
}

test('stopping writes all remaining batches', async () => {
  const { periodicFlush, state } = open(3);
  await periodicFlush.stop();
  expect(state.left).toBe(0);
});

test('nothing is written during a pause', async () => {
  const { periodicFlush, state, failures } = open(3);
  state.isPaused = true;
  await periodicFlush.stop();
  expect(state.left).toBe(3);
  expect(failures).toEqual([]);
});

test('flushing continues after a pause', async () => {
  const checked = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  let isPaused = true;
  const periodicFlush = startPeriodicFlush({
    async flush() {
      written.resolve();
      return false;
    },
    everyMs: 1,
    isPaused() {
      checked.resolve();
      return isPaused;
    },
    onFailure: () => {},
  });
  await checked.promise;
  isPaused = false;
  await written.promise;
  await periodicFlush.stop();
});

test('a failure is reported and does not prevent stopping', async () => {
  const { periodicFlush, state, failures } = open(3);
  state.failure = new Error('disk full');
  await periodicFlush.stop();
  expect(failures).toEqual([state.failure]);
});

test('it flushes in intervals, and not after it is stopped', async () => {
  let flushes = 0;
  const written = Promise.withResolvers<void>();
  const periodicFlush = startPeriodicFlush({
    async flush() {
      if (++flushes === 2) written.resolve();
      return false;
    },
    everyMs: 1,
    isPaused: () => false,
    onFailure: () => {},
  });
  await written.promise;
  await periodicFlush.stop();
  const flushesAtStop = flushes;
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(flushes).toBe(flushesAtStop);
});
