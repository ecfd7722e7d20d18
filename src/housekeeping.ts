import { startFlushing } from './background/flushing.ts';
import { jobsOf } from './background/jobs.ts';
import { createWarnOfExpiringKeys } from './background/keyExpiry.ts';
import { type Runner, startRunner } from './background/runner.ts';
import { startSchedule } from './background/schedule.ts';
import { startWatch } from './background/watch.ts';
import type { Config } from './config.ts';
import { systemRandom } from './lib/ids.ts';
import type { Log } from './lib/log.ts';
import { type Clock, MINUTE } from './lib/time.ts';
import type { Memory } from './memory.ts';
import type { ApiKey } from './model/apiKey.ts';
import type { ReplayLedger } from './model/ports.ts';
import { createLookUp, type Office, timer } from './office.ts';
import { createPlanTask } from './platform/batches.ts';
import { createLookups } from './platform/lookups.ts';

/** What a running server does beside answering: tasks, chores, other processes' changes, what memory gathers. */
type Parts = {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly office: Office;
  readonly ledger: ReplayLedger;
  readonly memory: Memory;
  readonly watchEveryMs?: number | undefined;
};

/** How often another process's changes are looked for; a revoked key must stop within a second. */
export const WATCH_MS = 200;

/** Starts all of it. @returns how to stop it */
export async function startHousekeeping(parts: Parts): Promise<() => Promise<void>> {
  const { config, office, ledger, log, clock, memory } = parts;
  await office.maintenance.refresh();
  office.onWrite(() => void memory.refresh().catch(memory.noteFailure));
  const watch = startWatch({
    version: office.otherWrites,
    everyMs: parts.watchEveryMs ?? WATCH_MS,
    isSuspect: office.maintenance.hasFailed,
    async onChange() {
      await memory.refresh();
      const hadFailed = office.maintenance.hasFailed();
      await office.probe({ isWriting: hadFailed });
      await office.maintenance.refresh();
      if (hadFailed) log.info('database-recovered');
    },
    onFailure: memory.noteFailure,
  });
  const runner = await startTasks(parts);
  office.onTask(runner.nudge);
  const { sessions } = office.people;
  const idsOf = ({ id, accountId }: ApiKey) => ({
    key: office.ids.seal('api-key', id),
    user: office.ids.seal('account', accountId),
  });
  const schedule = startSchedule(
    jobsOf({
      ...config,
      ...office.stores,
      sessions,
      ledger,
      pruneSigningKeys: office.signingKeys.prune,
      warnOfExpiringKeys: createWarnOfExpiringKeys({ ...office.stores, idsOf, log, clock }),
      clock,
    }),
    log,
  );
  const flushing = startFlushing({
    flush: office.keyUses.flush,
    everyMs: MINUTE,
    isPaused: office.maintenance.hasFailed,
    onFailure: memory.noteFailure,
  });
  return async () => {
    runner.stop();
    watch.stop();
    schedule.stop();
    await flushing.stop();
  };
}

function startTasks({ config, office, clock, memory, log }: Parts): Promise<Runner> {
  const { properties, tasks } = office.stores;
  const resolve = createLookUp(config);
  const now = () => performance.now();
  return startRunner({
    tasks,
    plan: createPlanTask({
      beginLookups: resolve && createLookups({ resolve, now, timer }),
      properties,
      access: office.access,
      random: systemRandom,
    }),
    isPaused: office.maintenance.isOn,
    onFailure: memory.noteFailure,
    clock,
    random: systemRandom,
    log,
  });
}
