import { expect, test } from 'bun:test';
import { createRestartDelay } from '../../src/threads/worker.ts';

const SEQUENCE = [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];

function open() {
  const clock = { now: 0 };
  return { clock, ...createRestartDelay({ firstMs: 200, longestMs: 30_000 }, () => clock.now) };
}

test('the delay doubles up to 30 seconds while a thread cannot start', () => {
  const { next } = open();
  expect(SEQUENCE.map(next)).toEqual(SEQUENCE);
});

test('the delay also doubles if threads end soon after their start', () => {
  const { clock, started, next } = open();
  const delays = SEQUENCE.map(() => {
    started();
    clock.now += 59_999;
    return next();
  });
  expect(delays).toEqual(SEQUENCE);
});

test('the delay is short again after a thread has run for a minute', () => {
  const { clock, started, next } = open();
  for (const _ of SEQUENCE) next();
  started();
  clock.now += 60_000;
  expect([next(), next()]).toEqual([200, 400]);
});

test('time without a running thread does not reset the delay', () => {
  const { clock, started, next } = open();
  started();
  next();
  clock.now += 120_000;
  expect(next()).toBe(400);
});
