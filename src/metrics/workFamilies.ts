import type { HistogramReading } from '../lib/counters.ts';
import type { Clock } from '../lib/time.ts';
import type { JobReading, TaskBacklog } from '../model/readings.ts';
import { byKind, type Family, type Sample, single } from './family.ts';

export type TaskSources = {
  readonly clock: Clock;
  readonly backlog: () => Promise<TaskBacklog>;
  readonly running: () => number;
  readonly events: () => ReadonlyMap<'finished' | 'failed', number>;
  readonly items: () => ReadonlyMap<'succeeded' | 'rejected', number>;
  readonly seconds: () => HistogramReading;
};

/** @returns the metrics of tasks */
export function createTaskFamilies(sources: TaskSources): readonly Family[] {
  const { clock, backlog, running, events, items, seconds } = sources;
  return [
    {
      name: 'postern_tasks_unfinished',
      help: 'Number of tasks that are waiting or running.',
      type: 'gauge',
      labels: [],
      read: async () => single((await backlog()).unfinished),
    },
    {
      name: 'postern_tasks_oldest_age_seconds',
      help: 'Time since the submission of the oldest unfinished task; 0 if there is no unfinished task.',
      type: 'gauge',
      labels: [],
      async read() {
        const { oldestAt } = await backlog();
        return single(oldestAt === undefined ? 0 : Math.max(0, clock() - oldestAt) / 1000);
      },
    },
    {
      name: 'postern_tasks_running',
      help: 'Number of tasks that this process is running.',
      type: 'gauge',
      labels: [],
      read: () => single(running()),
    },
    {
      name: 'postern_tasks_finished_total',
      help: 'Number of tasks that this process finished.',
      type: 'counter',
      labels: [],
      read: () => single(events().get('finished')),
    },
    {
      name: 'postern_task_failures_total',
      help: 'Number of failed attempts to run a task.',
      type: 'counter',
      labels: [],
      read: () => single(events().get('failed')),
    },
    {
      name: 'postern_task_items_total',
      help: 'Number of items of finished tasks by result.',
      type: 'counter',
      labels: ['result'],
      read: () => byKind('result', items()),
    },
    {
      name: 'postern_task_duration_seconds',
      help: 'Time from the submission of a task to its end.',
      type: 'histogram',
      labels: [],
      read: () => [{ histogram: seconds() }],
    },
  ];
}

/** @returns the metrics of scheduled jobs */
export function createJobFamilies({
  jobs,
}: {
  readonly jobs: () => readonly JobReading[];
}): readonly Family[] {
  /** @param valueIn undefined if the value is not known yet */
  const read = (valueIn: (job: JobReading) => number | undefined) => (): readonly Sample[] =>
    jobs().flatMap((job) => {
      const value = valueIn(job);
      return value === undefined ? [] : [{ labels: { job_name: job.name }, value }];
    });
  return [
    {
      name: 'postern_job_runs_total',
      help: 'Number of runs of a scheduled job that have ended.',
      type: 'counter',
      labels: ['job_name'],
      read: read(({ succeeded, failed }) => succeeded + failed),
    },
    {
      name: 'postern_job_failures_total',
      help: 'Number of runs of a scheduled job that failed.',
      type: 'counter',
      labels: ['job_name'],
      read: read(({ failed }) => failed),
    },
    {
      name: 'postern_job_last_success_timestamp_seconds',
      help: 'Time of the last successful run of a scheduled job since the start of the process.',
      type: 'gauge',
      labels: ['job_name'],
      read: read(({ lastSuccessAt }) => (lastSuccessAt === undefined ? undefined : lastSuccessAt / 1000)),
    },
    {
      name: 'postern_job_last_duration_seconds',
      help: 'Duration of the last run of a scheduled job.',
      type: 'gauge',
      labels: ['job_name'],
      read: read(({ lastSeconds }) => lastSeconds),
    },
  ];
}

export type DnsSources = {
  readonly lookups: () => ReadonlyMap<string, number>;
  readonly seconds: () => HistogramReading;
};

/** @returns the metrics of DNS lookups */
export function createDnsFamilies({ lookups, seconds }: DnsSources): readonly Family[] {
  return [
    {
      name: 'postern_dns_lookups_total',
      help: 'Number of DNS lookups of domains by result, without lookups that a cache answered.',
      type: 'counter',
      labels: ['result'],
      read: () => byKind('result', lookups()),
    },
    {
      name: 'postern_dns_lookup_duration_seconds',
      help: 'Duration of DNS lookups, including all servers that were queried.',
      type: 'histogram',
      labels: [],
      read: () => [{ histogram: seconds() }],
    },
  ];
}
