import { expect, test } from 'bun:test';
import { type Job, startSchedule } from '../../src/jobs/schedule.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Instant } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import type { Exclusively } from '../../src/model/ports/cluster.ts';
import type { JobRun } from '../../src/model/readings.ts';
import { waitUntil } from '../support/waitUntil.ts';

const ALONE: Exclusively = (_, work) => work({ isHeld: () => true });

/** Runs jobs every second until the condition is met. @returns the reported runs and the log */
async function runJobs(
  jobs: readonly Omit<Job, 'pattern'>[],
  exclusively: Exclusively,
  until: () => boolean,
  isClockConfirmed = async () => true,
  isClockWrong = () => false,
) {
  const runs: Pick<JobRun, 'name' | 'hasSucceeded'>[] = [];
  const logged: Record<string, unknown>[] = [];
  const write = (line: string) => logged.push(JSON.parse(line));
  const { stop } = startSchedule({
    jobs: jobs.map((job) => ({ ...job, pattern: '* * * * * *' })),
    exclusively,
    isClockConfirmed,
    isClockWrong,
    log: createLog({ limits: LOG_LIMITS, level: 'info', format: 'json', clock: () => 0 as Instant, write }),
    onRun: ({ name, hasSucceeded }) => runs.push({ name, hasSucceeded }),
  });
  await waitUntil('all jobs have run', until);
  stop();
  await new Promise(setImmediate);
  return { runs, logged };
}

test('a run is reported and logged with its number of changes', async () => {
  let count = 0;
  const run = async () => ++count;
  const { runs, logged } = await runJobs([{ name: 'some', run }], ALONE, () => count === 1);
  expect(runs).toEqual([{ name: 'some', hasSucceeded: true }]);
  expect(logged).toMatchObject([{ event: 'job-done', job: 'some', changed: 1 }]);
});

test('a job that another server is running is skipped; a local job runs anyway', async () => {
  const ran: string[] = [];
  const asked: string[] = [];
  const busy: Exclusively = async (name) => {
    asked.push(name);
    return undefined;
  };
  const job = (name: string, isLocal: boolean) => ({
    name,
    isLocal,
    async run() {
      ran.push(name);
      return 0;
    },
  });
  const jobs = [job('shared', false), job('local', true)];
  const { runs } = await runJobs(jobs, busy, () => asked.length > 0 && ran.length > 0);
  expect(new Set(asked)).toEqual(new Set(['shared']));
  expect(new Set(ran)).toEqual(new Set(['local']));
  expect(new Set(runs.map(({ name }) => name))).toEqual(new Set(['local']));
});

test('a run whose lock cannot be taken has failed', async () => {
  let isAsked = false;
  const failing: Exclusively = async () => {
    isAsked = true;
    throw new Error('unavailable');
  };
  const { runs, logged } = await runJobs([{ name: 'some', run: async () => 1 }], failing, () => isAsked);
  expect(runs).toMatchObject([{ hasSucceeded: false }]);
  expect(logged).toMatchObject([{ event: 'job-failed', reason: 'unavailable' }]);
});

test('a job that needs a confirmed time is skipped without taking the lock until the time is confirmed', async () => {
  const asked: string[] = [];
  const recording: Exclusively = (name, work) => {
    asked.push(name);
    return ALONE(name, work);
  };
  let checks = 0;
  let ran = 0;
  const job = {
    name: 'destructive',
    needsConfirmedClock: true,
    async run() {
      ran++;
      return 0;
    },
  };
  const { runs } = await runJobs(
    [job],
    recording,
    () => ran > 0,
    async () => ++checks > 1,
  );
  expect([checks, asked, runs]).toEqual([2, ['destructive'], [{ name: 'destructive', hasSucceeded: true }]]);
});

// A node three hours ahead purged the claims of all nodes with its time, which made them reject the puzzles of the current key.
test('a server with a wrong clock runs no jobs until the clock is corrected', async () => {
  let checks = 0;
  const ran: number[] = [];
  const job = (isLocal: boolean) => ({
    name: isLocal ? 'local' : 'shared',
    isLocal,
    async run() {
      ran.push(checks);
      return 0;
    },
  });
  const isWrong = () => ++checks <= 4;
  await runJobs([job(false), job(true)], ALONE, () => ran.length >= 2, undefined, isWrong);
  expect(Math.min(...ran)).toBeGreaterThan(4);
});
