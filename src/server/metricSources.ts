import { reasonOf } from '../lib/log.ts';
import { createCaptchaFamilies } from '../metrics/captchaFamilies.ts';
import { createExposition, type Exposition } from '../metrics/exposition.ts';
import type { Family } from '../metrics/family.ts';
import { createHttpFamilies } from '../metrics/httpFamilies.ts';
import { createProcessFamilies } from '../metrics/processFamilies.ts';
import {
  createCacheFamilies,
  createStorageFamilies,
  createStoreFamilies,
} from '../metrics/storageFamilies.ts';
import { createDnsFamilies, createJobFamilies, createTaskFamilies } from '../metrics/workFamilies.ts';
import { StoreFailure } from '../model/storeFailure.ts';
import { version } from '../version.ts';
import type { AppContext } from './context.ts';

/** Creates the exposition of all metrics. */
export function createServerExposition(context: AppContext): Exposition {
  const { caches, log } = context;

  function onFailure(metric: string, error: unknown): void {
    if (error instanceof StoreFailure) caches.reportFailure(error);
    else log.warn('metric-not-read', { metric, reason: reasonOf(error) });
  }

  return createExposition([...createServerFamilies(context), ...createWorkFamilies(context)], onFailure);
}

function createServerFamilies(context: AppContext): readonly Family[] {
  const { config, meters, services, ledger, usageRecording, argon2id, nodeClock } = context;
  return [
    ...createProcessFamilies({ version, lags: meters.lags }),
    ...createHttpFamilies({
      requests: meters.requests.read,
      rateLimits: meters.rateLimits.read,
      securityEvents: meters.securityEvents.read,
    }),
    ...createCaptchaFamilies({
      totals: usageRecording.totals,
      commitSeconds: meters.claims.seconds.read,
      batchSizes: meters.claims.sizes.read,
      statistics: usageRecording.events,
      countBatches: meters.countBatches.read,
      argon2id: {
        read: argon2id.read,
        results: meters.argon2id.results.read,
        seconds: meters.argon2id.seconds.read,
      },
      hashwx: meters.hashwx.read,
    }),
    ...createCacheFamilies(meters),
    ...createStoreFamilies({ ...meters.storeCalls, ledgerLoad: ledger.load }),
    ...createStorageFamilies({
      files: services.storage.fileSizes,
      diskSpace: services.storage.diskSpace,
      failures: meters.storageFailures.read,
      isMainHealthy: () => !services.maintenance.hasFailed(),
      areClaimsHealthy: ledger.isHealthy,
      isInMaintenance: services.maintenance.isOn,
      sessions: services.authentication.sessions.count,
      lastBackupAt: config.database === undefined ? services.stores.installation.lastBackupAt : undefined,
      clockOffsetMs: () => nodeClock()?.offsetMs,
      clockErrorMs: () => nodeClock()?.uncertaintyMs,
      areClaimsLost: () => meters.areClaimsLost,
      isDataRolledBack: () => meters.isDataRolledBack,
      certificateExpiresAt: () => meters.certificateExpiresAt,
      primaries: () => meters.primaries,
    }),
  ];
}

/** The metrics of background work. */
function createWorkFamilies({ meters, services, clock, tasksRunning }: AppContext): readonly Family[] {
  const { tasks, jobs, dns } = meters;
  return [
    ...createTaskFamilies({
      clock,
      backlog: services.stores.tasks.backlog,
      running: tasksRunning,
      events: tasks.events.read,
      items: tasks.items.read,
      seconds: tasks.seconds.read,
    }),
    ...createJobFamilies({ jobs: jobs.read }),
    ...createDnsFamilies({ lookups: dns.lookups.read, seconds: dns.seconds.read }),
  ];
}
