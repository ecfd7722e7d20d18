import { expect, test } from 'bun:test';
import { startFlushing } from '../../src/jobs/periodicFlush.ts';

/** Nothing is left to the timer: its first time is an hour away. */
function open(portions: number) {
  const state = { left: portions, isPaused: false, failure: undefined as Error | undefined };
  const failures: unknown[] = [];
  const flushing = startFlushing({
    async flush() {
      if (state.failure !== undefined) throw state.failure;
      state.left--;
      return state.left > 0;
    },
    everyMs: 3_600_000,
    isPaused: () => state.isPaused,
    onFailure: (error) => failures.push(error),
  });
  return { flushing, state, failures };
}

test('what is left is written at the end, all of it', async () => {
  const { flushing, state } = open(3);
  await flushing.stop();
  expect(state.left).toBe(0);
});

test('nothing is written in a pause', async () => {
  const { flushing, state, failures } = open(3);
  state.isPaused = true;
  await flushing.stop();
  expect(state.left).toBe(3);
  expect(failures).toEqual([]);
});

test('after a pause it goes on', async () => {
  const looked = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  let isPaused = true;
  const flushing = startFlushing({
    async flush() {
      written.resolve();
      return false;
    },
    everyMs: 1,
    isPaused() {
      looked.resolve();
      return isPaused;
    },
    onFailure: () => {},
  });
  await looked.promise;
  isPaused = false;
  await written.promise;
  await flushing.stop();
});

test('what fails is told, and holds up no end', async () => {
  const { flushing, state, failures } = open(3);
  state.failure = new Error('the disk is full');
  await flushing.stop();
  expect(failures).toEqual([state.failure]);
});

test('it is written at its times, and not after the end', async () => {
  let flushes = 0;
  const written = Promise.withResolvers<void>();
  const flushing = startFlushing({
    async flush() {
      if (++flushes === 2) written.resolve();
      return false;
    },
    everyMs: 1,
    isPaused: () => false,
    onFailure: () => {},
  });
  await written.promise;
  await flushing.stop();
  const atTheEnd = flushes;
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(flushes).toBe(atTheEnd);
});
