import type { Clock, Instant } from '../lib/time.ts';
import type { JobReading, JobRun } from '../model/readings.ts';
import type { Job } from './schedule.ts';

/** Counts the runs of the scheduled jobs. */
export type JobMeter = {
  /** Declares the jobs, which are then reported even if they have not run yet. */
  readonly open: (jobs: readonly Pick<Job, 'name'>[]) => void;
  readonly record: (run: JobRun) => void;
  readonly read: () => readonly JobReading[];
};

type Record = { succeeded: number; failed: number; lastSuccessAt?: Instant; lastSeconds?: number };

/** @see JobMeter */
export function createJobMeter(clock: Clock): JobMeter {
  const records = new Map<string, Record>();
  return {
    open(jobs) {
      for (const { name } of jobs) records.set(name, { succeeded: 0, failed: 0 });
    },
    record({ name, hasSucceeded, seconds }) {
      const record = records.get(name);
      if (record === undefined) return;
      record.lastSeconds = seconds;
      if (!hasSucceeded) {
        record.failed++;
        return;
      }
      record.succeeded++;
      record.lastSuccessAt = clock();
    },
    read: () => Array.from(records, toReading),
  };
}

function toReading([name, { succeeded, failed, lastSuccessAt, lastSeconds }]: [string, Record]): JobReading {
  return { name, succeeded, failed, lastSuccessAt, lastSeconds };
}
