import { startCron } from '../cron.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import type { JobRun } from '../model/readings.ts';

/** A scheduled job: its name in the log, a cron pattern in UTC, and a function. */
export type Job = {
  readonly name: string;
  readonly pattern: string;
  /** @returns the number of changes */
  readonly run: () => Promise<number>;
};

/**
 * Runs the jobs on schedule. Runs of the same job never overlap.
 *
 * @param onRun called when a run has ended
 */
export function startSchedule(
  jobs: readonly Job[],
  log: Log,
  onRun: (run: JobRun) => void,
): { readonly stop: () => void } {
  const running = jobs.map((job) =>
    startCron(job.pattern, async () => {
      const startedAt = performance.now();
      const hasSucceeded = await runJob(job, log);
      onRun({ name: job.name, hasSucceeded, seconds: (performance.now() - startedAt) / 1000 });
    }),
  );
  return {
    stop() {
      for (const cron of running) cron.stop();
    },
  };
}

/** Never rejects. @returns whether the run succeeded */
async function runJob(job: Job, log: Log): Promise<boolean> {
  try {
    const changed = await job.run();
    if (changed > 0) log.info('job-done', { job: job.name, changed });
    return true;
  } catch (error) {
    log.error('job-failed', { job: job.name, reason: reasonOf(error) });
    return false;
  }
}
