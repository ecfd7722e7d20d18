import { startCron } from '../cron.ts';
import { type Log, reasonOf } from '../lib/log.ts';

/** A scheduled job: its name in the log, a cron pattern in UTC, and a function. */
export type Job = {
  readonly name: string;
  readonly pattern: string;
  /** @returns the number of changes */
  readonly run: () => Promise<number>;
};

/** Runs the jobs on schedule. Runs of the same job never overlap. */
export function startSchedule(jobs: readonly Job[], log: Log): { readonly stop: () => void } {
  const running = jobs.map((job) =>
    startCron(job.pattern, async () => {
      try {
        const changed = await job.run();
        if (changed > 0) log.info('job-done', { job: job.name, changed });
      } catch (error) {
        log.error('job-failed', { job: job.name, reason: reasonOf(error) });
      }
    }),
  );
  return {
    stop() {
      for (const cron of running) cron.stop();
    },
  };
}
