import { nextTimeOf, startCron } from '../cron.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import type { Clock, Instant } from '../lib/time.ts';
import type { Exclusively, JobLock } from '../model/ports/cluster.ts';
import type { JobReading, JobRun, JobState } from '../model/readings.ts';

type Record = {
  readonly pattern: string;
  succeeded: number;
  failed: number;
  lastSuccessAt?: Instant;
  lastSeconds?: number;
  lastRun?: JobState['lastRun'];
};

/** Counts the runs of the scheduled jobs. */
export function createJobMeter(clock: Clock) {
  const records = new Map<string, Record>();
  return {
    /** Declares the jobs, which are then reported even if they have not run yet. */
    open(jobs: readonly Pick<Job, 'name' | 'pattern'>[]): void {
      for (const { name, pattern } of jobs) records.set(name, { pattern, succeeded: 0, failed: 0 });
    },
    record({ name, hasSucceeded, seconds }: JobRun): void {
      const record = records.get(name);
      if (record === undefined) return;
      record.lastSeconds = seconds;
      record.lastRun = { at: clock(), seconds, hasSucceeded };
      if (!hasSucceeded) {
        record.failed++;
        return;
      }
      record.succeeded++;
      record.lastSuccessAt = clock();
    },
    read: (): readonly JobReading[] => Array.from(records, toReading),
    describe: (): readonly JobState[] =>
      Array.from(records, ([name, { pattern, lastRun }]) => ({
        name,
        lastRun,
        nextAt: nextTimeOf(pattern, clock()) as Instant | undefined,
      })),
  };
}

function toReading([name, { succeeded, failed, lastSuccessAt, lastSeconds }]: [string, Record]): JobReading {
  return { name, succeeded, failed, lastSuccessAt, lastSeconds };
}

/** A scheduled job: its name in the log, a cron pattern in UTC, and a function. */
export type Job = {
  readonly name: string;
  readonly pattern: string;
  /** If true, the job runs on every server. Otherwise, it runs on one server at a time. */
  readonly isLocal?: boolean;
  /** If true, the job deletes data that a wrong clock makes look old, so it is skipped while the time is not confirmed. */
  readonly needsConfirmedClock?: boolean;
  /** @returns the number of changes */
  readonly run: (lock: JobLock) => Promise<number>;
};

type ScheduleOptions = {
  readonly jobs: readonly Job[];
  readonly exclusively: Exclusively;
  /** @see createClockConfirmation */
  readonly isClockConfirmed: () => Promise<boolean>;
  /** Whether the clocks of other servers prove that the clock of this server is wrong. Only the other servers then run jobs. */
  readonly isClockWrong: () => boolean;
  readonly log: Log;
  /** Called after each run, except runs that were skipped: another server was running the job, or the clock is wrong or not confirmed. */
  readonly onRun: (run: JobRun) => void;
};

/** Runs the jobs on schedule. Runs of the same job never overlap. */
export function startSchedule(options: ScheduleOptions): { readonly stop: () => void } {
  const running = options.jobs.map((job) =>
    startCron(job.pattern, async () => {
      const startedAt = performance.now();
      const hasSucceeded = await runJob(job, options);
      if (hasSucceeded === undefined) return;
      options.onRun({ name: job.name, hasSucceeded, seconds: (performance.now() - startedAt) / 1000 });
    }),
  );
  return {
    stop() {
      for (const cron of running) cron.stop();
    },
  };
}

const LOCAL = { isHeld: () => true };

/** Never rejects. @returns whether the run succeeded; undefined if it was skipped */
async function runJob(job: Job, options: ScheduleOptions): Promise<boolean | undefined> {
  const { exclusively, isClockConfirmed, isClockWrong, log } = options;
  try {
    // A purge of claims with the time of such a server would reject the puzzles of all servers.
    if (isClockWrong()) return undefined;
    // Before the lock is taken, so that a server with a wrong clock does not keep others from running the job.
    if (job.needsConfirmedClock === true && !(await isClockConfirmed())) return undefined;
    const changed = await (job.isLocal === true ? job.run(LOCAL) : exclusively(job.name, job.run));
    if (changed === undefined) return undefined;
    if (changed > 0) log.info('job-done', { job: job.name, changed });
    return true;
  } catch (error) {
    log.error('job-failed', { job: job.name, reason: reasonOf(error) });
    return false;
  }
}
