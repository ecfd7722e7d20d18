import type { Config } from '../config.ts';
import { startChangeWatch } from '../jobs/changeWatch.ts';
import { createWarnOfExpiringKeys } from '../jobs/keyExpiryWarning.ts';
import { startPeriodicFlush } from '../jobs/periodicFlush.ts';
import { startSchedule } from '../jobs/schedule.ts';
import { jobsOf } from '../jobs/scheduledJobs.ts';
import { startTaskRunner, type TaskRunner } from '../jobs/taskRunner.ts';
import { systemRandom } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { type Clock, MINUTE } from '../lib/time.ts';
import type { ApiKey } from '../model/apiKey.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import { createLookups } from '../platform/dnsLookups.ts';
import { createPlanTask } from '../platform/taskPlanner.ts';
import type { Caches } from './caches.ts';
import { createDnsLookup } from './dnsLookup.ts';
import type { Services } from './services.ts';
import { timer } from './timer.ts';

/** What a running server does beside answering: tasks, chores, other processes' changes, what memory gathers. */
type Parts = {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly services: Services;
  readonly ledger: ReplayLedger;
  readonly caches: Caches;
  readonly watchEveryMs?: number | undefined;
};

/** How often another process's changes are looked for; a revoked key must stop within a second. */
export const WATCH_MS = 200;

export type BackgroundJobs = {
  /** Waits until a task is finished. */
  readonly taskFinished: TaskRunner['finished'];
  readonly stop: () => Promise<void>;
};

/** Starts the background jobs of a running server. */
export async function startBackgroundJobs(parts: Parts): Promise<BackgroundJobs> {
  const { config, services, ledger, log, clock, caches } = parts;
  await services.maintenance.refresh();
  services.onWrite(() => void caches.refresh().catch(caches.noteFailure));
  const watch = startChangeWatch({
    version: services.otherWrites,
    everyMs: parts.watchEveryMs ?? WATCH_MS,
    isSuspect: services.maintenance.hasFailed,
    async onChange() {
      await caches.refresh();
      const hadFailed = services.maintenance.hasFailed();
      await services.probe({ isWriting: hadFailed });
      await services.maintenance.refresh();
      if (hadFailed) log.info('database-recovered');
    },
    onFailure: caches.noteFailure,
  });
  const runner = await startTasks(parts);
  services.onTask(runner.checkQueue);
  const { sessions } = services.authentication;
  const idsOf = ({ id, accountId }: ApiKey) => ({
    key: services.ids.seal('api-key', id),
    user: services.ids.seal('account', accountId),
  });
  const schedule = startSchedule(
    jobsOf({
      ...config,
      ...services.stores,
      sessions,
      ledger,
      pruneSigningKeys: services.signingKeys.prune,
      warnOfExpiringKeys: createWarnOfExpiringKeys({ ...services.stores, idsOf, log, clock }),
      clock,
    }),
    log,
  );
  const keyUseFlush = startPeriodicFlush({
    flush: services.keyUses.flush,
    everyMs: MINUTE,
    isPaused: services.maintenance.hasFailed,
    onFailure: caches.noteFailure,
  });
  return {
    taskFinished: runner.finished,
    async stop() {
      runner.stop();
      void watch.stop();
      schedule.stop();
      await keyUseFlush.stop();
    },
  };
}

function startTasks({ config, services, clock, caches, log }: Parts): Promise<TaskRunner> {
  const { properties, tasks } = services.stores;
  const resolve = createDnsLookup(config);
  const now = () => performance.now();
  return startTaskRunner({
    tasks,
    plan: createPlanTask({
      beginLookups: resolve && createLookups({ resolve, now, timer }),
      properties,
      access: services.access,
      random: systemRandom,
    }),
    isPaused: services.maintenance.isOn,
    onFailure: caches.noteFailure,
    clock,
    random: systemRandom,
    log,
  });
}
