import { expect, test } from 'bun:test';
import { createJobMeter } from '../../src/jobs/schedule.ts';
import type { Instant } from '../../src/lib/time.ts';

test('the runs of each job are counted, and the last success and duration are recorded', () => {
  let now = 1000;
  const meter = createJobMeter(() => now as Instant);
  meter.open([
    { name: 'purge', pattern: '30 * * * * *' },
    { name: 'idle', pattern: '@hourly' },
  ]);
  meter.record({ name: 'purge', hasSucceeded: true, seconds: 2 });
  now = 2000;
  meter.record({ name: 'purge', hasSucceeded: false, seconds: 3 });
  meter.record({ name: 'unknown', hasSucceeded: true, seconds: 1 });
  expect(meter.describe()).toEqual([
    {
      name: 'purge',
      lastRun: { at: 2000 as Instant, seconds: 3, hasSucceeded: false },
      nextAt: 30_000 as Instant,
    },
    { name: 'idle', lastRun: undefined, nextAt: 3_600_000 as Instant },
  ]);
  expect(meter.read()).toEqual([
    { name: 'purge', succeeded: 1, failed: 1, lastSuccessAt: 1000 as Instant, lastSeconds: 3 },
    { name: 'idle', succeeded: 0, failed: 0, lastSuccessAt: undefined, lastSeconds: undefined },
  ]);
});
