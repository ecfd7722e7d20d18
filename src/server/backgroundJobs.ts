import { hostname } from 'node:os';
import type { ScheduledBackup } from '../backup/scheduledBackup.ts';
import type { Config } from '../config.ts';
import type { WidgetBuilds } from '../http/widget/widgetBuilds.ts';
import { createClockCheck, createClockConfirmation } from '../jobs/clocks.ts';
import { type NodeReporter, startNodeReport } from '../jobs/nodeReport.ts';
import { startSchedule } from '../jobs/schedule.ts';
import { createScheduledJobs, createWarnOfExpiringKeys, type JobDeps } from '../jobs/scheduledJobs.ts';
import { startTaskRunner, type TaskRunner } from '../jobs/taskRunner.ts';
import { startPeriodicFlush } from '../jobs/usageFlush.ts';
import {
  type ChangeWatch,
  createDatabaseRecovery,
  startChangeWatch,
  startServerWatch,
} from '../jobs/watches.ts';
import type { Closing } from '../lib/closing.ts';
import { systemRandom } from '../lib/ids.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { socketPathOf } from '../lib/parse.ts';
import { type Clock, MINUTE } from '../lib/time.ts';
import { timer } from '../lib/timer.ts';
import { INSTALLATION } from '../model/actor.ts';
import { type ApiKey, ownerOf } from '../model/apiKey.ts';
import type { SigningKey } from '../model/ports/installation.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import { createLookups } from '../platform/properties/dnsLookups.ts';
import { createDnsLookup } from '../platform/properties/dnsResolver.ts';
import { createPlanTask } from '../platform/properties/taskPlanner.ts';
import { readU32 } from '../puzzle/puzzle.ts';
import { version } from '../version.ts';
import type { Caches } from './caches.ts';
import { startFileLimitWatch } from './fileLimitWatch.ts';
import { type Meters, startLagMeasurement } from './meters.ts';
import type { Services } from './services.ts';
import { sqliteEngine } from './storageEngine.ts';

type BackgroundDeps = {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly services: Services;
  readonly ledger: ReplayLedger;
  readonly caches: Caches;
  readonly meters: Meters;
  readonly widgetBuilds: Pick<WidgetBuilds, 'recordCurrent'>;
  readonly watchEveryMs?: number | undefined;
  /** Whether scheduled jobs run. */
  readonly hasJobs: boolean;
};

/** Interval of checks for changes by other processes. A key that another process revokes must stop working within a second. */
export const WATCH_MS = 200;

/** Interval of checks for changes of the GeoIP files. */
const GEOIP_MS = 10_000;

/** Interval at which a node reports itself to the others, in milliseconds. Without other writes, only the report detects that commits wait. */
const NODE_REPORT_MS = 5000;

/** Interval at which the database servers are checked, in milliseconds. Until the next check, an old primary that runs again may be used. */
const SERVER_WATCH_MS = 1000;

/** @see startBackgroundJobs */
export type BackgroundJobs = Awaited<ReturnType<typeof startBackgroundJobs>>;

/**
 * Starts the task runner, the scheduled jobs, the periodic flushes, and the watch for changes by other processes.
 *
 * @param closing receives the functions that stop them, also if a later one cannot be started
 */
export async function startBackgroundJobs(deps: BackgroundDeps, closing: Closing) {
  const { services, caches } = deps;
  await services.maintenance.refresh();
  services.onWrite(() => void caches.refresh().catch(caches.reportFailure));
  const runner = await startTasks(deps);
  closing.add('tasks', runner.stop);
  const watch = startWatch(deps, runner);
  closing.add('change watch', () => void watch.stop());
  closing.add('change subscription', await services.storage.subscribe(watch.checkSoon));
  services.onTask(runner.checkQueue);
  const nodeReport = startReport(deps);
  closing.add('node report', () => nodeReport?.stop());
  await nodeReport?.run();
  const confirmClock = await createServerClockConfirmation(deps, nodeReport);
  const isClockWrong = () => nodeReport?.clock()?.isWrong === true;
  const checkClock = createServerClockCheck(deps, isClockWrong);
  await checkClock();
  await storeWidgetBuild(deps);
  await services.geoip.load();
  closing.add('geoip watch', services.geoip.watch(GEOIP_MS));
  const backup = await createBackup(deps);
  closing.add('backup', () => backup?.stop());
  const schedule = startJobs(deps, { checkClock, confirmClock, isClockWrong, backUp: backup?.run });
  closing.add('schedule', schedule.stop);
  const keyUseFlush = startPeriodicFlush({
    flush: services.keyUses.flush,
    everyMs: MINUTE,
    isPaused: services.maintenance.hasFailed,
    onFailure: caches.reportFailure,
  });
  closing.add('key use flush', keyUseFlush.stop);
  const serverWatch = startServers(deps);
  closing.add('server watch', () => serverWatch?.stop());
  await serverWatch?.run();
  closing.add('file limit watch', startFileLimitWatch(deps.log));
  closing.add('event loop measurement', startLagMeasurement(deps.meters.lag));
  return {
    taskFinished: runner.finished,
    tasksRunning: runner.running,
    /** Returns undefined if no other server can use the storage, or before the first report. */
    nodeClock: () => nodeReport?.clock(),
  };
}

function startWatch(
  { services, caches, log, watchEveryMs }: BackgroundDeps,
  { checkWaits }: Pick<TaskRunner, 'checkWaits'>,
): ChangeWatch {
  const { maintenance } = services;
  async function refresh(isWriting: boolean): Promise<void> {
    await caches.refresh();
    await services.probe({ isWriting });
    await maintenance.refresh();
  }
  return startChangeWatch({
    version: services.stores.installation.changeVersion,
    everyMs: watchEveryMs ?? WATCH_MS,
    async onChange() {
      checkWaits();
      await refresh(false);
    },
    hasFailed: maintenance.hasFailed,
    recover: createDatabaseRecovery({
      tryDatabase: () => refresh(true),
      endMaintenance: maintenance.recordRecovery,
      now: () => performance.now(),
      log,
    }),
    onFailure: caches.reportFailure,
  });
}

/** @returns undefined if no other server can use the storage */
function startReport({ config, services, caches, clock, log }: BackgroundDeps): NodeReporter | undefined {
  const { nodes } = services.storage;
  if (nodes === undefined) return undefined;
  return startNodeReport({
    nodes,
    node: { id: systemRandom(new Uint8Array(16)).toHex(), name: nodeName(config), version },
    clock,
    onFailure: caches.reportFailure,
    // Each report would wait on another connection.
    isPaused: services.maintenance.hasFailed,
    log,
    everyMs: NODE_REPORT_MS,
  });
}

/** @see NodeReport */
function nodeName({ host, port }: Config): string {
  return socketPathOf(host) === undefined ? `${hostname()}:${port}` : `${hostname()} ${host}`;
}

/** @returns undefined if the database has only one server, or none */
function startServers({ services, meters, log }: BackgroundDeps) {
  const { servers } = services.storage;
  if (servers === undefined) return undefined;
  return startServerWatch({
    servers,
    log,
    onCount(primaries) {
      meters.primaries = primaries;
    },
    everyMs: SERVER_WATCH_MS,
  });
}

/** Reads the clock once, so that the time that passes from then on is measured. */
async function createServerClockConfirmation(
  { services, caches, clock, log }: BackgroundDeps,
  nodeReport: NodeReporter | undefined,
): Promise<() => Promise<boolean>> {
  const confirmClock = createClockConfirmation({
    installation: services.stores.installation,
    databaseOffset: nodeReport?.clock,
    clock,
    now: () => performance.now(),
    log,
  });
  await confirmClock().catch(caches.reportFailure);
  return confirmClock;
}

/** Stores the build before the server listens, because its pages may be sent to other nodes. */
async function storeWidgetBuild({ widgetBuilds, log }: BackgroundDeps): Promise<void> {
  try {
    await widgetBuilds.recordCurrent();
  } catch (error) {
    // The job repeats it.
    log.warn('widget-build-not-stored', { reason: reasonOf(error) });
  }
}

function createServerClockCheck(
  { services, ledger, clock, log }: BackgroundDeps,
  isClockWrong: () => boolean,
): () => Promise<number> {
  const { signingKeys, maintenance } = services;
  return createClockCheck({
    ledger,
    async newestKey() {
      const [key] = await signingKeys.list();
      if (key === undefined) throw new Error('there is no signing key');
      return { fingerprint: fingerprintOf(key), createdAt: key.createdAt };
    },
    rotate: () => signingKeys.rotate(INSTALLATION, { replacesRejected: true }),
    isPaused: () => maintenance.hasFailed() || isClockWrong(),
    clock,
    log,
  });
}

/** The fingerprint as a little-endian u32, as in the signature of a puzzle. */
function fingerprintOf({ fingerprint }: SigningKey): number {
  return readU32(fingerprint, 0);
}

/** @returns undefined if no schedule is configured */
async function createBackup({ config, log, clock }: BackgroundDeps): Promise<ScheduledBackup | undefined> {
  const { dataDir, backupDir, backupKeep, backupPassphrase } = config;
  if (config.backupSchedule === undefined || backupDir === undefined) return undefined;
  const { createScheduledBackup } = await import('../backup/scheduledBackup.ts');
  return createScheduledBackup({
    engine: sqliteEngine.backup,
    dataDir,
    folder: backupDir,
    keep: backupKeep,
    passphrase: backupPassphrase,
    log,
    clock,
  });
}

function startJobs(
  { config, services, ledger, log, clock, meters, widgetBuilds, hasJobs }: BackgroundDeps,
  own: Pick<JobDeps, 'checkClock' | 'confirmClock' | 'backUp'> & { readonly isClockWrong: () => boolean },
) {
  const { sessions } = services.authentication;
  const idsOf = (key: ApiKey) => {
    const owner = ownerOf(key);
    return {
      key: services.ids.seal('api-key', key.id),
      ...('accountId' in owner
        ? { user: services.ids.seal('account', owner.accountId) }
        : { organization: services.ids.seal('organization', owner.organizationId) }),
    };
  };
  const jobs = createScheduledJobs({
    ...config,
    ...own,
    keyFingerprints: async () => (await services.signingKeys.list()).map(fingerprintOf),
    ...services.stores,
    ...services.shared,
    sessions,
    ledger,
    pruneSigningKeys: services.signingKeys.prune,
    recordWidgetBuild: widgetBuilds.recordCurrent,
    warnOfExpiringKeys: createWarnOfExpiringKeys({ ...services.stores, idsOf, log, clock }),
    clock,
  });
  meters.jobs.open(jobs);
  return startSchedule({
    jobs: hasJobs ? jobs : [],
    exclusively: services.shared.exclusively,
    isClockConfirmed: own.confirmClock,
    isClockWrong: own.isClockWrong,
    log,
    onRun: meters.jobs.record,
  });
}

function startTasks({ config, services, clock, caches, log, meters }: BackgroundDeps): Promise<TaskRunner> {
  const { properties, tasks } = services.stores;
  const lookup = createDnsLookup(config);
  const resolve = lookup && meters.dns.measure(lookup);
  const now = () => performance.now();
  return startTaskRunner({
    tasks,
    plan: createPlanTask({
      beginLookups: resolve && createLookups({ resolve, now, timer }),
      properties,
      access: services.access,
      random: systemRandom,
    }),
    isClustered: services.shared.isClustered,
    isPaused: services.maintenance.isOn,
    onFailure: caches.reportFailure,
    clock,
    random: systemRandom,
    log,
    meter: meters.tasks,
  });
}
